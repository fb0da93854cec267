"""GGUF files: quantized weights in one file, converted once to a folder that models are loaded from."""

from __future__ import annotations

import hashlib
import os
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock

from bench.errors import InputError
from bench.models.loading import one_line
from bench.quiet import muted

MAGIC = b"GGUF"
NEEDED = ("gguf", "accelerate")


def converted(path: Path) -> Path:
    """The folder with a GGUF file's configuration, tokenizer, and weights in float32, made at the first call.

    Raises:
        InputError: there is no such file, it is not GGUF, of an architecture that transformers cannot
            read, or a package that reading takes is not installed.
        OSError: the cache cannot be written.
    """
    folder = place_of(path)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if not folder.is_dir():
                _convert(path, folder)
    return folder


def place_of(path: Path) -> Path:
    """Where what a GGUF file is converted to lies, or will lie: in the user's cache, under a hash of the
    file and the version of transformers, which reads it.

    Raises:
        InputError: there is no such file, or it is not GGUF.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(MAGIC))
            file.seek(0)
            key = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"model {path} cannot be read: {error.strerror}") from None
    if magic != MAGIC:
        raise InputError(f"model {path} is not a GGUF file")
    return cache_folder() / f"{key[:16]}-{version('transformers')}"


def cache_folder() -> Path:
    """Where converted models lie: `trap-bench/models` in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "trap-bench" / "models"


def _convert(path: Path, folder: Path) -> None:
    if lacking := [package for package in NEEDED if find_spec(package) is None]:
        raise InputError(f"model {path.name} is a GGUF file, which takes pip install {' '.join(lacking)}")
    unfinished = f".{folder.name}-"
    for left in folder.parent.glob(f"{unfinished}*"):  # by a conversion that was killed
        shutil.rmtree(left)
    with TemporaryDirectory(dir=folder.parent, prefix=unfinished) as temporary:
        made = Path(temporary) / "model"
        try:
            with muted(False):
                _save(path, made)
        except Exception as error:
            raise InputError(f"model {path} cannot be converted: {one_line(error)}") from None
        made.rename(folder)


def _save(path: Path, folder: Path) -> None:
    """A model loaded from GGUF refuses to be saved, so its weights go into one that is built afresh."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    source = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    config = AutoConfig.from_pretrained(**source)
    loaded = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    fresh: Any = AutoModelForCausalLM.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
    fresh.load_state_dict(loaded.state_dict())
    fresh.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
