"""How every reference model is made."""

from typing import ClassVar

from bench.defense import Defense


class ReferenceTraining(Defense):
    """How every reference model is made: plain fine-tuning that stops at its validation minimum."""

    name: ClassVar[str] = "reference"

    @property
    def stops_after(self) -> int | None:
        """Three epochs without a better validation loss."""
        return 3
