"""What pydantic found wrong, in words for a line of ours."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class Fault:
    """The first thing that a validation found wrong.

    Attributes:
        field: its name, nested names joined by dots; empty where the whole is wrong.
        given: the value.
        message: what is allowed instead; all alternatives where a field has several.
    """

    field: str
    given: Any
    message: str


def first_fault(error: ValidationError) -> Fault:
    """The first fault of a failed validation."""
    faults = error.errors(include_url=False)
    first = faults[0]["loc"][:1]
    messages = [fault["msg"].removeprefix("Value error, ") for fault in faults if fault["loc"][:1] == first]
    field = ".".join(str(part) for part in faults[0]["loc"])
    return Fault(field, faults[0]["input"], "; or: ".join(dict.fromkeys(messages)))
