"""What a training costs over a bare loop of forward, backward and AdamW; and TRAP over `none`."""

from __future__ import annotations

from typing import Annotated

import torch
import typer
from torch.nn.functional import cross_entropy

from bench.batches import collate
from bench.defense import Defense
from bench.device import pick_device
from bench.models.finding import find_model
from bench.models.loading import load_model
from bench.models.tuning import Tuning, tuned
from bench.registry import defenses
from bench.schedule import Schedule
from bench.signals import score
from bench.tokens import Tokens
from bench.training import train
from bench.updates import Updates, like_lengths
from benchmarks.sides import (
    Count,
    DataDir,
    Dataset,
    Length,
    Model,
    Rounds,
    command,
    records_of,
    seconds_by_turns,
    where,
)


def measure(
    model: Model = "tiny",
    dataset: Dataset = "synthetic-clinical",
    data_dir: DataDir = None,
    tuning: Annotated[Tuning, typer.Option(help="What is trained.")] = "full",
    length: Length = 256,
    count: Count = 32,
    batch_size: Annotated[int, typer.Option(min=1, help="Records a step.")] = 8,
    rounds: Rounds = 5,
) -> None:
    """Measure one epoch of a bare loop, of none and of TRAP by turns."""
    device, folder = pick_device(), find_model(model)
    records = records_of(model, dataset, data_dir, length, count)
    schedule = Schedule(1, batch_size, 1e-5)
    fresh = tuned(load_model(folder, device), tuning, seed=0)
    references = [signals.logprobs for signals in score(fresh, records)]
    shortest = [min(records, key=len)]

    def epoch(spec: str) -> None:
        defense: Defense = defenses().parse(spec)
        said = references if defense.uses_reference else None
        train(fresh, records, shortest, defense, schedule, 0, said)

    sides = {
        "bare": lambda: _bare_epoch(fresh.train(), records, schedule),
        "none": lambda: epoch("none"),
        "trap": lambda: epoch("trap"),
    }
    taken = seconds_by_turns(sides, rounds)
    tokens = sum(map(len, records))
    typer.echo(
        f"{model}, {tuning}, {tokens:,} tokens in steps of {batch_size} records {where()}: "
        f"none / bare loop {taken['none'] / taken['bare']:.2f} x, "
        f"trap / none {taken['trap'] / taken['none']:.2f} x time an epoch "
        f"({tokens / taken['none']:,.0f} tokens/s)"
    )


def _bare_epoch(model: torch.nn.Module, records: list[Tokens], schedule: Schedule) -> None:
    """What anyone would write: the same records a step, in the same parts."""
    device = pick_device()
    optimizer = torch.optim.AdamW(
        [parameter for parameter in model.parameters() if parameter.requires_grad], schedule.learning_rate
    )
    lengths = [len(record) for record in records]
    order = Updates(model, optimizer, lambda *_: torch.empty(0), [""] * len(records), lengths, schedule, 0)
    for indices in order.batches(0):
        optimizer.zero_grad(set_to_none=True)
        for part in like_lengths(indices, lengths):
            batch = collate([records[index] for index in part], device)
            logits = model(
                input_ids=batch.input_ids,
                attention_mask=batch.attention_mask,
                position_ids=batch.position_ids,
                use_cache=False,
            ).logits
            losses = cross_entropy(logits[:, :-1].transpose(1, 2), batch.input_ids[:, 1:], reduction="none")
            ((losses * batch.mask).sum(1) / batch.mask.sum(1)).sum().div(len(indices)).backward()
        optimizer.step()


if __name__ == "__main__":
    command(measure, "training")
