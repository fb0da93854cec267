"""What scoring costs over a bare forward pass on the same tokens in the same batches: time, and memory."""

from __future__ import annotations

import torch
import typer

from bench.batches import Batch, collate
from bench.device import pick_device
from bench.memory import PeakMemory
from bench.models.finding import find_model
from bench.models.loading import load_model
from bench.signals import TOKENS_PER_BATCH, by_length, score
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
    length: Length = 256,
    count: Count = 32,
    rounds: Rounds = 5,
) -> None:
    """Measure scoring and a bare forward pass by turns."""
    device = pick_device()
    loaded = load_model(find_model(model), device)
    records = records_of(model, dataset, data_dir, length, count)
    lengths = [len(record) for record in records]
    batches = [
        collate([records[index] for index in part], device) for part in by_length(lengths, TOKENS_PER_BATCH)
    ]
    peaks: dict[str, float] = {}

    def watched(name: str, side: object) -> None:
        with PeakMemory(device) as memory:
            side()  # type: ignore[operator]
        peaks[name] = max(peaks.get(name, 0.0), memory.peak_mb)

    sides = {
        "scoring": lambda: watched("scoring", lambda: score(loaded, records)),
        "bare forward": lambda: watched("bare forward", lambda: _bare(loaded, batches)),
    }
    taken = seconds_by_turns(sides, rounds)
    typer.echo(
        f"scoring / bare forward, {model}, {sum(lengths):,} tokens {where()}: "
        f"{taken['scoring'] / taken['bare forward']:.2f} x time "
        f"({sum(lengths) / taken['scoring']:,.0f} tokens/s), "
        f"peak {peaks['scoring']:,.0f} against {peaks['bare forward']:,.0f} MB"
    )


@torch.inference_mode()
def _bare(model: torch.nn.Module, batches: list[Batch]) -> None:
    for batch in batches:
        model(
            input_ids=batch.input_ids,
            attention_mask=batch.attention_mask,
            position_ids=batch.position_ids,
            use_cache=False,
        ).logits.sum()


if __name__ == "__main__":
    command(measure, "scoring")
