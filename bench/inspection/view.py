"""What there is to see of one record: its tokens, and the TRA of each under every model.

A view holds the record's text only if it was asked for, so that nothing that draws it can show more.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.inspection.panels import Panel
from bench.inspection.visible import visible
from bench.leaderboard import LEAST_MEMORIZED
from bench.tokens import Bools, Ints, Tokens
from bench.workshop import Workshop

Nats = NDArray[np.float64]

CUT_OFF = "cut off"
"""In place of a label: of tokens of a span that goes on beyond those that are kept."""


@dataclass(frozen=True)
class Figures:
    """What a model's TRA of a record comes to, in nats a token; None where there is nothing to average.

    Attributes:
        personal, other: mean over the tokens of personal information, and over the others.
        above_1_nat: share of the tokens of personal information.
        remaining: `personal` as a share of the undefended run's, where that is enough to divide by.
    """

    personal: float | None
    other: float | None
    above_1_nat: float | None
    remaining: float | None


@dataclass(frozen=True)
class Line:
    """What one model says of a record: (T,) TRA in nats, and what it comes to."""

    spec: str
    advantage: Nats
    figures: Figures


@dataclass(frozen=True)
class Stretch:
    """Successive tokens, `start` to `end` exclusive, that are in the same spans; no label: in none."""

    start: int
    end: int
    label: str | None


@dataclass(frozen=True)
class View:
    """One record of `T` tokens under several models.

    Attributes:
        title: dataset, model, tuning and seed.
        member: whether models were fine-tuned on it.
        lengths: (T,) characters of each token; 0 where it is a further part of the one before.
        pieces: the tokens' texts, safe to print; None unless text is to be shown.
        personal: (T,) whether a token belongs to personal information.
        stretches: all tokens, in order.
        spans: how many spans are whole.
        lost_spans: how many lie beyond the tokens that are kept, whole or in part.
        lines: one a model, in the run's order.
        missing: models that were planned, and of which nothing is here.
    """

    record: str
    title: str
    member: bool
    lengths: Ints
    pieces: tuple[str, ...] | None
    personal: Bools
    stretches: tuple[Stretch, ...]
    spans: int
    lost_spans: int
    lines: tuple[Line, ...]
    missing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lengths)


def view_of(panel: Panel, record: str, rows: Sequence[str], workshop: Workshop, show_text: bool) -> View:
    """A record of the panel under some of its rows, from stored signals."""
    split, place = panel.places[record]
    tokens = workshop.corpora.tokens(panel.lab, split)[place]
    bare = None
    if panel.undefended is not None:
        bare = advantage_of(panel, panel.undefended, split, place, workshop)
    lines = []
    for spec in rows:
        advantage = advantage_of(panel, spec, split, place, workshop)
        lines.append(Line(visible(spec), advantage, figures_of(advantage, tokens.personal, bare)))
    texts = _texts(tokens)
    return View(
        record=visible(record),
        title=visible(panel.title),
        member=split in panel.lab.members,
        lengths=np.array([len(text) for text in texts], dtype=np.int64),
        pieces=tuple(visible(text) for text in texts) if show_text else None,
        personal=tokens.personal,
        stretches=tuple(_stretches(tokens)),
        spans=len(tokens.spans),
        lost_spans=tokens.lost_spans,
        lines=tuple(lines),
        missing=tuple(visible(spec) for spec in panel.missing),
    )


def advantage_of(panel: Panel, spec: str, split: str, place: int, workshop: Workshop) -> Nats:
    """(T,) nats: how much better a model knows each token of a record than the auditor's reference."""
    known, unseen = (
        workshop.split_of(source.scoring_of(split, place), split)[place].logprobs.astype(np.float64)
        for source in (panel.rows[spec], panel.reference)
    )
    return known - unseen


def figures_of(advantage: Nats, personal: Bools, bare: Nats | None) -> Figures:
    """What the TRA of one record comes to; `bare` is the undefended run's, all (T,)."""
    own = _mean(advantage[personal])
    whole = None if bare is None else _mean(bare[personal])
    return Figures(
        personal=own,
        other=_mean(advantage[~personal]),
        above_1_nat=_mean(advantage[personal] > 1),
        remaining=None if own is None or whole is None or whole < LEAST_MEMORIZED else own / whole,
    )


def _mean(values: Nats | Bools) -> float | None:
    return float(np.mean(values)) if values.size else None


def _texts(tokens: Tokens) -> list[str]:
    """Each token's own characters: one that is spread over several tokens is the first one's."""
    texts, done = [], 0
    for start, end in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        texts.append(tokens.text[max(start, done) : end])
        done = max(done, end)
    return texts


def _stretches(tokens: Tokens) -> Iterator[Stretch]:
    """The record cut where a span begins or ends; where two spans share a token it has both labels."""

    def label(token: int) -> str | None:
        labels = [tokens.spans[n].label for n in holding[token]]
        return visible("+".join(labels)) or (CUT_OFF if tokens.personal[token] else None)

    holding = [
        [n for n, span in enumerate(tokens.spans) if span.start <= token < span.end]
        for token in range(len(tokens))
    ]
    alike = itertools.groupby(range(len(tokens)), lambda token: (holding[token], tokens.personal[token]))
    for _, run in alike:
        first, *rest = run
        yield Stretch(first, (rest or [first])[-1] + 1, label(first))
