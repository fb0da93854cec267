"""When tasks that wait for each other end, on as many devices as there are."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One task in time.

    Attributes:
        key: what others call it.
        needs: the keys of those that it waits for; others than those planned are done.
        seconds: how long it takes on one device.
    """

    key: str
    needs: tuple[str, ...]
    seconds: float


def critical_path(steps: Sequence[Step]) -> list[Step]:
    """The longest chain of steps that wait for each other: how long it takes on unlimited devices.

    Args:
        steps: each after those that it waits for.
    """
    ends: dict[str, float] = {}
    chains: dict[str, list[Step]] = {}
    for step in steps:
        last = max((need for need in step.needs if need in ends), key=ends.__getitem__, default=None)
        ends[step.key] = step.seconds + (0.0 if last is None else ends[last])
        chains[step.key] = [*([] if last is None else chains[last]), step]
    return chains[max(ends, key=ends.__getitem__)] if ends else []


def time_on(steps: Sequence[Step], devices: int) -> float:
    """Seconds until all steps are done, where a free device takes the first that waits for nothing.

    List scheduling (Graham 1969): at most twice what the best plan would take.

    Args:
        steps: each after those that it waits for.
        devices: one or more, all alike.
    """
    planned, done = {step.key for step in steps}, set[str]()
    waiting, running, now = list(steps), list[tuple[float, str]](), 0.0
    while waiting or running:
        ready = [step for step in waiting if all(n in done or n not in planned for n in step.needs)]
        for step in ready[: devices - len(running)]:
            heapq.heappush(running, (now + step.seconds, step.key))
            waiting.remove(step)
        now, key = heapq.heappop(running)
        done.add(key)
    return now
