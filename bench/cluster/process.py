"""What a worker process of a cluster does: one task of a run after another."""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cluster.job import Job
from bench.errors import RunError
from bench.quiet import muted
from bench.store import Store
from bench.worker import Worker, line_of
from bench.workshop import Watcher


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes:
        failure: why it, or one that it waits for, failed; `None` where all is well.
        said: what there was to say, line by line.
    """

    failure: str | None = None
    said: tuple[str, ...] = ()


def work(
    job: Job, number: int, reads: tuple[str, ...], writes: tuple[str, ...], *given: Outcome | bytes
) -> object:
    """Do one task of a run, unless one that it waits for failed.

    Args:
        number: the task's place among the job's.
        reads: the names of files that come along.
        writes: the names of files that are sent back.
        given: the outcomes of the tasks that it waits for, then the contents of `reads`.

    Returns:
        the outcome, and after it the content of each of `writes`, `None` where there is none.
    """
    outcomes = [one for one in given if isinstance(one, Outcome)]
    contents = [one for one in given if isinstance(one, bytes)]
    failure = next((outcome.failure for outcome in outcomes if outcome.failure), None)
    said: list[str] = []
    made: list[bytes] | list[None] = [None] * len(writes)
    if failure is None:
        try:
            files = dict(zip(reads, contents, strict=True))
            with muted(job.show_text):  # Ray keeps what workers print in files of its own
                made = _process(job).do(number, files, writes, said.append)
        except (Exception, SystemExit) as error:
            failure = line_of(error, job.show_text)
    outcome = Outcome(failure, tuple(said))
    return (outcome, *made) if writes else outcome


class Process:
    """This process, at work on one run: it keeps the records that it has tokenized, and what was said."""

    def __init__(self, job: Job) -> None:
        if job.mark is not None and not job.mark.is_seen:
            raise RunError(f"{platform.node()} does not see {job.mark.path.parent}, as others do; run again")
        self.run = job.run
        self._tasks, self._expected = job.load()
        self._shared = None if job.mark is None else job.mark.path.parent
        self._store = Store(Path())
        self._say: Callable[[str], None] = print
        self._worker = Worker(self._store, Watcher(say=lambda line: self._say(line)))

    def do(
        self, number: int, files: dict[str, bytes], writes: tuple[str, ...], say: Callable[[str], None]
    ) -> list[bytes]:
        """Do a task in the folder that all share, else in one of its own with the files that came along."""
        self._say = say
        self._expected.check(self._tasks[number])
        own = TemporaryDirectory(prefix="trap-bench-") if self._shared is None else nullcontext(self._shared)
        with own as folder:
            root = self._store.root = Path(folder)
            for name, content in files.items():
                self._store.save_bytes(root / name, content)
            self._worker.do(self._tasks[number])
            return [(root / name).read_bytes() for name in writes]


_at_work: list[Process] = []


def _process(job: Job) -> Process:
    if not _at_work or _at_work[0].run != job.run:
        _at_work[:] = [Process(job)]
    return _at_work[0]
