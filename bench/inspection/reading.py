"""From a run's stored signals to a view of one record; runs no model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from bench.inspection.panels import Panel
from bench.inspection.view import Figures, Line, Nats, Stretch, View
from bench.inspection.visible import visible
from bench.leaderboard import LEAST_MEMORIZED
from bench.tokens import Bools, Tokens
from bench.workshop import Workshop

CUT_OFF = "cut off"
"""In place of a label: of tokens of a span that goes on beyond those that are kept."""


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
