"""No defense: the positive control that every other defense is measured against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from bench.defense import Defense
from bench.errors import InputError
from bench.schedule import Stop

if TYPE_CHECKING:
    from bench.schedule import Schedule


class NoDefense(Defense):
    """Plain fine-tuning to the last epoch."""

    name: ClassVar[str] = "none"

    epochs: int | None = Field(None, ge=1, description="end earlier, after so many passes over the records")

    @property
    def undefended(self) -> bool:
        """Unless it ends earlier."""
        return self.epochs is None

    @property
    def stop(self) -> Stop:
        """After so many epochs, with the state that is reached then."""
        return Stop(epochs=self.epochs)

    def check(self, units: Sequence[str], shared: Schedule) -> None:
        """It cannot end later than the others."""
        if self.epochs is not None and self.epochs > shared.epochs:
            raise InputError(
                f"none: epochs={self.epochs} is not allowed: the run has {shared.epochs}; raise --epochs"
            )
