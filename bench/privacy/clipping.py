"""Clipped gradients of privacy units: per record, or by norms alone where that is exact and pays."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import nn

if TYPE_CHECKING:
    from opacus.grad_sample import AbstractGradSampleModule
    from opacus.optimizers import DPOptimizer

Losses = Callable[[nn.Module, Sequence[int]], torch.Tensor]
"""From a model and record indices to the records' losses, (B,) nats."""

Units = Sequence[Sequence[int]]
"""Privacy units, each as the indices of its records."""

Means = Literal["ghost", "per-record"]

GRADIENT_MEMORY = 2**30
"""Bytes that the gradients of a physical batch may take, where there is a choice."""

LARGEST_PART = 16


@dataclass(frozen=True)
class Noise:
    """What a step clips to and adds.

    Attributes:
        noise_multiplier: standard deviation of the noise in units of `max_grad_norm`.
        max_grad_norm: the clipping norm of a unit's gradient.
        expected_units: what the noisy sum is divided by, sample rate x units.
        seed: of the noise.
    """

    noise_multiplier: float
    max_grad_norm: float
    expected_units: float
    seed: int


class Clipping(ABC):
    """How the clipped gradients of units come about.

    Attributes:
        optimizer: Opacus', which adds up what `backward` leaves on the parameters, and adds noise.
    """

    optimizer: DPOptimizer
    _model: AbstractGradSampleModule

    @abstractmethod
    def backward(self, units: Units) -> None:
        """Leave the gradients of these units, of none too, on the parameters for the optimizer."""

    @abstractmethod
    def _add_up(self) -> None:
        """Have the optimizer clip and add up what lies on the parameters."""

    def clipped_sum(self, units: Units) -> list[torch.Tensor]:
        """The sum of the units' clipped gradients, one tensor a parameter, without noise or step."""
        self.backward(units)
        self._add_up()
        sums = [parameter.summed_grad for parameter in self.optimizer.params]
        for parameter in self.optimizer.params:
            parameter.summed_grad = None
        self.optimizer.zero_grad(set_to_none=True)
        return sums

    @contextmanager
    def unhooked(self) -> Iterator[None]:
        """Run the model without Opacus listening."""
        self._model.disable_hooks()
        yield
        self._model.enable_hooks()

    def close(self) -> None:
        """Take every hook off the model."""
        self._model.remove_hooks()


class PerRecord(Clipping):
    """One gradient a record is held until it is clipped; a unit's gradient is the mean of its records'.

    Works for every layer, tied weights included, at the price of memory: a gradient of the size of
    all trainable parameters for each record of a part.
    """

    def __init__(
        self,
        model: nn.Module,
        losses: Losses,
        plain: torch.optim.Optimizer,
        noise: Noise,
        records_at_a_time: int,
    ) -> None:
        from opacus import GradSampleModule
        from opacus.optimizers import DPOptimizer

        self._model = GradSampleModule(model, loss_reduction="mean")
        self._losses = losses
        self._records_at_a_time = records_at_a_time
        self.optimizer = DPOptimizer(plain, **_arguments(model, noise))

    def backward(self, units: Units) -> None:
        """Leave each parameter's `grad_sample`, of shape (units, *parameter)."""
        if units and all(len(unit) == 1 for unit in units):
            self._of_records([unit[0] for unit in units])
        else:
            self._means_of_units(units)

    def _add_up(self) -> None:
        self.optimizer.clip_and_accumulate()

    def _of_records(self, indices: Sequence[int]) -> None:
        with without_hook_warning():
            self._losses(self._model, indices).mean().backward()  # type: ignore[no-untyped-call]

    def _means_of_units(self, units: Units) -> None:
        members = [(index, row, 1 / len(unit)) for row, unit in enumerate(units) for index in unit]
        parameters = self.optimizer.params
        means = [parameter.new_zeros((len(units), *parameter.shape)) for parameter in parameters]
        for start in range(0, len(members), self._records_at_a_time):
            indices, rows, weights = zip(*members[start : start + self._records_at_a_time], strict=True)
            self._of_records(indices)
            for mean, parameter in zip(means, parameters, strict=True):
                weight = torch.tensor(weights, device=mean.device).view(-1, *[1] * parameter.dim())
                mean.index_add_(0, torch.tensor(rows, device=mean.device), parameter.grad_sample * weight)
                parameter.grad_sample = None
        for mean, parameter in zip(means, parameters, strict=True):
            parameter.grad_sample = mean


class Ghost(Clipping):
    """Norms first, from each layer's inputs and output gradients; then one pass over rescaled losses.

    No gradient of a single record is held for linear layers and embeddings, only those of small
    layers for a moment (Li et al., ICLR 2022). Not for weights that two layers share, nor for units
    of several records.
    """

    def __init__(self, model: nn.Module, losses: Losses, plain: torch.optim.Optimizer, noise: Noise) -> None:
        from opacus.grad_sample import GradSampleModuleFastGradientClipping
        from opacus.optimizers import DPOptimizerFastGradientClipping

        self._model = GradSampleModuleFastGradientClipping(
            model, loss_reduction="mean", max_grad_norm=noise.max_grad_norm
        )
        self._losses = losses
        self.optimizer = DPOptimizerFastGradientClipping(plain, **_arguments(model, noise))
        embeddings = [module.weight for module in model.modules() if isinstance(module, nn.Embedding)]
        self._first = [weight for weight in embeddings if weight.requires_grad] or list(self.optimizer.params)

    def backward(self, units: Units) -> None:
        """Leave each parameter's `grad`: the sum over units of their clipped gradients."""
        if not units:
            for parameter in self.optimizer.params:
                parameter.grad = torch.zeros_like(parameter)
            return
        losses = self._losses(self._model, [unit[0] for unit in units])
        with without_hook_warning():
            # Every layer lies between the embeddings and the loss; its own gradient is not needed yet.
            torch.autograd.backward(losses.mean(), inputs=self._first, retain_graph=True)
        for parameter in self.optimizer.params:
            parameter.grad = None
        factors = self._model.get_clipping_coef()
        with self.unhooked(), without_hook_warning():
            (factors * losses).sum().backward()

    def _add_up(self) -> None:
        self.optimizer.accumulate()


def means_for(model: nn.Module, unit: str) -> Means:
    """Ghost clipping where it is exact, and where the gradients of single records would take much memory."""
    exact = unit == "record" and not _shares_weights(model)
    return "ghost" if exact and LARGEST_PART * _bytes_a_record(model) > GRADIENT_MEMORY else "per-record"


def physical_batch_size(model: nn.Module, means: Means) -> int:
    """How many records at a time: 16, or fewer where their gradients would take more than is allowed."""
    if means == "ghost":
        return LARGEST_PART
    return max(1, min(LARGEST_PART, GRADIENT_MEMORY // _bytes_a_record(model)))


def _shares_weights(model: nn.Module) -> bool:
    """Whether two layers train one and the same parameter."""
    own = [
        id(parameter)
        for module in model.modules()
        for parameter in module.parameters(recurse=False)
        if parameter.requires_grad
    ]
    return len(own) > len(set(own))


def _bytes_a_record(model: nn.Module) -> int:
    """The memory of one record's gradient."""
    return sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)


def looped_sum(
    model: nn.Module, losses: Losses, parameters: Sequence[nn.Parameter], units: Units, max_grad_norm: float
) -> list[torch.Tensor | None]:
    """What `clipped_sum` must be, by a loop over single records; None for a parameter without gradient."""
    total: list[torch.Tensor | None] = [None] * len(parameters)
    for unit in units:
        gradient: list[torch.Tensor | None] = [None] * len(parameters)
        for index in unit:
            loss = losses(model, [index]).sum() / len(unit)
            gradient = _plus(gradient, torch.autograd.grad(loss, parameters, allow_unused=True))
        norm = torch.stack([part.norm() for part in gradient if part is not None]).norm()
        factor = (max_grad_norm / (norm + 1e-6)).clamp(max=1.0)
        total = _plus(total, [None if part is None else part * factor for part in gradient])
    return total


def _plus(
    total: Sequence[torch.Tensor | None], parts: Sequence[torch.Tensor | None]
) -> list[torch.Tensor | None]:
    return [
        part if whole is None else whole if part is None else whole + part
        for whole, part in zip(total, parts, strict=True)
    ]


def _arguments(model: nn.Module, noise: Noise) -> dict[str, object]:
    return {
        "noise_multiplier": noise.noise_multiplier,
        "max_grad_norm": noise.max_grad_norm,
        "expected_batch_size": noise.expected_units,
        "generator": torch.Generator(next(model.parameters()).device).manual_seed(noise.seed),
    }


@contextmanager
def without_hook_warning() -> Iterator[None]:
    """An embedding's input, token ids, needs no gradient, while the embedding's own is still right."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Full backward hook is firing")
        yield
