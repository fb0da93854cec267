"""Early stopping: fewer passes over the records, so less time to memorize them."""

from typing import ClassVar

from pydantic import Field

from bench.defense import Defense
from bench.schedule import Stop


class EarlyStopping(Defense):
    """Stop when the validation loss no longer falls, and restore the best state."""

    name: ClassVar[str] = "early-stopping"

    patience: int = Field(3, ge=1, description="epochs without a better validation loss")

    @property
    def stop(self) -> Stop:
        """Epochs without a better validation loss."""
        return Stop(patience=self.patience)
