"""Whether the machines of a cluster see the run's folder, as over a network file system."""

from __future__ import annotations

import os
import platform
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from bench.store import Store

PATIENCE = 120.0
"""Seconds that machines have to say whether they see a folder."""


@dataclass(frozen=True)
class Mark:
    """A file in the run's folder, by which another machine tells whether it sees the same folder."""

    path: Path
    content: str

    @property
    def is_seen(self) -> bool:
        """Whether it is here, with the content that it was given."""
        try:
            return self.path.read_text(encoding="utf-8") == self.content
        except (OSError, ValueError):
            return False


@contextmanager
def marked(store: Store) -> Iterator[Mark]:
    """A store's folder has a mark in it; what a killed run leaves of it, the next one sweeps."""
    content = secrets.token_hex(16)
    mark = Mark(store.root.resolve() / f".{os.getpid()}-{content}-{platform.node()}.tmp", content)
    store.save_text(mark.path, content)
    try:
        yield mark
    finally:
        mark.path.unlink(missing_ok=True)


def is_seen_by_all(mark: Mark) -> bool:
    """Whether every machine that takes tasks sees the folder with this mark."""
    look: Any = ray.remote(num_cpus=0)(_sees)
    nodes: Any = ray.nodes()  # type: ignore[no-untyped-call]
    machines = [node for node in nodes if node["Alive"] and node["Resources"].get("CPU")]
    looks = [
        look.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
            mark
        )
        for node in machines
    ]
    try:
        return bool(looks) and all(ray.get(looks, timeout=PATIENCE))
    except RayError:
        return False


def _sees(mark: Mark) -> bool:
    return mark.is_seen
