"""The one place that runs a model to score text."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from bench import processes
from bench.attack import Decoding, TokenSignals
from bench.batches import Batch, collate
from bench.models.head import hidden_states
from bench.tokens import Tokens

TOKENS_PER_BATCH = 4096

LOGITS_AT_A_TIME = {"cpu": 256, "accelerator": 1024}
"""Tokens whose logits are in memory at once: enough to keep the device busy."""


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

    Records of like length share a batch; the order of the result is that of `records`. Where several
    processes work together each runs its share of the batches, and all get the whole.

    Args:
        model: a causal language model, or one wrapped by PEFT.
        decodings: ways of sampling whose log-probabilities are wanted as well.
        tokens_per_batch: bounds the memory; no figure depends on it beyond float32 rounding.
        advance: told the number of tokens after each batch.
    """
    device = next(model.parameters()).device
    signals: dict[int, TokenSignals] = {}
    with _eval_mode(model):
        batches = by_length([len(record) for record in records], tokens_per_batch)
        for indices in processes.share_of(batches):
            batch = collate([records[index] for index in indices], device)
            for index, row in zip(indices, _signals(model, batch, decodings), strict=True):
                signals[index] = row
            advance(sum(len(records[index]) for index in indices))
    signals = processes.put_together(signals)
    return [signals[index] for index in range(len(records))]


@contextmanager
def _eval_mode(model: torch.nn.Module) -> Iterator[None]:
    was_training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(was_training)


def by_length(lengths: Sequence[int], tokens_per_batch: int) -> list[list[int]]:
    """Indices of records in batches of like lengths, longest first, each of at most so many tokens."""
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda index: (-lengths[index], index)):
        widest = lengths[batches[-1][0]] if batches else 0
        if batches and widest * (len(batches[-1]) + 1) <= tokens_per_batch:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


def _signals(model: torch.nn.Module, batch: Batch, decodings: Sequence[Decoding]) -> list[TokenSignals]:
    """The signals of a batch; logits are held for few tokens at a time, and for none of the padding."""
    hidden = hidden_states(
        model,
        input_ids=batch.input_ids,
        attention_mask=batch.attention_mask,
        position_ids=batch.position_ids,
        use_cache=False,
    )
    states, targets = hidden.states[:, :-1][batch.mask], batch.input_ids[:, 1:][batch.mask]
    size = LOGITS_AT_A_TIME["cpu" if states.device.type == "cpu" else "accelerator"]
    parts = [
        _of_logits(hidden.logits(states[rows]).float(), targets[rows], decodings)
        for rows in (slice(start, start + size) for start in range(0, max(1, len(targets)), size))
    ]
    ends = batch.mask.sum(1).cumsum(0)[:-1].tolist()
    by_record = [np.split(torch.cat(column).cpu().numpy(), ends) for column in zip(*parts, strict=True)]
    return [
        TokenSignals(logprobs, is_argmax, mean, variance, dict(zip(decodings, sampled, strict=True)))
        for logprobs, is_argmax, mean, variance, *sampled in zip(*by_record, strict=True)
    ]


def _of_logits(
    logits: torch.Tensor, targets: torch.Tensor, decodings: Sequence[Decoding]
) -> tuple[torch.Tensor, ...]:
    """(n,) each: log-probability, whether the most likely, mean and variance, and those of the decodings.

    logits: (n, V), which are overwritten; targets: (n,).
    """
    sampled = [_sampled(logits, targets, decoding) for decoding in decodings]
    at = targets.unsqueeze(-1)
    chosen = logits.gather(-1, at)
    best_other = logits.scatter_(-1, at, -torch.inf).amax(-1, keepdim=True)
    logits.scatter_(-1, at, chosen)
    is_argmax = (chosen > best_other).squeeze(-1)
    tied = (chosen == best_other).squeeze(-1)
    if tied.any():  # greedy decoding takes the first
        is_argmax[tied] = logits[tied].argmax(-1) == targets[tied]
    greatest = torch.maximum(chosen, best_other)
    below, chosen = logits.sub_(greatest), (chosen - greatest).squeeze(-1)
    # What lies so far below has no weight in float32; were it -inf, 0 times it would be no number.
    weights = below.clamp_(min=-200.0).exp()
    total = weights.sum(-1)
    weighted = weights.mul_(below)
    mean = weighted.sum(-1) / total
    variance = torch.linalg.vecdot(weighted, below) / total - mean.square()
    log_total = total.log()
    return chosen - log_total, is_argmax, mean - log_total, variance.clamp(min=0.0), *sampled


def _sampled(logits: torch.Tensor, targets: torch.Tensor, decoding: Decoding) -> torch.Tensor:
    """(n,) log-probability of drawing the target from the `top_k` most likely tokens at a temperature."""
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
        arrays[decoding.column] = np.concatenate([row.sampled[decoding] for row in signals])
    return arrays


def separated(arrays: dict[str, np.ndarray]) -> list[TokenSignals]:
    """The inverse of `concatenated`; nobody can change what it gives, since all attacks share it."""
    for values in arrays.values():
        values.setflags(write=False)
    ways = ((Decoding.of_column(name), values) for name, values in arrays.items())
    sampled = {way: values for way, values in ways if way is not None}
    whole = TokenSignals(arrays["logprobs"], arrays["is_argmax"], arrays["mean"], arrays["variance"], sampled)
    ends = np.cumsum(arrays["lengths"])
    return [whole[end - length : end] for end, length in zip(ends, arrays["lengths"], strict=True)]
