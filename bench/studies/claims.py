"""What the figures of a study allow to say: a sentence for each group, and no more than intervals bear."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from bench.differences import Difference, apart, memorization_difference, seeds_difference
from bench.ranking import beats
from bench.results import Ends
from bench.studies.file import Course, Hardness, Point
from bench.studies.points import Observed
from bench.tables import number, percent

Line = Sequence[Observed]


def sentences(study: str, found: Sequence[Observed], courses: Sequence[Course]) -> list[str]:
    """One for each group and line of the study, in their order."""
    placed = [one for one in found if one.point.value is not None]
    said = []
    for (group, series), own in groupby(placed, key=lambda one: (one.point.group, one.point.series)):
        line, its_courses = list(own), [course for course in courses if course.group == group]
        said.append(f"{group.title}, {series}: {_of_line(study, line, its_courses)}.")
    return said


def of_hardness(found: Sequence[Hardness]) -> list[str]:
    """One for each corpus: whether what is harder to predict is memorized more."""
    claim = "memorization is larger where records are harder to predict"
    return [
        f"{one.group.title}, {one.spec}: a model trained on other records predicts the members' tokens "
        f"at {one.difficulty:.2f} nats, and their mean TRA is {one.tra:.2f}{_ends(one.tra_ci)}. Over people, "
        f"the two have a rank correlation of {number(one.rank, 2)}{_ends(one.rank_ci)} among members, and "
        f"of {number(one.rank_nonmembers, 2)}{_ends(one.rank_nonmembers_ci)} among non-members, of whom "
        f"nothing is memorized. {_claim(claim, _of_ranks(one), '')}."
        for one in found
        if one.of == "corpus"
    ]


def _of_ranks(one: Hardness) -> Difference | None:
    return apart(one.rank, one.rank_ci, one.rank_nonmembers, one.rank_nonmembers_ci)


def _of_line(study: str, line: Line, courses: Sequence[Course]) -> str:
    if study == "dynamics":
        return _dynamics(line, courses)
    if study == "frontier":
        return _frontier(line)
    bounded = [one for one in line if one.point.tra_pii_ci is not None]
    line = bounded if len(bounded) > 1 else line
    if len(line) < 2:
        return "there is one place on the axis, and nothing to compare it with"
    first, last = line[0], line[-1]
    if study == "size":
        one, other = first.point, last.point
        difference = apart(one.tra_pii, one.tra_pii_ci, other.tra_pii, other.tra_pii_ci)
        claim = "memorization is larger on small data"
        return f"{_from_to(one, other, 'records')}. {_claim(claim, difference)}"
    what = "as the learning rate, each against references trained at the same rate"
    claim = "memorization is larger at higher learning rates"
    return f"{_from_to(first.point, last.point, what)}. {_claim(claim, _paired(last, first))}"


def _dynamics(line: Line, courses: Sequence[Course]) -> str:
    """From the first place at or past every seed's validation minimum to the last."""
    bests = sorted({course.best_epoch for course in courses})
    least = f"epoch {bests[0]}" if len(bests) == 1 else f"epochs {bests[0]} to {bests[-1]}, by seed"
    past = [one for one in line if (one.point.value or 0.0) >= bests[-1]]
    if len(past) < 2:
        return (
            f"the validation loss is least after {least}, and there are not two places at or past it; "
            "raise --epochs, or look at others by --vary"
        )
    claim = "memorization keeps growing past the validation minimum"
    return (
        f"the validation loss is least after {least}; {_from_to(past[0].point, past[-1].point, 'epochs')}. "
        f"{_claim(claim, _paired(past[-1], past[0]))}"
    )


def _frontier(line: Line) -> str:
    if len(line) < 2:
        return "there is one place on the axis, and nothing to compare it with"
    first, last = line[0], line[-1]
    kept, kept_last = percent(first.point.gain_kept), percent(last.point.gain_kept)
    told = (
        f"{_from_to(first.point, last.point)}; gain kept from {kept} to {kept_last}, and what the strongest "
        f"attack gets from {_leak(first.point)} to {_leak(last.point)}. "
        f"{_claim('the last of these leaves less memorized than the first', _paired(first, last))}"
    )
    known = [
        (one.point.value, (one.point.gain_kept, one.point.leak))
        for one in line
        if one.point.gain_kept is not None and one.point.leak is not None
    ]
    best = [value for value, own in known if not any(beats(other, own) for _, other in known)]
    if not best:
        return f"{told}. Which of them are on the frontier cannot be told: gain or leak is n/a"
    return (
        f"{told}. By estimates alone, those on the frontier are {', '.join(f'{value:g}' for value in best)}"
    )


def _from_to(one: Point, other: Point, what: str = "") -> str:
    return (
        f"from {one.value:g} to {f'{other.value:g} {what}'.strip()}, mean TRA of identifiers goes from "
        f"{_tra(one)} to {_tra(other)} nats, of all other tokens from {number(one.tra_other, 2)} to "
        f"{number(other.tra_other, 2)}, and extraction from {percent(one.extracted, 1)} to "
        f"{percent(other.extracted, 1)} of spans"
    )


def _claim(claim: str, difference: Difference | None, unit: str = " nats") -> str:
    if difference is None:
        return f"That {claim} cannot be judged: a figure or its interval is lacking"
    low, high = difference.interval.low, difference.interval.high
    verdict = "shown" if low > 0 else "refuted" if high < 0 else "neither shown nor refuted"
    return f"That {claim} is {verdict}: {difference.estimate:+.2f}{unit}{_ends((low, high))}"


def _paired(one: Observed, other: Observed) -> Difference | None:
    return seeds_difference(memorization_difference, one.cells, other.cells)


def _tra(point: Point) -> str:
    return f"{number(point.tra_pii, 2)}{_ends(point.tra_pii_ci)}"


def _leak(point: Point) -> str:
    if point.leak_ci is None:
        return percent(point.leak)
    return f"{percent(point.leak)} ({percent(point.leak_ci[0])} to {percent(point.leak_ci[1])})"


def _ends(ends: Ends | None) -> str:
    return "" if ends is None else f" ({ends[0]:.2f} to {ends[1]:.2f})"
