"""What the figures of a study allow to say: a sentence for each group, and no more than intervals bear."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import fmean

from bench.differences import Difference, apart, memorization_difference, seeds_difference
from bench.results import Ends
from bench.studies.file import Course, Hardness, Point
from bench.studies.points import Observed
from bench.tables import number, percent

Line = Sequence[Observed]


def sentences(study: str, found: Sequence[Observed], courses: Sequence[Course]) -> list[str]:
    """One for each group and line of the study, in their order."""
    lines = groupby(found, key=lambda one: (one.point.group, one.point.series))
    said = []
    for (group, series), own in lines:
        line, its_courses = list(own), [course for course in courses if course.group == group]
        said.append(f"{group.title}, {series}: {_of_line(study, line, its_courses)}.")
    return said


def of_hardness(found: Sequence[Hardness]) -> list[str]:
    """One for each corpus: whether what is harder to predict is memorized more."""
    return [
        f"{one.group.title}, {one.spec}: a model trained on other records predicts the members' tokens "
        f"at {one.difficulty:.2f} nats, and their mean TRA is {one.tra:.2f}{_ends(one.tra_ci)}. Over records "
        f"the two have a rank correlation of {number(one.rank, 2)}{_ends(one.rank_ci)}. That memorization is "
        f"larger where records are harder to predict is {_judged(one.rank, one.rank_ci)}."
        for one in found
        if one.of == "corpus"
    ]


def _of_line(study: str, line: Line, courses: Sequence[Course]) -> str:
    if study == "dynamics":
        return _dynamics(line, courses)
    if study == "frontier":
        return _frontier(line)
    bounded = [one for one in line if one.point.tra_pii_ci is not None]
    first, *_, last = (one.point for one in (bounded if len(bounded) > 1 else line))
    if study == "size":
        difference = apart(first.tra_pii, first.tra_pii_ci, last.tra_pii, last.tra_pii_ci)
        what, claim = "records", "memorization is larger on small data"
    else:
        difference = apart(last.tra_pii, last.tra_pii_ci, first.tra_pii, first.tra_pii_ci)
        what, claim = "as the learning rate", "memorization is larger at higher learning rates"
    return f"{_from_to(first, last, what)}. {_claim(claim, difference)}"


def _dynamics(line: Line, courses: Sequence[Course]) -> str:
    best = fmean(course.best_epoch for course in courses)
    least, last = min(line, key=lambda one: abs(one.point.value - best)), line[-1]
    if least is last:
        return (
            f"the validation loss was least at the last epoch that was looked at, {last.point.value:g}, "
            "so nothing is seen of what comes after; raise --epochs"
        )
    claim = "memorization keeps growing past the validation minimum"
    return (
        f"the validation loss is least after epoch {best:g}; {_from_to(least.point, last.point, 'epochs')}. "
        f"{_claim(claim, _paired(last, least))}"
    )


def _frontier(line: Line) -> str:
    first, last = line[0], line[-1]
    best = [one.point.value for one in line if not any(_beats(other.point, one.point) for other in line)]
    kept, kept_last = percent(first.point.gain_kept), percent(last.point.gain_kept)
    return (
        f"{_from_to(first.point, last.point)}; gain kept from {kept} to {kept_last}, and what the strongest "
        f"attack gets from {_leak(first.point)} to {_leak(last.point)}. "
        f"{_claim('the last of these leaves less memorized than the first', _paired(first, last))}. "
        f"On the frontier among these are {', '.join(f'{value:g}' for value in best)}"
    )


def _from_to(one: Point, other: Point, what: str = "") -> str:
    return (
        f"from {one.value:g} to {f'{other.value:g} {what}'.strip()}, mean TRA of identifiers goes from "
        f"{_tra(one)} to {_tra(other)} nats, of all other tokens from {number(one.tra_other, 2)} to "
        f"{number(other.tra_other, 2)}, and extraction from {percent(one.extracted, 1)} to "
        f"{percent(other.extracted, 1)} of spans"
    )


def _claim(claim: str, difference: Difference | None) -> str:
    if difference is None:
        return f"That {claim} cannot be judged: there are too few privacy units for an interval"
    ends = (difference.interval.low, difference.interval.high)
    return (
        f"That {claim} is {_judged(difference.estimate, ends)}: {difference.estimate:+.2f} nats{_ends(ends)}"
    )


def _judged(estimate: float | None, ends: Ends | None) -> str:
    if estimate is None or ends is None or ends[0] <= 0 <= ends[1]:
        return "neither shown nor refuted"
    return "shown" if estimate > 0 else "refuted"


def _paired(one: Observed, other: Observed) -> Difference | None:
    return seeds_difference(memorization_difference, one.cells, other.cells)


def _beats(one: Point, other: Point) -> bool:
    """Whether one is at least as good in both, and better in one of them."""
    if None in (one.gain_kept, one.leak, other.gain_kept, other.leak):
        return False
    mine, theirs = ((point.gain_kept or 0.0, -(point.leak or 0.0)) for point in (one, other))
    return mine != theirs and mine[0] >= theirs[0] and mine[1] >= theirs[1]


def _tra(point: Point) -> str:
    return f"{number(point.tra_pii, 2)}{_ends(point.tra_pii_ci)}"


def _leak(point: Point) -> str:
    if point.leak_ci is None:
        return percent(point.leak)
    return f"{percent(point.leak)} ({percent(point.leak_ci[0])} to {percent(point.leak_ci[1])})"


def _ends(ends: Ends | None) -> str:
    return "" if ends is None else f" ({ends[0]:.2f} to {ends[1]:.2f})"
