"""How hard records are to predict, and how much of them is memorized: by corpus, by quarter, by label."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
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
from bench.tasks import Lab, Scoring, Source
from bench.tokens import Tokens
from bench.workshop import Workshop

Floats = NDArray[np.float64]

QUARTERS = ("easiest quarter", "second quarter", "third quarter", "hardest quarter")
REST = "no identifier"
RESAMPLES = 1000


@dataclass(frozen=True)
class Read:
    """A record, and of each of its tokens the loss of an outsider's model and its TRA: (T,) nats each."""

    tokens: Tokens
    loss: Floats
    tra: Floats


@dataclass(frozen=True)
class Judged:
    """A defense under one seed, and whose word is taken on its records, by source."""

    lab: Lab
    spec: str
    sources: dict[str, Source]

    @property
    def group(self) -> Group:
        """What it is compared within."""
        settings = self.lab.settings
        return Group(
            dataset=self.lab.dataset,
            model=self.lab.model,
            tuning=settings.tuning,
            protocol=settings.protocol,
        )

    @property
    def scorings(self) -> list[Scoring]:
        """All that is read."""
        return [scoring for source in self.sources.values() for scoring in source.scorings]


def judged(plan: Plan, outsider: str) -> list[Judged]:
    """Every defense of a plan and every seed, with the three sources that are read.

    Args:
        outsider: the source that says how hard a token is: a model that has seen no member's record, nor
            any that the reference of TRA has.
    """
    wanted = {"target", "complement", outsider}
    found: dict[tuple[str, str, int, str], Judged] = {}
    for cell in plan.cells:
        key = (cell.lab.dataset, cell.lab.model, cell.lab.seed, cell.spec)
        if cell.defense is not None:
            known = found[key].sources if key in found else {}
            read = {name: source for name, source in cell.sources.items() if name in wanted}
            found[key] = Judged(cell.lab, cell.spec, known | read)
    return [one for one in found.values() if wanted == one.sources.keys()]


def hardness_of(judged: Sequence[Judged], workshop: Workshop, outsider: str) -> list[Hardness]:
    """Each defense over all its seeds; all signals that are read must be stored."""
    by_seed: dict[tuple[Group, str], list[list[Hardness]]] = defaultdict(list)
    for one in judged:
        members = _read(one, one.lab.members, workshop, outsider)
        nonmembers = _read(one, ("holdout",), workshop, outsider)
        by_seed[one.group, one.spec].append(_of_seed(one, members, nonmembers))
    return [_over_seeds(one) for seeds in by_seed.values() for one in zip(*seeds, strict=True)]


def _read(one: Judged, splits: Sequence[str], workshop: Workshop, outsider: str) -> list[Read]:
    def logprobs(source: str, split: str, place: int) -> Floats:
        scoring = one.sources[source].scoring_of(split, place)
        return workshop.split_of(scoring, split)[place].logprobs.astype(np.float64)

    return [
        Read(
            row,
            -logprobs(outsider, split, place),
            logprobs("target", split, place) - logprobs("complement", split, place),
        )
        for split in splits
        for place, row in enumerate(workshop.corpora.tokens(one.lab, split))
        if len(row)
    ]


def _of_seed(judged: Judged, members: Sequence[Read], nonmembers: Sequence[Read]) -> list[Hardness]:
    rank, rank_ci = _ranked(members)
    rank_nonmembers, rank_nonmembers_ci = _ranked(nonmembers)

    def hardness(of: HardnessOf, name: str, chosen: Sequence[Read], **ranks: Any) -> Hardness:
        values = np.concatenate([read.tra for read in chosen])
        units = [read.tokens.unit for read in chosen for _ in read.tra]
        interval = mean_interval(values, units)
        return Hardness(
            group=judged.group,
            spec=judged.spec,
            of=of,
            name=name,
            n_tokens=len(values),
            difficulty=float(np.concatenate([read.loss for read in chosen]).mean()),
            tra=float(values.mean()),
            tra_ci=None if interval is None else (interval.low, interval.high),
            **ranks,
        )

    whole = hardness(
        "corpus",
        judged.lab.dataset,
        members,
        rank=rank,
        rank_ci=rank_ci,
        rank_nonmembers=rank_nonmembers,
        rank_nonmembers_ci=rank_nonmembers_ci,
    )
    harder = sorted(members, key=lambda read: float(read.loss.mean()))
    quarters = [harder[len(harder) * at // 4 : len(harder) * (at + 1) // 4] for at in range(4)]
    return [
        whole,
        *(hardness("quarter", name, own) for name, own in zip(QUARTERS, quarters, strict=True) if own),
        *(hardness("label", label, own) for label, own in sorted(_by_label(members).items())),
    ]


def _ranked(records: Sequence[Read]) -> tuple[float | None, Ends | None]:
    return rank_correlation(
        [float(read.loss.mean()) for read in records],
        [float(read.tra.mean()) for read in records],
        [read.tokens.unit for read in records],
    )


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
        neither with fewer than `LEAST_UNITS`, or where all units are alike in one of the two; no interval
        where resamples do not spread.
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        correlation: Any = bootstrap(
            (hard, known),
            _spearman,
            paired=True,
            vectorized=False,
            n_resamples=RESAMPLES,
            rng=np.random.default_rng(0),
        )
    ends = correlation.confidence_interval
    if not np.isfinite([ends.low, ends.high]).all():
        return _spearman(hard, known), None
    return _spearman(hard, known), (float(ends.low), float(ends.high))


def _spearman(one: Floats, other: Floats) -> float:
    return float(spearmanr(one, other).statistic)


def _over_seeds(found: Sequence[Hardness]) -> Hardness:
    """The mean over seeds, and the interval that covers their spread too."""
    first = found[0]
    if len(found) == 1:
        return first
    changed: dict[str, Any] = {
        "n_tokens": round(fmean(one.n_tokens for one in found)),
        "difficulty": fmean(one.difficulty for one in found),
    }
    for name, bounds in (("tra", None), ("rank", (-1.0, 1.0)), ("rank_nonmembers", (-1.0, 1.0))):
        values = [getattr(one, name) for one in found]
        ends = [getattr(one, f"{name}_ci") for one in found]
        known = None not in values
        changed[name] = fmean(values) if known else None
        changed[f"{name}_ci"] = _ends(values, ends, bounds) if known and None not in ends else None
    return Hardness.model_validate(first.model_dump() | changed)


def _ends(estimates: Sequence[float], ends: Sequence[Ends], bounds: Ends | None) -> Ends | None:
    interval = over_seeds(estimates, [Interval(*one) for one in ends], bounds=bounds)
    return None if interval is None else (interval.low, interval.high)
