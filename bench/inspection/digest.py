"""What a view comes to: the mean TRA of each span and of each model's tokens, and what to say of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.inspection.view import View
from bench.tables import Table, number, percent

EXPLAINED = (
    "TRA says how much better a model knows a token, given all that stands before it, than the auditor's "
    "reference, which was fine-tuned on other people's records. At 0 nats it knows no more than that; at 1 "
    "the token is 2.7 times as likely, at 3 it is 20 times as likely."
)

HEADINGS = ["model", "identifiers", "other tokens", "TRA > 1 nat", "memorized"]

COLUMNS = (
    "identifiers, other tokens: mean TRA. TRA > 1 nat: share of the identifiers' tokens. memorized: the "
    "identifiers' mean TRA as a share of the undefended run's, where that is 0.1 nats at least."
)


@dataclass(frozen=True)
class SpanLine:
    """One span: its label, its tokens counted from 1, its text if that is shown, the models' mean TRA."""

    label: str
    tokens: str
    text: str | None
    advantages: tuple[float, ...]


def span_lines(view: View) -> list[SpanLine]:
    """The spans of a record in order, those that share a token cut where they do."""
    return [
        SpanLine(
            one.label,
            f"{one.start + 1}-{one.end}",
            None if view.pieces is None else "".join(view.pieces[one.start : one.end]).strip(),
            tuple(float(line.advantage[one.start : one.end].mean()) for line in view.lines),
        )
        for one in view.stretches
        if one.label is not None
    ]


def summary(view: View) -> Table:
    """One line a model: what its TRA of the record comes to."""
    body = [
        [
            line.spec,
            number(line.figures.personal, 2),
            number(line.figures.other, 2),
            percent(line.figures.above_1_nat),
            percent(line.figures.remaining),
        ]
        for line in view.lines
    ]
    return HEADINGS, body


def counted(view: View) -> str:
    """Whose record it is to the models, and how long."""
    who = "member: models were fine-tuned on it" if view.member else "non-member: no model has seen it"
    return f"{who} · {_several(len(view), 'token')} · {_several(view.spans, 'span')}"


def notes(view: View) -> Sequence[str]:
    """What is not to be seen, and why."""
    said = []
    if view.lost_spans:
        spans = _several(view.lost_spans, "span")
        said.append(
            f"{spans} more beyond the tokens that are kept, whole or in part; a run's --max-length keeps more"
        )
    if view.missing:
        said.append(f"planned, and not computed yet: {', '.join(view.missing)}; run again to compute them")
    if view.pieces is None:
        said.append("the text is hidden: lengths and labels only; --show-text shows it")
    return said


def _several(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
