"""Carries out tasks on a Ray cluster, each as soon as what it needs is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import OutOfMemoryError, RayError, WorkerCrashedError

from bench import processes
from bench.cluster import RETRIES
from bench.cluster.connection import cluster, has_gpus
from bench.cluster.files import read_by, written_by
from bench.cluster.job import Job
from bench.cluster.messages import reports_told
from bench.cluster.process import Outcome, work
from bench.cluster.sameness import lab_of
from bench.cluster.sharing import is_seen_by_all, marked
from bench.errors import InputError
from bench.graph import Judge, Task
from bench.runner import Runner
from bench.worker import line_of


@dataclass
class RayRunner(Runner):
    """Carries out tasks on a Ray cluster.

    Attributes:
        shared: whether all machines see the run's folder; `None` asks them.
    """

    shared: bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if processes.count() > 1:
            raise InputError("--executor ray starts processes by itself; leave the launcher out")

    def carry_out(self, tasks: Sequence[Task]) -> dict[str, str]:
        """Do each task whose needs could be met, as many at a time as the cluster has devices for.

        Returns:
            by the key of each task that failed, or waits for one that did, why.
        """
        if not tasks:
            return {}
        with (
            reports_told(self.watcher.say),
            cluster(self.settings.address),
            marked(self.store) as mark,
        ):
            shared = is_seen_by_all(mark) if self.shared is None else self.shared
            if not shared:
                folder = self.store.root.resolve()
                self.watcher.say(f"not every machine sees {folder}; what they make is sent here")
            job = Job.of(tasks, self.settings, mark if shared else None)
            errands = _Errands(self, tasks, ray.put(job), shared)
            try:
                errands.submit()
                return errands.collect()
            finally:
                errands.cancel()


@dataclass
class _Errands:
    """The tasks of one run that are with the cluster.

    Attributes:
        shared: whether machines share the run's folder; if not, files come with tasks and are fetched.
        waiting: the tasks that are not known to have ended, by their outcome's reference.
        made: a reference to the content of each file that tasks make, by its name, until it is fetched.
    """

    runner: RayRunner
    tasks: Sequence[Task]
    job: ray.ObjectRef[Job]
    shared: bool
    waiting: dict[Any, Task] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)

    def submit(self) -> None:
        on_cpu: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(work)
        # A process that has seen one GPU cannot turn to another: Ray starts a new one for each such task.
        on_gpu: Any = ray.remote(num_cpus=1, num_gpus=1, max_retries=RETRIES)(work)
        gpus = has_gpus()
        outcomes: dict[str, Any] = {}
        sent: dict[str, Any] = {}
        for number, task in enumerate(self.tasks):
            files = {} if self.shared else self._files_for(task, sent)
            writes = () if self.shared else written_by(task)
            needed = [outcomes[need] for need in task.needs if need in outcomes]
            wants_gpu = not isinstance(task, Judge) and lab_of(task).device == "cuda"
            returned = (
                (on_gpu if gpus and wants_gpu else on_cpu)
                .options(name=task.title, num_returns=1 + len(writes))
                .remote(self.job, number, tuple(files), writes, *needed, *files.values())
            )
            outcome, *contents = returned if writes else [returned]
            outcomes[task.key] = outcome
            self.waiting[outcome] = task
            self.made |= zip(writes, contents, strict=True)

    def _files_for(self, task: Task, sent: dict[str, Any]) -> dict[str, Any]:
        """References to what a task reads: what others make, and what the store has, sent once."""
        for name in read_by(task):
            path = self.runner.store.root / name
            if name not in self.made and name not in sent and path.is_file():
                sent[name] = ray.put(path.read_bytes())
        known = sent | self.made
        return {name: known[name] for name in read_by(task) if name in known}

    def collect(self) -> dict[str, str]:
        """Wait for all; after a failure that is to end the run, for nothing more."""
        failed: dict[str, str] = {}
        while self.waiting:
            (ended, *_), _ = ray.wait(list(self.waiting), num_returns=1)
            task = self.waiting.pop(ended)
            outcome = self._outcome(task, ended)
            for line in outcome.said:
                self.runner.watcher.say(line)
            self.runner.watcher.advance(self.runner.worker.tokens(task))
            if outcome.failure is not None:
                failed[task.key] = outcome.failure
                if self.runner.settings.fail_fast:
                    break
        for task in self.waiting.values():
            reasons = [failed[need] for need in task.needs if need in failed]
            if reasons:
                failed[task.key] = reasons[0]
        return failed

    def _outcome(self, task: Task, ended: Any) -> Outcome:
        """What came of a task, once what it made is in this machine's store."""
        store = self.runner.store
        try:
            outcome: Outcome = ray.get(ended)
            if not self.shared and outcome.failure is None:
                for name in written_by(task):
                    store.save_bytes(store.root / name, ray.get(self.made.pop(name)))
        except RayError as error:
            return Outcome(_line_of(error))
        except OSError as error:
            return Outcome(line_of(error, show_text=False))
        return outcome

    def cancel(self) -> None:
        """Stop what is under way, and drop what has not begun."""
        for outcome in self.waiting:
            ray.cancel(outcome, force=True)


def _line_of(error: RayError) -> str:
    if isinstance(error, OutOfMemoryError):
        return f"the machine ran short of memory, and so it did for each of {RETRIES} more tries"
    if isinstance(error, WorkerCrashedError):
        return f"the process that did it died, and so did those of {RETRIES} more tries"
    return f"{type(error).__name__}: {str(error).strip().splitlines()[-1]:.300}"
