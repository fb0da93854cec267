"""How every reference model is made."""

from typing import ClassVar

from bench.defense import Defense
from bench.schedule import Stop


class ReferenceTraining(Defense):
    """How every reference model is made: plain fine-tuning that stops at its validation minimum."""

    name: ClassVar[str] = "reference"

    @property
    def stop(self) -> Stop:
        """Three epochs without a better validation loss."""
        return Stop(patience=3)
