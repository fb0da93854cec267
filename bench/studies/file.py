"""The file of a study: what was looked at, the figures, and the sentences that they allow."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bench.attack import Knowledge
from bench.results.parts import Ends, Name, Protocol, Result, Share

HardnessOf = Literal["corpus", "quarter", "label"]
"""Which of the members' tokens: all, those of the records that are so hard, those of one label's spans."""


class Group(Result):
    """What is compared within itself alone: one dataset, one model, one way of tuning it."""

    dataset: Name
    model: Name
    tuning: Name
    protocol: Protocol

    @property
    def title(self) -> str:
        """In words."""
        return f"{self.dataset} · {self.model}" + ("" if self.protocol == "half" else f" · {self.protocol}")


class Point(Result):
    """One row of the leaderboard at one place of the axis, or beside it (`value` is null).

    TRA in nats; `extracted` is of spans whose value does not stand before them; `leak` is what the
    strongest attack gets for an adversary of the study's level, chosen on other records; `flags` are
    the leaderboard's.
    """

    group: Group
    series: Name
    spec: Name
    value: float | None
    members: int
    seeds: tuple[int, ...]
    nll: float
    reference_nll: float | None
    gain_kept: float | None
    tra_pii: float | None
    tra_pii_ci: Ends | None
    tra_other: float | None
    share_above_1_nat: Share | None
    extracted: Share | None
    extracted_ci: Ends | None
    extracted_floor: Share | None
    leak: Share | None
    leak_ci: Ends | None
    leak_attack: str | None
    flags: tuple[str, ...]


class Course(Result):
    """How the undefended run's validation loss went, in nats by epoch, and where it was least."""

    group: Group
    seed: int
    validation_nll: tuple[float, ...]
    best_epoch: int


class Hardness(Result):
    """How hard some members' tokens are to predict, and how much the model memorized of them.

    `difficulty` is the mean loss in nats of a model that has seen neither these records nor the
    reference's. `rank` correlates the two over the members' privacy units (Spearman), and
    `rank_nonmembers` over those of the holdout, of which nothing can be memorized.
    """

    group: Group
    spec: Name
    of: HardnessOf
    name: Name
    n_tokens: int
    difficulty: float
    tra: float
    tra_ci: Ends | None
    rank: float | None = None
    rank_ci: Ends | None = None
    rank_nonmembers: float | None = None
    rank_nonmembers_ci: Ends | None = None


class StudyFile(Result):
    """A study: everything that its page shows.

    `settings` are those that all its runs share; `rows` and `attacks` are what was run.
    """

    schema_: Literal["trap-bench-study/1"] = Field("trap-bench-study/1", alias="schema")
    study: Name
    axis: Name
    level: Knowledge
    code: Name
    settings: dict[str, Any]
    rows: tuple[Name, ...]
    attacks: tuple[Name, ...]
    points: tuple[Point, ...] = ()
    courses: tuple[Course, ...] = ()
    hardness: tuple[Hardness, ...] = ()
    sentences: tuple[str, ...]

    @property
    def groups(self) -> tuple[Group, ...]:
        """What is compared within itself alone, each once."""
        found = [*(point.group for point in self.points), *(one.group for one in self.hardness)]
        return tuple(dict.fromkeys(found))

    @property
    def title(self) -> str:
        """What its files are called: of a frontier also what it is the frontier of."""
        if self.study != "frontier" or not self.points:
            return self.study
        return f"frontier-{self.points[0].series.partition(':')[0]}-{self.axis}"
