"""How much of what runs through a model is padding: in training, and in scoring."""

from __future__ import annotations

from typing import Annotated

import typer

from bench.schedule import Schedule
from bench.signals import TOKENS_PER_BATCH, by_length
from bench.updates import Updates, like_lengths
from benchmarks.sides import Count, DataDir, Dataset, Length, Model, command, records_of


def measure(
    model: Model = "tiny",
    dataset: Dataset = "synthetic-clinical",
    data_dir: DataDir = None,
    length: Length = 256,
    count: Count = 100,
    batch_size: Annotated[int, typer.Option(min=1, help="Records a step.")] = 8,
) -> None:
    """Count tokens and padding of one epoch, as a padded batch has them and in parts of like lengths."""
    lengths = [len(record) for record in records_of(model, dataset, data_dir, length, count)]
    order = Updates(None, None, None, [""] * len(lengths), lengths, Schedule(1, batch_size, 1.0), 0)  # type: ignore[arg-type]
    steps = list(order.batches(0))
    parted = [part for step in steps for part in like_lengths(step, lengths)]
    scored = by_length(lengths, TOKENS_PER_BATCH)
    typer.echo(
        f"padding, {dataset}, {len(lengths)} records of at most {length} tokens in steps of {batch_size}: "
        f"{_padding(steps, lengths):.1%} in whole batches, "
        f"{_padding(parted, lengths):.1%} in parts of like lengths, "
        f"{_padding(scored, lengths):.1%} in scoring"
    )


def _padding(batches: list[list[int]], lengths: list[int]) -> float:
    """The share of padding in batches that are as wide as their longest record."""
    size = sum(len(batch) * (max(lengths[index] for index in batch) + 1) for batch in batches)
    return 1 - sum(lengths[index] + 1 for batch in batches for index in batch) / size


if __name__ == "__main__":
    command(measure, "padding")
