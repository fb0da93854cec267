"""Where files are made before they are whole: a private folder beside the one that they are for."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from bench.errors import InputError

LOCK = "lock"


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """A folder beside `target` that one process at a time works in.

    What is left in it at the end a later call finds there again; with nothing left it goes.

    Raises:
        InputError: another process is at work in it.
    """
    parent = target.parent
    is_new = not parent.exists()
    work = _beside(target)
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    work.mkdir(mode=0o700, exist_ok=True)
    lock = FileLock(work / LOCK, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise InputError(f"another process is filling {target}; wait until it has ended") from None
    try:
        yield work
    finally:
        if not _left(work):
            shutil.rmtree(work, ignore_errors=True)
        lock.release()
        if is_new:
            with suppress(OSError):
                parent.rmdir()


def clear(work: Path) -> None:
    """Leave nothing for a later call."""
    for path in _left(work):
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def discard(target: Path) -> None:
    """Remove the folder beside a target that is whole: its process was killed when all was done.

    Unless another process has it by now, which removes it itself.
    """
    if _beside(target).is_dir():
        with suppress(InputError), workplace(target) as work:
            clear(work)


def _beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.part")


def _left(work: Path) -> list[Path]:
    return [path for path in work.iterdir() if path.name != LOCK]
