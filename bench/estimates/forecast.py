"""What all tasks of a run come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from bench.estimates.cost import Cost, Estimator
from bench.estimates.devices import Device
from bench.estimates.timeline import Step, critical_path, time_on
from bench.graph import Judge, Score, Task, Train

KINDS = {Train: "train", Score: "score", Judge: "judge"}


@dataclass(frozen=True)
class Forecast:
    """Tasks with what each of them costs, on devices of one kind.

    Attributes:
        tasks: each after those that it waits for.
        costs: one a task.
        device, utilization: what the costs are for.
        devices: how many there are.
    """

    tasks: tuple[Task, ...]
    costs: tuple[Cost, ...]
    device: Device
    utilization: float
    devices: int

    @cached_property
    def run_models(self) -> list[tuple[Task, Cost]]:
        """The trainings and scorings, which need a device; cells are judged meanwhile."""
        rows = zip(self.tasks, self.costs, strict=True)
        return [(task, cost) for task, cost in rows if not isinstance(task, Judge)]

    @property
    def total(self) -> Cost:
        """Sums, but the greatest memory."""
        costs = [cost for _, cost in self.run_models]
        return Cost(
            tokens=sum(cost.tokens for cost in costs),
            flops=sum(cost.flops for cost in costs),
            memory=max((cost.memory for cost in costs), default=0.0),
            disk=sum(cost.disk for cost in costs),
            seconds=sum(cost.seconds for cost in costs),
        )

    @cached_property
    def critical_path(self) -> list[Task]:
        """The longest chain of trainings and scorings that wait for each other."""
        by_key = {task.key: task for task in self.tasks}
        return [by_key[step.key] for step in critical_path(self._steps)]

    @property
    def least_seconds(self) -> float:
        """How long it takes on unlimited devices: as long as the critical path."""
        return sum(step.seconds for step in critical_path(self._steps))

    @property
    def seconds(self) -> float:
        """How long it takes on the devices that there are."""
        return time_on(self._steps, self.devices)

    def fits(self, cost: Cost) -> bool:
        """Whether a task finds enough memory, as far as that is known."""
        return self.device.memory is None or cost.memory <= self.device.memory

    @property
    def _steps(self) -> list[Step]:
        return [Step(task.key, task.needs, cost.seconds) for task, cost in self.run_models]

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values, in FLOPs, bytes and seconds."""
        return {
            "device": asdict(self.device) | {"utilization": self.utilization, "count": self.devices},
            "tasks": [
                {"kind": KINDS[type(task)], "key": task.key, "title": task.title, "needs": list(task.needs)}
                | asdict(cost)
                | {"fits": self.fits(cost)}
                for task, cost in zip(self.tasks, self.costs, strict=True)
            ],
            "total": asdict(self.total),
            "critical_path": {
                "tasks": [task.key for task in self.critical_path],
                "seconds": self.least_seconds,
            },
            "seconds": self.seconds,
        }


def make_forecast(tasks: Iterable[Task], estimator: Estimator, devices: int = 1) -> Forecast:
    """Estimate every task.

    Raises:
        InputError: a model's configuration is none that can be planned for.
    """
    planned: Sequence[Task] = tuple(tasks)
    costs = tuple(estimator.cost(task) for task in planned)
    return Forecast(tuple(planned), costs, estimator.device, estimator.utilization, devices)
