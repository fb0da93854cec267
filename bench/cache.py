"""What a run's folder holds, what of it is still needed, and how to be rid of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bench.errors import InputError, RunError
from bench.graph import Score, Train, tasks_of
from bench.plan import stored_plans
from bench.store import Store

KINDS = ("models", "signals", "cells", "audits", "settings")

WEIGHTS = "*.safetensors"


@dataclass(frozen=True)
class Content:
    """One kind of what a folder holds.

    Attributes:
        kind: one of `KINDS`, or `other`.
        count: how many there are; a model's weights and what is known about it count as one.
        size: bytes.
    """

    kind: str
    count: int
    size: int


def contents(store: Store) -> list[Content]:
    """What a folder holds, by kind; nothing where there is no folder."""
    kinds = [(kind, [path for path in (store.root / kind).glob("*") if path.is_file()]) for kind in KINDS]
    known = {path for _, paths in kinds for path in paths}
    kinds.append(("other", [path for path in store.root.rglob("*") if path.is_file() and path not in known]))
    return [Content(kind, len({path.stem for path in paths}), size_of(paths)) for kind, paths in kinds]


def size_of(paths: Iterable[Path]) -> int:
    """Bytes in some files; one that has gone meanwhile has none."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def require_run(folder: Path) -> Store:
    """The store in a folder.

    Raises:
        InputError: no run has put anything there.
    """
    if not any((folder / kind).is_dir() for kind in KINDS):
        raise InputError(f"{folder} is no folder of results; `bench run --out FOLDER` makes one")
    return Store(folder)


@dataclass(frozen=True)
class Unneeded:
    """What no cell needs that the runs into a folder planned, by today's code, packages and device.

    Older code left it, other settings, or an audit, whose findings stand in a file of its own.

    Attributes:
        models, signals: files.
        unknown: why it cannot be told; then both are empty.
    """

    models: tuple[Path, ...] = ()
    signals: tuple[Path, ...] = ()
    unknown: str = ""


def unneeded(store: Store) -> Unneeded:
    """Tell what nothing needs any more, only where all that may still be needed is known.

    Raises:
        InputError: a cell or a file of settings cannot be read.
    """
    passed_over: list[str] = []
    plans = list(stored_plans(store, passed_over))
    stored = [cell for _, cell in store.cells()]
    cells = [cell for plan in plans for cell in plan.cells]
    devices = {cell.lab.device for cell in cells}
    if passed_over:
        return Unneeded(unknown=passed_over[0])
    if foreign := sorted({str(cell.get("setting", {}).get("device")) for cell in stored} - devices):
        return Unneeded(
            unknown=f"some cells were computed on {foreign[0]}, and what they need is known there"
        )
    if not {cell["key"] for cell in stored} & {cell.key for cell in cells}:
        return Unneeded(unknown="no cell is of today's code and packages; run again first")
    models, signals = set[str](), set[str]()
    for task in tasks_of(Store(store.root / "nothing"), cells):
        if isinstance(task, Train):
            models |= {training.key for training in task.trainings}
        elif isinstance(task, Score):
            signals.add(task.key)
    return Unneeded(
        models=tuple(_others(store.root / "models", models)),
        signals=tuple(_others(store.root / "signals", signals)),
    )


def _others(folder: Path, keys: set[str]) -> Iterator[Path]:
    return (path for path in sorted(folder.glob("[!.]*")) if path.stem not in keys)


@dataclass(frozen=True)
class Removed:
    """What was removed, or would be.

    Attributes:
        models, signals, leftovers: files; the last are half-written ones and locks that nobody holds.
        size: bytes in all of them.
        kept: why models and signals stay that are not needed.
    """

    models: tuple[Path, ...]
    signals: tuple[Path, ...]
    leftovers: tuple[Path, ...]
    size: int
    kept: str = ""


def collect(store: Store, dry_run: bool = False) -> Removed:
    """Remove what nothing needs any more, and what killed runs left.

    While a run is at work, models and signals stay: which it will read next cannot be told from outside.

    Args:
        dry_run: only tell what would be removed.

    Raises:
        InputError: a cell or a file of settings cannot be read.
    """
    useless, held = unneeded(store), held_locks(store)
    kept = useless.unknown
    if held:
        kept = f"a run into {store.root} is at work ({len(held)} locks are held)"
    models, signals = ((), ()) if held else (useless.models, useless.signals)
    locks = [path for path in _locks(store) if path not in held]
    leftovers = (*store.half_written(), *locks)
    removed = Removed(models, signals, leftovers, size_of((*models, *signals, *leftovers)), kept)
    if not dry_run:
        for path in (*models, *signals, *store.half_written()):
            path.unlink(missing_ok=True)
        for path in locks:
            _remove_unless_held(path)
    return removed


def remove(store: Store, paths: Sequence[Path]) -> None:
    """Remove artefacts that may still be needed.

    Raises:
        RunError: a run is at work in the folder.
    """
    if held := held_locks(store):
        raise RunError(
            f"a run into {store.root} is at work ({len(held)} locks are held); nothing was removed, "
            "try again when it is done"
        )
    for path in paths:
        path.unlink(missing_ok=True)


def weights_in(store: Store) -> list[Path]:
    """The weights of all models; what is known about each stands beside them, and is no part of it."""
    return sorted((store.root / "models").glob(WEIGHTS))


def signals_in(store: Store) -> list[Path]:
    """The signals of all scorings."""
    return sorted((store.root / "signals").glob(WEIGHTS))


def held_locks(store: Store) -> set[Path]:
    """The locks that a run at work holds."""
    return {path for path in _locks(store) if not _is_free(path)}


def _locks(store: Store) -> list[Path]:
    return sorted(path for path in (store.root / "locks").glob("*") if path.is_file())


def _is_free(path: Path) -> bool:
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    lock.release()
    return True


def _remove_unless_held(path: Path) -> None:
    """Remove a lock while holding it, so that nobody holds a file that has no name."""
    lock = FileLock(path, mode=0o600)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return
    try:
        path.unlink(missing_ok=True)
    finally:
        lock.release()
