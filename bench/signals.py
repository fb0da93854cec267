"""The one place that runs a model to score text."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from bench.attack import Decoding, TokenSignals
from bench.batches import Batch, collate, logits_and_logprobs
from bench.tokens import Tokens

TOKENS_PER_BATCH = 4096


@torch.inference_mode()
def score(
    model: torch.nn.Module,
    records: Sequence[Tokens],
    decodings: Sequence[Decoding] = (),
    *,
    tokens_per_batch: int = TOKENS_PER_BATCH,
    advance: Callable[[int], None] = lambda tokens: None,
) -> list[TokenSignals]:
    """Score every record with one forward pass each, in eval mode and float32.

    Records of like length share a batch; the order of the result is that of `records`.

    Args:
        model: a causal language model, or one wrapped by PEFT.
        decodings: ways of sampling whose log-probabilities are wanted as well.
        tokens_per_batch: bounds the memory; no figure depends on it beyond float32 rounding.
        advance: told the number of tokens after each batch.
    """
    device = next(model.parameters()).device
    signals: dict[int, TokenSignals] = {}
    with _eval_mode(model):
        for indices in _by_length([len(record) for record in records], tokens_per_batch):
            batch = collate([records[index] for index in indices], device)
            for index, row in zip(indices, _signals(model, batch, decodings), strict=True):
                signals[index] = row[: len(records[index])]
            advance(sum(len(records[index]) for index in indices))
    return [signals[index] for index in range(len(records))]


@contextmanager
def _eval_mode(model: torch.nn.Module) -> Iterator[None]:
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)


def _by_length(lengths: Sequence[int], tokens_per_batch: int) -> list[list[int]]:
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        widest = lengths[batches[-1][0]] if batches else 0
        if batches and widest * (len(batches[-1]) + 1) <= tokens_per_batch:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


def _signals(model: torch.nn.Module, batch: Batch, decodings: Sequence[Decoding]) -> list[TokenSignals]:
    logits, logprobs = logits_and_logprobs(model, batch)
    targets = batch.input_ids[:, 1:]
    everything = logits.log_softmax(-1)
    probabilities = everything.exp()
    # Where a probability is 0 its term of the expectation is 0, also where its logarithm is -inf.
    mean = torch.where(probabilities > 0, probabilities * everything, 0.0).sum(-1)
    square = torch.where(probabilities > 0, probabilities * everything.square(), 0.0).sum(-1)
    columns = {
        "logprobs": logprobs,
        "is_argmax": logits.argmax(-1) == targets,
        "mean": mean,
        "variance": (square - mean.square()).clamp(min=0.0),
    }
    arrays = {name: column.cpu().numpy() for name, column in columns.items()}
    sampled = {decoding: _sampled(logits, targets, decoding).cpu().numpy() for decoding in decodings}
    return [
        TokenSignals(
            **{name: array[row] for name, array in arrays.items()},
            sampled={decoding: values[row] for decoding, values in sampled.items()},
        )
        for row in range(len(targets))
    ]


def _sampled(logits: torch.Tensor, targets: torch.Tensor, decoding: Decoding) -> torch.Tensor:
    """(B, T) log-probability of drawing the target from the `top_k` most likely tokens at a temperature."""
    scaled = (logits - logits.amax(-1, keepdim=True)) / decoding.temperature
    targets = targets.unsqueeze(-1)
    chosen = scaled.gather(-1, targets).squeeze(-1)
    if not 0 < decoding.top_k < logits.shape[-1]:
        return chosen - scaled.logsumexp(-1)
    # By index, not by value: of tokens that tie for the last place, some are in and some are out.
    top = logits.topk(decoding.top_k, dim=-1).indices
    drawn = chosen - scaled.gather(-1, top).logsumexp(-1)
    return torch.where((top == targets).any(-1), drawn, -torch.inf)


def concatenated(signals: Sequence[TokenSignals]) -> dict[str, np.ndarray]:
    """All records' signals end to end, and their lengths, as arrays that can be stored."""
    arrays = {
        "lengths": np.array([len(row) for row in signals], dtype=np.int64),
        "logprobs": np.concatenate([row.logprobs for row in signals]),
        "is_argmax": np.concatenate([row.is_argmax for row in signals]),
        "mean": np.concatenate([row.mean for row in signals]),
        "variance": np.concatenate([row.variance for row in signals]),
    }
    for decoding in signals[0].sampled:
        name = f"sampled:{decoding.temperature!r}:{decoding.top_k}"
        arrays[name] = np.concatenate([row.sampled[decoding] for row in signals])
    return arrays


def separated(arrays: dict[str, np.ndarray]) -> list[TokenSignals]:
    """The inverse of `concatenated`."""
    sampled = {}
    for name, values in arrays.items():
        if name.startswith("sampled:"):
            _, temperature, top_k = name.split(":")
            sampled[Decoding(float(temperature), int(top_k))] = values
    whole = TokenSignals(arrays["logprobs"], arrays["is_argmax"], arrays["mean"], arrays["variance"], sampled)
    ends = np.cumsum(arrays["lengths"])
    return [whole[end - length : end] for end, length in zip(ends, arrays["lengths"], strict=True)]
