"""What attacks and defenses have in common: a name, and parameters that are checked."""

import hashlib
import inspect
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from bench.errors import InputError
from bench.names import did_you_mean
from bench.validation import first_fault


class Plugin(BaseModel):
    """A named, immutable choice whose fields are its parameters.

    A subclass sets `name`, opens its docstring with the line that `bench ls` shows, and declares
    its parameters as pydantic fields, each with a default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: ClassVar[str]

    @classmethod
    def with_parameters(cls, given: dict[str, Any]) -> Self:
        """An instance with the parameters given, the others at their defaults.

        Raises:
            InputError: a parameter is unknown, or its value is not allowed.
        """
        for parameter in given:
            if parameter not in cls.model_fields:
                takes = ", ".join(cls.model_fields) or "no parameters"
                hint = did_you_mean(parameter, cls.model_fields)
                raise InputError(f"{cls.name} has no parameter {parameter!r}{hint} (it takes {takes})")
        try:
            return cls(**given)
        except ValidationError as error:
            fault = first_fault(error)
            name = fault.field.partition(".")[0]
            value = f"{name}={fault.given} is not allowed: " if name else ""
            raise InputError(f"{cls.name}: {value}{fault.message}") from None

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter, defaults included, as JSON values."""
        return self.model_dump(mode="json")

    @property
    def spec(self) -> str:
        """What a user types to get this: the name, and the parameters that differ from their defaults."""
        changed = self.model_dump(mode="json", exclude_defaults=True)
        if not changed:
            return self.name
        return f"{self.name}:" + ",".join(f"{key}={_typed(value)}" for key, value in changed.items())

    @classmethod
    def source_digest(cls) -> str:
        """A hash of the files that this plugin is written in, wherever they lie, so that a changed plugin
        is a new one."""
        files = {inspect.getfile(base) for base in cls.__mro__ if issubclass(base, Plugin)}
        digests = sorted(hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files)
        return hashlib.sha256("".join(digests).encode()).hexdigest()


def _typed(value: Any) -> str:
    """A parameter's value as a user would type it, to be read back exactly."""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
