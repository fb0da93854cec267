"""Rows of a dataset on disk or on the Hugging Face hub, as the package `datasets` reads them.

On disk: a `.parquet`, `.csv`, `.json` or `.jsonl` file; a folder of them, laid out as on the hub; or a
folder that `save_to_disk` wrote. Files on disk are streamed or mapped: no copy of a row reaches Hugging
Face's cache or any other folder, and nothing is sent. A dataset of the hub is kept in that cache, as models
are. No code that comes with a dataset is run.
"""

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.errors import InputError
from bench.names import did_you_mean
from bench.quiet import muted

FORMATS: Final = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json"}
Row = dict[str, object]


def rows_on_disk(path: Path, columns: Collection[str], config: str | None, split: str | None) -> list[Row]:
    """The rows of the file or folder at `path`, of one split or of all, in their order.

    columns: those which must be read as they stand in a CSV, since 007 is no number there and NA no blank.

    Raises:
        InputError: there is no such file, config or split, or it cannot be read.
    """
    if any((path / mark).is_file() for mark in ("state.json", "dataset_dict.json")):
        if config is not None:
            raise InputError(f"config {config!r}: a folder written by save_to_disk has none")
        return _saved(path, split)
    where: dict[str, Any] = {"name": config}
    if path.is_dir():
        where["path"] = str(path.resolve())
    elif path.suffix in FORMATS:
        where |= {"path": FORMATS[path.suffix], "data_files": str(path.resolve())}
    else:
        raise InputError(f"must be a folder, or a file that ends in {', '.join(FORMATS)}")
    with TemporaryDirectory() as locks:
        return _loaded(where | {"cache_dir": locks}, columns, split, streaming=True)


def rows_on_hub(
    name: str, columns: Collection[str], config: str | None, split: str | None, revision: str | None
) -> list[Row]:
    """The rows of the dataset that is called `name` on the hub; the rest as for `rows_on_disk`.

    Raises:
        InputError: it cannot be reached or read, or has no such config, split or revision.
    """
    if Path(name).exists():
        # Hugging Face would take it, and keep a copy of it in its cache.
        raise InputError(f"{name} is a folder here; list it under `files` to read it, or run elsewhere")
    return _loaded({"path": name, "name": config, "revision": revision}, columns, split, streaming=False)


def _loaded(where: dict[str, Any], columns: Collection[str], split: str | None, streaming: bool) -> list[Row]:
    with muted(show_text=False):
        datasets = _datasets()
        try:
            builder = datasets.load_dataset_builder(**where)
        except Exception as error:
            # No row is read yet, so that the message holds none.
            raise InputError(f"cannot be loaded: {' '.join(str(error).split())[:300]}") from None
        if hasattr(builder.config, "converters"):
            where = where | {"converters": dict.fromkeys(columns, str), "na_filter": False}
        try:
            parts = datasets.load_dataset(**where, streaming=streaming)
        except Exception as error:
            raise _unreadable(0, error) from None
        return list(_rows(_chosen(parts, split)))


def _saved(path: Path, split: str | None) -> list[Row]:
    with muted(show_text=False):
        datasets = _datasets()
        try:
            saved = datasets.load_from_disk(str(path))
        except Exception as error:
            raise _unreadable(0, error) from None
        parts = saved if isinstance(saved, dict) else {str(saved.split or "train"): saved}
        return list(_rows(_chosen(parts, split)))


def _datasets() -> Any:
    """The package; by this way, since to mypy its name is the folder of cards."""
    datasets = import_module("datasets")
    # Else each load of a file on disk is counted by a request to the hub.
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False
    return datasets


def _chosen(parts: Mapping[str, Any], split: str | None) -> list[Any]:
    if split is None:
        return list(parts.values())
    if split not in parts:
        raise InputError(f"no split {split!r}{did_you_mean(split, parts)} (there are: {', '.join(parts)})")
    return [parts[split]]


def _rows(parts: list[Any]) -> Iterator[Row]:
    count = 0
    for part in parts:
        rows = iter(part)
        while True:
            try:
                row = next(rows, None)
            except Exception as error:
                raise _unreadable(count, error) from None
            if row is None:
                break
            count += 1
            yield row


def _unreadable(count: int, error: Exception) -> InputError:
    """What is said of any fault that a parser finds: its kind alone, since its message may quote a row."""
    kind = type(error.__cause__ or error).__name__
    return InputError(f"cannot be read after {count} rows ({kind}): empty, damaged or not UTF-8?")
