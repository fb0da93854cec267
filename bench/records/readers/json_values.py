"""JSON whose shape is checked: lines of objects, and the typed values of their keys."""

import json
from collections.abc import Iterator
from typing import TypeVar

from bench.errors import InputError

T = TypeVar("T")


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    r"""Each line that is not blank, with its number from 1.

    Lines end at `\n` alone: U+2028 and its like may stand inside a JSON string.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def parse(text: str) -> object:
    """The JSON value that `text` holds.

    Raises:
        InputError: it is not JSON.
    """
    try:
        value: object = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON from character {error.pos} on") from None
    except (ValueError, RecursionError):
        raise InputError("not JSON that can be read: a number too long, or nested too deeply") from None
    return value


def json_object(value: object) -> dict[str, object]:
    """`value`, which is a JSON object.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(value, dict):
        raise InputError(f"must be a JSON object, not {_kind(value)}")
    return value


def required(item: dict[str, object], key: str, kind: type[T]) -> T:
    """The value of `key`, of the given type.

    Raises:
        InputError: the key is missing, or its value has another type.
    """
    if key not in item:
        raise InputError(f"the key {key!r} is missing")
    return typed(item[key], kind, repr(key))


def optional(item: dict[str, object], key: str, kind: type[T]) -> T | None:
    """The value of `key`, of the given type, or None where it is missing or null.

    Raises:
        InputError: the value has another type.
    """
    return None if item.get(key) is None else required(item, key, kind)


def typed(value: object, kind: type[T], name: str) -> T:
    """`value`, which is of the given type; a boolean is no integer.

    Raises:
        InputError: it has another type; the message says `name`, which it belongs to.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{name} must be {_KINDS[kind]}, not {_kind(value)}")
    return value


def allow_only(item: dict[str, object], keys: tuple[str, ...]) -> None:
    """Accept an object that has none but the given keys.

    Raises:
        InputError: it has another one.
    """
    for key in item:
        if key not in keys:
            raise InputError(f"unknown key {key!r}; allowed are {', '.join(keys)}")


_KINDS: dict[type, str] = {
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "an integer",
    list: "a list",
    str: "a string",
    type(None): "null",
}


def _kind(value: object) -> str:
    return _KINDS[type(value)]
