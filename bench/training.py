"""The one training loop, which every defense hooks into and none replaces."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import torch

from bench import processes
from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defense import Defense
from bench.errors import RunError
from bench.memory import PeakMemory
from bench.precision import EXACT, Numerics, autocast, dtype_of
from bench.schedule import Schedule, Stop
from bench.signals import score
from bench.tokens import Tokens
from bench.updates import Updates

State = dict[str, torch.Tensor]

PROCESS_SEEDS = 1_000_000_007
"""How far apart the seeds of dropout lie where several processes train together."""


@dataclass(frozen=True)
class Trained:
    """What a training leaves behind.

    Attributes:
        final: the trainable parameters of the model that the defense delivers.
        best: those at the validation minimum, which a defense that stops early delivers.
        validation: validation loss in nats after each epoch, mean over records.
        steps, epochs, best_epoch: how far it went; epochs count from 1.
        dtype: what matrices were multiplied in.
        privacy: what a differentially private mechanism guarantees, else `None`.
        train_seconds, peak_memory_mb: what it cost.
    """

    final: State
    best: State
    validation: tuple[float, ...]
    steps: int
    epochs: int
    best_epoch: int
    dtype: str
    privacy: dict[str, Any] | None
    train_seconds: float
    peak_memory_mb: float


@dataclass(frozen=True)
class Epoch:
    """How a training stands after an epoch, which counts from 1.

    Attributes:
        loss: of the defense, penalties included: the mean over the records that were learned from, each
            at the time that it was; `None` if there were none.
        validation_nll: nats, mean over the validation records.
        seconds: since it began.
    """

    epoch: int
    steps: int
    loss: float | None
    validation_nll: float
    seconds: float


def train(
    model: torch.nn.Module,
    records: Sequence[Tokens],
    validation: Sequence[Tokens],
    defense: Defense,
    schedule: Schedule,
    seed: int,
    reference_logprobs: Sequence[np.ndarray] | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
    numerics: Numerics = EXACT,
) -> Trained:
    """Fine-tune the model's trainable parameters in place: `train_once` for the one stop of the defense."""
    stops = [defense.stop]
    (trained,) = train_once(
        model, records, validation, defense, schedule, seed, reference_logprobs, advance, stops, numerics
    )
    return trained


def train_once(
    model: torch.nn.Module,
    records: Sequence[Tokens],
    validation: Sequence[Tokens],
    defense: Defense,
    schedule: Schedule,
    seed: int,
    reference_logprobs: Sequence[np.ndarray] | None = None,
    advance: Callable[[int], None] = lambda tokens: None,
    stops: Sequence[Stop] = (Stop(),),
    numerics: Numerics = EXACT,
    watch: Callable[[Epoch], None] = lambda epoch: None,
) -> list[Trained]:
    """Fine-tune the model's trainable parameters in place, for all that differ in when they stop.

    Args:
        records: what it is trained on.
        reference_logprobs: (T,) nats for each record, where the defense uses a reference.
        seed: of record order, dropout and noise; two runs with one seed agree bit for bit on a CPU.
        advance: told the number of tokens after each step.
        stops: when each of them ends, and with which state.
        numerics: how; a defense that is exact is computed in float32, and not compiled.
        watch: told of each epoch when it is over.

    Returns:
        what each stop delivers, and costs by itself.

    Raises:
        RunError: no weight moved, a loss is not finite, or the defense found that it changed nothing.
    """
    torch.manual_seed(seed + PROCESS_SEEDS * processes.rank())
    device = next(model.parameters()).device
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not parameters:
        raise RunError(f"{defense.spec}: no parameter of the model can be trained; every one is frozen")
    start, own = _state(model), model
    numerics = EXACT if defense.exact else numerics
    dtype = dtype_of(numerics.precision, device.type)
    translated = cast(torch.nn.Module, torch.compile(model, dynamic=True)) if numerics.compiled else model

    def record_losses(model: torch.nn.Module, indices: Sequence[int]) -> torch.Tensor:
        reference = None if reference_logprobs is None else [reference_logprobs[index] for index in indices]
        batch = collate([records[index] for index in indices], device, reference)
        with autocast(dtype, device):
            logits, logprobs = logits_and_logprobs(translated if model is own else model, batch)
        losses = defense.token_losses(logprobs, logits, batch)
        if not isinstance(losses, torch.Tensor) or losses.shape != batch.mask.shape:
            gave = tuple(losses.shape) if isinstance(losses, torch.Tensor) else type(losses).__name__
            raise RunError(f"{defense.spec}: token_losses gave {gave}, not {tuple(batch.mask.shape)}, (B, T)")
        if torch.is_grad_enabled() and not losses.requires_grad:
            raise RunError(f"{defense.spec}: token_losses gave losses that no gradient flows through")
        of_records = mean_over_own_tokens(losses, batch.mask)
        if torch.is_grad_enabled():
            seen.append(of_records.detach())
        return of_records

    started = time.perf_counter()
    history: list[float] = []
    seen: list[torch.Tensor] = []
    best, best_epoch, steps = start, 0, 0
    reached: dict[Stop, Trained] = {}
    model.train()
    with PeakMemory(device) as memory, defense.applied(model):
        optimizer = defense.optimizer(parameters, schedule.learning_rate)
        units, lengths = [record.unit for record in records], [len(record) for record in records]
        updates = defense.updates(Updates(model, optimizer, record_losses, units, lengths, schedule, seed))
        for epoch in range(1, schedule.epochs + 1):
            for indices in updates.batches(epoch - 1):
                updates.step(indices)
                steps += 1
                advance(sum(len(records[index]) for index in indices))
            history.append(_mean_loss(model, validation))
            if not np.isfinite(history[-1]):
                raise RunError(
                    f"{defense.spec}: the validation loss is {history[-1]} after epoch {epoch}; "
                    f"lower the learning rate ({schedule.learning_rate:g}), or mend the defense"
                )
            if history[-1] < min(history[:-1], default=np.inf):
                best, best_epoch = _state(model), epoch
            loss = float(torch.cat(seen).mean()) if seen else None
            watch(Epoch(epoch, steps, loss, history[-1], time.perf_counter() - started))
            seen.clear()
            over = epoch == schedule.epochs
            for stop in [stop for stop in stops if stop not in reached]:
                if over or stop.ends(epoch, best_epoch):
                    reached[stop] = Trained(
                        final=_state(model) if stop.patience is None else best,
                        best=best,
                        validation=tuple(history),
                        steps=steps,
                        epochs=epoch,
                        best_epoch=best_epoch,
                        dtype=dtype,
                        privacy=None,
                        train_seconds=time.perf_counter() - started,
                        peak_memory_mb=memory.peak_mb,
                    )
            if len(reached) == len(set(stops)):
                break
        privacy = updates.finish()
    for trained in reached.values():
        if all(torch.equal(trained.final[name], start[name]) for name in start):
            raise RunError(f"{defense.spec}: training moved no weight; raise the learning rate or the epochs")
    return [replace(reached[stop], privacy=privacy) for stop in stops]


def _mean_loss(model: torch.nn.Module, records: Sequence[Tokens]) -> float:
    scored = [signals.logprobs for signals in score(model, records) if len(signals)]
    losses = [-float(logprobs.mean(dtype=np.float64)) for logprobs in scored]
    return float(np.mean(losses))


def _state(model: torch.nn.Module) -> State:
    """A copy of the trainable parameters, by the names that the unwrapped model gives them."""
    return {
        name: parameter.detach().to("cpu", copy=True)
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }


def load_state(model: torch.nn.Module, state: State) -> None:
    """Put trainable parameters back into a model of the same make."""
    own = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    if {name: tensor.shape for name, tensor in own.items()} != {
        name: tensor.shape for name, tensor in state.items()
    }:
        raise RunError("the stored parameters are of another model; delete the store and run again")
    with torch.no_grad():
        for name, parameter in own.items():
            parameter.copy_(state[name])
