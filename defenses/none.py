"""No defense: the positive control that every other defense is measured against."""

from typing import ClassVar

from bench.defense import Defense


class NoDefense(Defense):
    """Plain fine-tuning to the last epoch."""

    name: ClassVar[str] = "none"
    undefended: ClassVar[bool] = True
