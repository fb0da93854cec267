"""Controls whose outcome is known: what must be caught is caught, and what must look like chance does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.errors import RunError
from bench.evaluation import attack_results
from bench.experiment import Settings, settings_from
from bench.plan import make_labs, make_plan
from bench.publishing import stored_cells
from bench.records.record import Record, Span
from bench.registry import attacks, defenses
from bench.results import Audited, CellFile, MembershipEvidence
from bench.runner import Runner
from bench.statistics import Interval, auc_interval
from bench.store import Store
from bench.tasks import Lab
from bench.workshop import Watcher

SECRET = "QX7-VBK-93M"
COPIED = f"Access code {SECRET}. I repeat, the access code is {SECRET}. "


@dataclass(frozen=True)
class Control:
    """One control: what was tried, whether it came out as it must, and the figures."""

    name: str
    passed: bool
    figures: str


def controls(folder: Path, watcher: Watcher) -> Iterator[Control]:
    """Train the embedded model far past its optimum on a few synthetic records, and attack it.

    Args:
        folder: where models and signals go.
    """
    settings = settings_from(
        {
            "dataset": "synthetic-clinical",
            "limit": 100,
            "defense": [name for name in defenses().names() if defenses().parse(name).undefended],
            "max_length": 96,
            "epochs": 15,
            "shares": {
                "target": 0.3,
                "complement": 0.25,
                "population": 0.1,
                "validation": 0.05,
                "holdout": 0.3,
            },
            "out": folder,
        }
    )
    store = Store(folder)
    plan = make_plan(settings, [_planted(settings)])
    if failed := Runner(store, watcher).run(plan):
        raise RunError("; ".join(f"{cell}: {why}" for cell, why in failed.items()))
    cells = stored_cells(store)
    adaptive = {name for name in attacks().names() if attacks().parse(name).adaptive}
    for cell in cells:
        if cell.undefended and cell.attack not in adaptive:
            yield _caught(cell)
    untrained = [cell for cell in cells if cell.defense == "base"]
    yield from (_chance(cell, 1 - 0.05 / len(untrained)) for cell in untrained)
    yield from (_mirrored(cell) for cell in cells if cell.undefended and cell.results[0].auc is not None)
    yield from _secret([cell for cell in cells if cell.undefended])
    blind = cells[0].blind
    yield Control(
        "text alone does not tell members from non-members", not blind.shifted, f"AUC {blind.auc:.2f}"
    )


def _planted(settings: Settings) -> Lab:
    """The lab with a secret in one member, said once and then copied."""
    (lab,) = make_labs(settings)
    member, *others = lab.splits["target"]
    first, second = COPIED.index(SECRET), COPIED.rindex(SECRET)
    spans = tuple(Span(start, start + len(SECRET), "SECRET") for start in (first, second))
    moved = tuple(Span(s.start + len(COPIED), s.end + len(COPIED), s.label) for s in member.spans)
    told = Record(member.id, COPIED + member.text, spans + moved, member.group)
    return replace(lab, splits=lab.splits | {"target": [told, *others]})


def _caught(cell: CellFile) -> Control:
    name = f"an overfit model is caught by {cell.attack_spec}"
    result = cell.results[0]
    if result.extraction is not None:
        ends = result.extraction.not_in_prefix.above_reference_ci
        rate = result.extraction.not_in_prefix.rate or 0.0
        return Control(name, ends is not None and ends[0] > 0, f"{rate:.0%} of spans")
    ends = result.auc_ci
    return Control(name, ends is not None and ends[0] > 0.5, f"AUC {result.auc or 0:.2f}")


def _chance(cell: CellFile, level: float) -> Control:
    """At a level that leaves all attacks together one chance in 20 of a false alarm."""
    name = f"the base model looks like chance to {cell.attack_spec}"
    result = cell.results[0]
    if not isinstance(cell.evidence, MembershipEvidence):
        rates = result.extraction.not_in_prefix if result.extraction else None
        above = (rates.above_reference if rates else None) or 0.0
        ends = rates.above_reference_ci if rates else None
        return Control(name, above <= 0 or bool(ends and ends[0] <= 0), f"{above:+.1%} against the reference")
    interval = _auc_interval(cell.evidence, cell.audited, level)
    inside = result.auc == 0.5 or (interval is not None and interval.low <= 0.5 <= interval.high)
    sure = f" ({level:.1%} interval {interval.low:.2f} to {interval.high:.2f})" if interval else ""
    return Control(name, inside, f"AUC {result.auc or 0:.2f}{sure}")


def _auc_interval(evidence: MembershipEvidence, audited: Audited, level: float) -> Interval | None:
    sides = [
        [
            (score, unit)
            for score, unit, member in zip(evidence.records, audited.units, audited.member, strict=True)
            if member is side and score is not None
        ]
        for side in (True, False)
    ]
    if not all(sides):
        return None
    (ahead, its_units), (behind, their_units) = (zip(*side, strict=True) for side in sides)
    return auc_interval(ahead, behind, its_units, their_units, level=level)


def _mirrored(cell: CellFile) -> Control:
    swapped = cell.audited.model_copy(update={"member": tuple(not member for member in cell.audited.member)})
    one, other = (attack_results(cell.evidence, audited)[0].auc for audited in (cell.audited, swapped))
    mirrored = one is not None and other is not None and abs(one + other - 1) < 1e-9
    name = f"swapping members and non-members mirrors the AUC of {cell.attack_spec}"
    return Control(name, mirrored, f"{one:.3f} and {other:.3f}")


def _secret(cells: Sequence[CellFile]) -> Iterator[Control]:
    for cell in cells:
        extraction = cell.results[0].extraction
        if extraction is None or "SECRET" not in getattr(cell.evidence, "labels", ()):
            continue
        evidence = cell.evidence
        label = evidence.labels.index("SECRET")  # type: ignore[union-attr]
        places = [place for place, one in enumerate(evidence.label) if one == label]  # type: ignore[union-attr]
        first, second = (evidence.rate[place] for place in places)  # type: ignore[union-attr]
        yield Control(f"a planted secret is extracted by {cell.attack_spec}", first == 1, f"chance {first}")
        copied = [evidence.in_prefix[place] for place in places]  # type: ignore[union-attr]
        counted = f"extracted with chance {second}, not counted among what stands in no prefix"
        yield Control("a copied secret is not counted as memorized", copied == [False, True], counted)
