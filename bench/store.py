"""A run's folder: content-addressed models and signals, and cells; every write is atomic."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from filelock import FileLock, Timeout

from bench.attack import Decoding
from bench.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import torch


def digest(value: Any) -> str:
    """A key for a JSON-like value: equal values have equal keys, whatever their order of names."""
    canonical = json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def to_json(value: Any) -> str:
    """JSON as every file of ours is written: sorted names, so that equal contents are equal bytes.

    One line a name, and one a list of plain values, so that evidence does not fill pages.
    """
    return _rendered(value, "") + "\n"


def _rendered(value: Any, margin: str) -> str:
    inner = margin + " "
    if isinstance(value, dict) and value:
        named = [(_plain(name), _rendered(value[name], inner)) for name in sorted(value)]
        return "{\n" + ",\n".join(f"{inner}{name}: {one}" for name, one in named) + f"\n{margin}}}"
    if isinstance(value, list | tuple) and any(isinstance(one, dict) for one in value):
        return "[\n" + ",\n".join(inner + _rendered(one, inner) for one in value) + f"\n{margin}]"
    return _plain(value)


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _is_whole(path: Path) -> bool:
    """Whether a file of tensors is there and not cut off: a broken one is as good as none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy"):
            return True
    except (OSError, SafetensorError):
        return False


def weights_file(key: str) -> str:
    """Where a store keeps a training's tensors, relative to its folder."""
    return f"models/{key}.safetensors"


def about_file(key: str) -> str:
    """Where it keeps what is known about a training."""
    return f"models/{key}.json"


def signals_file(key: str) -> str:
    """Where it keeps a scoring."""
    return f"signals/{key}.safetensors"


def cell_file(name: str) -> str:
    """Where it keeps a cell."""
    return f"cells/{name}.json"


class Store:
    """The artefacts and cells under one folder.

    Models and signals tell of the records that they were made from, so files are readable by
    their owner only.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def has_model(self, key: str) -> bool:
        """Whether a training is stored, and whole."""
        return self.is_trained(key) and _is_whole(self._model(key))

    def is_trained(self, key: str) -> bool:
        """Whether it is known what came of a training, be its weights kept or not."""
        try:
            self.about_model(key)
        except (OSError, ValueError):
            return False
        return True

    def save_model(self, key: str, tensors: dict[str, torch.Tensor], about: dict[str, Any]) -> None:
        """Store a training's tensors, then what is known about it."""
        from safetensors.torch import save_file

        self._write(self._model(key), lambda path: save_file(tensors, path))
        self.save_text(self._about(key), to_json(about))

    def require_space(self, size: int) -> None:
        """Raise `OSError` where fewer bytes are free, before hours go into what could not be kept."""
        self._make_folder(self.root)
        free = shutil.disk_usage(self.root).free
        if free < size:
            raise OSError(
                f"{self.root} has {free / 2**20:,.0f} MB left on its disk, and what is trained next takes "
                f"{size / 2**20:,.0f} MB; make room and run again"
            )

    def load_model(self, key: str) -> dict[str, torch.Tensor]:
        """A training's tensors."""
        from safetensors.torch import load_file

        return load_file(self._model(key))

    def about_model(self, key: str) -> dict[str, Any]:
        """What is known about a training: its cost, its course, and what privacy it spent."""
        return dict(json.loads(self._about(key).read_text(encoding="utf-8")))

    def has_signals(self, key: str) -> bool:
        """Whether a scoring is stored, and whole."""
        return _is_whole(self._signals(key))

    def decodings(self, key: str) -> list[Decoding]:
        """The ways of sampling that a scoring was stored with; none where it is not stored, or broken."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self._signals(key), framework="numpy") as file:
                ways = [Decoding.of_column(name) for name in file.keys()]  # noqa: SIM118 - no mapping
        except (OSError, SafetensorError):
            return []
        return [way for way in ways if way is not None]

    def save_signals(self, key: str, arrays: dict[str, np.ndarray]) -> None:
        """Store a scoring's arrays."""
        from safetensors.numpy import save_file

        self._write(self._signals(key), lambda path: save_file(arrays, path))

    def load_signals(self, key: str) -> dict[str, np.ndarray]:
        """A scoring's arrays."""
        from safetensors.numpy import load_file

        return load_file(self._signals(key))

    def cell_key(self, name: str) -> str | None:
        """The key of the cell of that name, `None` where there is none that can be read."""
        try:
            key = json.loads(self._cell(name).read_text(encoding="utf-8"))["key"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return str(key)

    def save_cell(self, name: str, cell: dict[str, Any]) -> None:
        """Store a cell; an older one of the same name is replaced."""
        self.save_text(self._cell(name), to_json(cell))

    def cells(self, but: Container[str] = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
        """All cells but those of some names, with their paths, in a fixed order.

        Raises:
            InputError: a file among the cells is not a cell.
        """
        for path in sorted((self.root / "cells").glob("*.json")):
            if path.stem in but:
                continue
            try:
                cell = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise InputError(f"cell {path} cannot be read ({error}); delete it and run again") from None
            if not isinstance(cell, dict) or not str(cell.get("schema", "")).startswith("trap-bench-cell/"):
                raise InputError(f"{path} is not a trap-bench cell; move it out of the cells folder")
            yield path, cell

    def save_settings(self, settings: dict[str, Any]) -> None:
        """Keep what a run was told, so that its cells can be computed again."""
        self.save_text(self.root / "settings" / f"{digest(settings)}.json", to_json(settings))

    def settings(self) -> Iterator[dict[str, Any]]:
        """What the runs into this folder were told."""
        for path in sorted((self.root / "settings").glob("*.json")):
            try:
                yield dict(json.loads(path.read_text(encoding="utf-8")))
            except (OSError, ValueError, TypeError) as error:
                raise InputError(f"{path} cannot be read ({error}); delete it and run again") from None

    def leaderboard(self) -> dict[str, Any] | None:
        """What the leaderboard file holds, None where there is none.

        Raises:
            InputError: it cannot be read.
        """
        path = self.root / "leaderboard.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise InputError(
                f"{path} cannot be read ({error}); `bench leaderboard` renders it again"
            ) from None

    def save_text(self, path: Path, text: str) -> None:
        """Write a text file at once or not at all."""
        self._write(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))

    def save_bytes(self, path: Path, content: bytes) -> None:
        """Write what another store has made, at once or not at all."""
        self._write(path, lambda temporary: temporary.write_bytes(content))

    @contextmanager
    def lock(self, key: str, say: Callable[[str], None]) -> Iterator[None]:
        """Hold what a key stands for, so that two runs do not compute it both; the wait for it is told."""
        path = self.root / "locks" / key
        self._make_folder(path.parent)
        lock = FileLock(path, mode=0o600)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            say(f"another run into {self.root} is at work on the same; waiting for it")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _model(self, key: str) -> Path:
        return self.root / weights_file(key)

    def _about(self, key: str) -> Path:
        return self.root / about_file(key)

    def _signals(self, key: str) -> Path:
        return self.root / signals_file(key)

    def _cell(self, name: str) -> Path:
        return self.root / cell_file(name)

    def _write(self, path: Path, write: Callable[[Path], object]) -> None:
        self._make_folder(path.parent)
        temporary = path.with_name(f".{os.getpid()}-{secrets.token_hex(4)}-{platform.node()}.tmp")
        try:
            temporary.touch(mode=0o600)
            write(temporary)
            temporary.chmod(0o600)
            temporary.replace(path)
        except Exception as error:
            raise OSError(f"{path} cannot be written: {' '.join(str(error).split())}") from error
        finally:
            temporary.unlink(missing_ok=True)

    def _make_folder(self, folder: Path) -> None:
        for each in (self.root, folder):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)

    def open(self) -> None:
        """Make the folder, and delete what killed runs left half written."""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.root} cannot be made: {error.strerror}; give another --out") from None
        for temporary in self.half_written():
            temporary.unlink(missing_ok=True)

    def half_written(self) -> list[Path]:
        """The temporary files that nobody writes any more."""
        temporaries = (*self.root.glob(".*.tmp"), *self.root.glob("*/.*.tmp"))
        return [temporary for temporary in temporaries if _is_abandoned(temporary)]


def _is_abandoned(temporary: Path) -> bool:
    """Whether nobody writes it any more; of another machine's processes a day of silence has to tell."""
    writer, _, rest = temporary.name[1:].removesuffix(".tmp").partition("-")
    if rest.partition("-")[2] == platform.node():
        return not (writer.isdigit() and psutil.pid_exists(int(writer)))
    try:
        return time.time() - temporary.stat().st_mtime > 24 * 3600
    except FileNotFoundError:
        return False
