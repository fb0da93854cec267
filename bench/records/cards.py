"""Cards: what a dataset is, where it comes from, and how its labels map onto the shared groups."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)

from bench.errors import InputError, NoRecordsError
from bench.fetching.statement import Fetch
from bench.names import did_you_mean
from bench.records.readers import reader
from bench.records.readers.column_mapping import Columns
from bench.records.record import Record, Span
from bench.records.synthetic import family
from bench.validation import first_fault

LabelGroup = Literal[
    "person", "location", "organization", "date", "age", "contact", "id", "profession", "demographic", "other"
]


class FileSource(BaseModel):
    """Records that are read from files under `--data-dir`: the first of `files` that is there.

    Where `reader` finds no records in it, `otherwise` reads it, for a corpus that comes in two formats.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reader: str
    otherwise: str | None = None
    files: tuple[str, ...] = Field(min_length=1)
    group_from_id: str | None = None
    fetch: Fetch | None = None

    @field_validator("group_from_id")
    @classmethod
    def _has_one_group(cls, pattern: str | None) -> str | None:
        try:
            groups = 1 if pattern is None else re.compile(pattern).groups
        except re.error as error:
            raise ValueError(f"is no regular expression: {error}") from None
        if groups != 1:
            raise ValueError("must have exactly one group in parentheses")
        return pattern

    @field_validator("reader", "otherwise")
    @classmethod
    def _is_known(cls, name: str | None) -> str | None:
        if name is not None:
            reader(name)
        return name


class ColumnsSource(FileSource):
    """Records that are rows: of the first of `files` that is there, or of the dataset `hub`, owner/name."""

    reader: Literal["columns"]
    otherwise: None = None
    files: tuple[str, ...] = ()
    hub: str | None = Field(None, pattern=r"^[\w.-]+/[\w.-]+$")
    revision: str | None = None
    config: str | None = None
    split: str | None = None
    columns: Columns = Columns()

    @model_validator(mode="after")
    def _has_one_origin(self) -> "ColumnsSource":
        if bool(self.files) == bool(self.hub):
            raise ValueError("must have either files or hub")
        if self.revision is not None and self.hub is None:
            raise ValueError("a revision is one of a hub dataset")
        return self


class GeneratorSource(BaseModel):
    """Records that are generated: `records` of them unless a run limits them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    generator: str
    records: int = Field(ge=1)

    @field_validator("generator")
    @classmethod
    def _is_known(cls, name: str) -> str:
        family(name)
        return name


def _kind_of_source(stated: Any) -> str:
    keys = stated if isinstance(stated, dict) else getattr(stated, "__dict__", {})
    if "generator" in keys:
        return "generator"
    return "columns" if keys.get("reader") == "columns" else "files"


Source = Annotated[
    Annotated[FileSource, Tag("files")]
    | Annotated[ColumnsSource, Tag("columns")]
    | Annotated[GeneratorSource, Tag("generator")],
    Discriminator(_kind_of_source),
]


class Card(BaseModel):
    """A dataset card, as its YAML file states it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[\w.-]+$")
    title: str
    family: Literal["essays", "clinical"]
    language: str
    licence: str
    citation: str
    obtain: str
    source: Source
    labels: dict[str, LabelGroup]


def card_folder() -> Path:
    """The folder of the built-in cards: in the package of a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "datasets"
    return installed if installed.is_dir() else package.parent / "datasets"


def card_names() -> list[str]:
    """The names of the built-in cards."""
    return sorted(path.stem for path in card_folder().glob("*.yaml"))


def load_card(name: str) -> Card:
    """The built-in card of that name, or the card at that path.

    Raises:
        InputError: there is no such card, or it states something that a card cannot.
    """
    path = Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        if name not in card_names():
            hint = did_you_mean(name, card_names())
            known = ", ".join(card_names())
            raise InputError(
                f"unknown dataset {name!r}{hint} (known: {known}; or the path of a card, a .yaml file)"
            )
        path = card_folder() / f"{name}.yaml"
    try:
        stated = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"card {path} cannot be read: {' '.join(str(error).split())}") from None
    try:
        return Card.model_validate(stated)
    except ValidationError as error:
        fault = first_fault(error)
        raise InputError(
            f"card {path}: {fault.field or 'the file'}: {fault.message} (given: {fault.given!r:.80})"
        ) from None


def load_records(card: Card, data_dir: Path | None, limit: int | None, seed: int) -> list[Record]:
    """The records of a card, with its labels mapped onto the shared groups.

    Args:
        data_dir: where the files are; needed unless the card generates its records.
        limit: at most this many; generated, or else drawn by `seed`, records with spans first.

    Raises:
        InputError: a file is missing or wrong, or a label is not on the card.
    """
    if isinstance(card.source, GeneratorSource):
        records = family(card.source.generator)(limit or card.source.records, seed)
    else:
        records = _read(card, card.source, data_dir)
    records = [_with_shared_labels(record, card) for record in records]
    if limit is not None and limit < len(records):
        return _drawn(records, limit, seed)
    return records


def _read(card: Card, source: FileSource, data_dir: Path | None) -> list[Record]:
    try:
        if isinstance(source, ColumnsSource):
            records = _read_columns(card, source, data_dir)
        else:
            records = _read_files(source, _first_file(card, source, data_dir))
    except NoRecordsError as error:
        raise InputError(f"{error}. How to obtain {card.name}: {card.obtain}") from None
    if source.group_from_id is None:
        return records
    pattern = re.compile(source.group_from_id)
    if not any(pattern.match(record.id) for record in records):
        raise InputError(f"card {card.name}: group_from_id {source.group_from_id!r} matches no record's id")
    return [
        Record(
            record.id,
            record.text,
            record.spans,
            match.group(1) if (match := pattern.match(record.id)) else None,
        )
        for record in records
    ]


def _first_file(card: Card, source: FileSource, data_dir: Path | None) -> Path:
    if data_dir is None:
        raise InputError(f"dataset {card.name} needs --data-dir. How to obtain it: {card.obtain}")
    if not data_dir.is_dir():
        raise InputError(f"--data-dir {data_dir} is not a folder. How to obtain {card.name}: {card.obtain}")
    found = [data_dir / file for file in source.files if _holds_something(data_dir / file)]
    if not found:
        wanted = " or ".join(file for file in source.files if file != ".") or "files"
        raise InputError(f"--data-dir {data_dir} holds no {wanted}. How to obtain {card.name}: {card.obtain}")
    return found[0]


def _read_files(source: FileSource, path: Path) -> list[Record]:
    try:
        return reader(source.reader)(path)
    except NoRecordsError:
        if source.otherwise is None:
            raise
        return reader(source.otherwise)(path)


def _read_columns(card: Card, source: ColumnsSource, data_dir: Path | None) -> list[Record]:
    from bench.records.readers.columns import read, read_hub

    if source.hub is not None:
        return read_hub(source.hub, source.columns, source.config, source.split, source.revision)
    path = _first_file(card, source, data_dir)
    return read(path, source.columns, source.config, source.split)


def _holds_something(path: Path) -> bool:
    return any(path.iterdir()) if path.is_dir() else path.exists()


def _with_shared_labels(record: Record, card: Card) -> Record:
    for span in record.spans:
        if span.label not in card.labels:
            hint = did_you_mean(span.label, card.labels)
            raise InputError(
                f"record {record.id}: label {span.label!r} is not on the card {card.name}{hint} "
                "(add it under `labels`)"
            )
    spans = tuple(Span(span.start, span.end, card.labels[span.label]) for span in record.spans)
    return Record(record.id, record.text, spans, record.group)


def _drawn(records: list[Record], limit: int, seed: int) -> list[Record]:
    import numpy as np

    order = np.random.default_rng(seed).permutation(len(records)).tolist()
    order.sort(key=lambda index: not records[index].spans)
    return [records[index] for index in sorted(order[:limit])]
