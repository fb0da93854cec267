"""How hard records are to predict, and how much of them is memorized: by corpus, by quarter, by label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, spearmanr

from bench.comparisons import over_seeds
from bench.plan import Plan
from bench.results import Ends
from bench.statistics import LEAST_UNITS, Interval, mean_interval
from bench.studies.file import Group, Hardness, HardnessOf
from bench.tasks import Cell, Source
from bench.tokens import Tokens
from bench.workshop import Workshop

Floats = NDArray[np.float64]

QUARTERS = ("easiest quarter", "second quarter", "third quarter", "hardest quarter")
REST = "no identifier"
RESAMPLES = 1000


@dataclass(frozen=True)
class Read:
    """A member, and of each of its tokens the loss of an outsider's model and its TRA: (T,) nats each."""

    tokens: Tokens
    loss: Floats
    tra: Floats


def hardness_of(plan: Plan, workshop: Workshop, outsider: str) -> list[Hardness]:
    """Every defense of a plan whose signals are stored, over all seeds.

    Args:
        outsider: the source that says how hard a token is: a model that has seen no member's record, nor
            any that the reference of TRA has, so that the two figures do not move together by themselves.
    """
    by_seed: dict[tuple[Group, str], list[list[Hardness]]] = defaultdict(list)
    for cell in _cells(plan, outsider):
        group = Group(
            dataset=cell.lab.dataset,
            model=cell.lab.model,
            tuning=cell.lab.settings.tuning,
            protocol=cell.lab.settings.protocol,
        )
        by_seed[group, cell.spec].append(_of_members(group, cell.spec, _members(cell, workshop, outsider)))
    return [_over_seeds(one) for seeds in by_seed.values() for one in zip(*seeds, strict=True)]


def _cells(plan: Plan, outsider: str) -> Iterator[Cell]:
    """One cell for each defense and seed, with all sources that are read."""
    sources: dict[tuple[str, str, int, str], Cell] = {}
    for cell in plan.cells:
        key = (cell.lab.dataset, cell.lab.model, cell.lab.seed, cell.spec)
        known = sources.get(key)
        if cell.defense is not None:
            sources[key] = (
                cell
                if known is None
                else Cell(cell.lab, cell.row, cell.defense, cell.attack, known.sources | cell.sources)
            )
    yield from (cell for cell in sources.values() if {"complement", outsider} <= cell.sources.keys())


def _members(cell: Cell, workshop: Workshop, outsider: str) -> list[Read]:
    def logprobs(source: Source, split: str, place: int) -> Floats:
        said = workshop.split_of(source.scoring_of(split, place), split)[place]
        return said.logprobs.astype(np.float64)

    return [
        Read(
            row,
            -logprobs(cell.sources[outsider], split, place),
            logprobs(cell.sources["target"], split, place)
            - logprobs(cell.sources["complement"], split, place),
        )
        for split in cell.lab.members
        for place, row in enumerate(workshop.corpora.tokens(cell.lab, split))
        if len(row)
    ]


def _of_members(group: Group, spec: str, members: Sequence[Read]) -> list[Hardness]:
    def hardness(of: HardnessOf, name: str, chosen: Sequence[Read]) -> Hardness:
        values = np.concatenate([read.tra for read in chosen])
        units = [read.tokens.unit for read in chosen for _ in read.tra]
        interval = mean_interval(values, units)
        return Hardness(
            group=group,
            spec=spec,
            of=of,
            name=name,
            n_tokens=len(values),
            difficulty=float(np.concatenate([read.loss for read in chosen]).mean()),
            tra=float(values.mean()),
            tra_ci=None if interval is None else (interval.low, interval.high),
        )

    rank, ends = rank_correlation(
        [read.loss.mean() for read in members],
        [read.tra.mean() for read in members],
        [read.tokens.unit for read in members],
    )
    whole = hardness("corpus", group.dataset, members).model_copy(update={"rank": rank, "rank_ci": ends})
    harder = sorted(members, key=lambda read: float(read.loss.mean()))
    quarters = [harder[len(harder) * at // 4 : len(harder) * (at + 1) // 4] for at in range(4)]
    return [
        whole,
        *(hardness("quarter", name, own) for name, own in zip(QUARTERS, quarters, strict=True) if own),
        *(hardness("label", label, own) for label, own in sorted(_by_label(members).items())),
    ]


def _by_label(members: Sequence[Read]) -> dict[str, list[Read]]:
    """The tokens of each label's spans, and those of none."""
    found: dict[str, list[Read]] = defaultdict(list)
    for read in members:
        for span in read.tokens.spans:
            own = slice(span.start, span.end)
            found[span.label].append(Read(read.tokens, read.loss[own], read.tra[own]))
        rest = ~read.tokens.personal
        found[REST].append(Read(read.tokens, read.loss[rest], read.tra[rest]))
    return {label: own for label, own in found.items() if sum(len(read.tra) for read in own)}


def rank_correlation(
    difficulty: Sequence[float], tra: Sequence[float], units: Sequence[str]
) -> tuple[float | None, Ends | None]:
    """Spearman's rank correlation over units, and its BCa bootstrap interval (95 %).

    Args:
        difficulty, tra: (n,), of each record; a unit's is the mean of its records.

    Returns:
        neither with fewer than `LEAST_UNITS`, or where all units are alike in one of the two.
    """
    names = sorted(set(units))
    if len(names) < LEAST_UNITS:
        return None, None
    of_unit = np.array(units)
    hard, known = (
        np.array([np.array(values)[of_unit == name].mean() for name in names]) for values in (difficulty, tra)
    )
    if np.ptp(hard) == 0 or np.ptp(known) == 0:
        return None, None
    correlation: Any = bootstrap(
        (hard, known),
        _spearman,
        paired=True,
        vectorized=False,
        n_resamples=RESAMPLES,
        rng=np.random.default_rng(0),
    )
    ends = correlation.confidence_interval
    return _spearman(hard, known), (float(ends.low), float(ends.high))


def _spearman(one: Floats, other: Floats) -> float:
    return float(spearmanr(one, other).statistic)


def _over_seeds(found: Sequence[Hardness]) -> Hardness:
    """The mean over seeds, and the interval that covers their spread too."""
    if len(found) == 1:
        return found[0]
    return found[0].model_copy(
        update={
            "difficulty": fmean(one.difficulty for one in found),
            "tra": fmean(one.tra for one in found),
            "tra_ci": _ends([one.tra for one in found], [one.tra_ci for one in found]),
            "rank": None if None in [one.rank for one in found] else fmean(one.rank or 0.0 for one in found),
            "rank_ci": _ends([one.rank or 0.0 for one in found], [one.rank_ci for one in found], (-1.0, 1.0)),
        }
    )


def _ends(estimates: Sequence[float], ends: Sequence[Ends | None], bounds: Ends | None = None) -> Ends | None:
    known = [Interval(*one) for one in ends if one is not None]
    interval = over_seeds(estimates, known, bounds=bounds) if len(known) == len(ends) else None
    return None if interval is None else (interval.low, interval.high)
