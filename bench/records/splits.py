"""Splits: who is a member, who is not, and who only helps; seeded, by group and near-duplicate cluster."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from bench.errors import InputError
from bench.records.duplicates import near_duplicates
from bench.records.record import Record

SPLITS = ("target", "complement", "population", "validation", "holdout")


class Shares(BaseModel):
    """The share of records in each split."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: float = Field(0.30, gt=0, lt=1)
    complement: float = Field(0.30, gt=0, lt=1)
    population: float = Field(0.15, gt=0, lt=1)
    validation: float = Field(0.075, gt=0, lt=1)
    holdout: float = Field(0.175, gt=0, lt=1)

    @model_validator(mode="after")
    def _sum_to_one(self) -> "Shares":
        total = sum(self.model_dump().values())
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the five shares must sum to 1, not {total:g}")
        return self


def split(records: Sequence[Record], shares: Shares, seed: int) -> dict[str, list[Record]]:
    """Assign whole clusters (records that share a group or nearly their text) to splits.

    Clusters come in seeded order, each to the split that is furthest below its share.

    Raises:
        InputError: there are too few clusters for every split to get one.
    """
    clusters = _clusters(records)
    if len(clusters) < len(SPLITS):
        raise InputError(
            f"{len(records)} records in {len(clusters)} groups are too few, near-duplicates being of one: "
            f"the {len(SPLITS)} splits need at least one group each"
        )
    wanted = {name: share * len(records) for name, share in shares.model_dump().items()}
    parts: dict[str, list[int]] = {name: [] for name in SPLITS}
    for index in np.random.default_rng(seed).permutation(len(clusters)):
        emptiest = min(SPLITS, key=lambda name: len(parts[name]) / wanted[name])
        parts[emptiest].extend(clusters[index])
    return {name: [records[index] for index in sorted(part)] for name, part in parts.items()}


def _clusters(records: Sequence[Record]) -> list[list[int]]:
    """Connected components of "same group" and "near-duplicate", in order of their first record."""
    parent = list(range(len(records)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    by_unit: dict[str, int] = {}
    for index, record in enumerate(records):
        parent[root(index)] = root(by_unit.setdefault(record.unit, index))
    for one, other in near_duplicates([record.text for record in records]):
        parent[root(one)] = root(other)
    clusters: dict[int, list[int]] = defaultdict(list)
    for index in range(len(records)):
        clusters[root(index)].append(index)
    return list(clusters.values())
