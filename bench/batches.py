"""Records of different lengths in one tensor, and the one way in which a model is run over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from bench.tokens import Tokens


@dataclass(frozen=True, slots=True)
class Batch:
    """`B` records, padded on the right to `T` scored tokens.

    Attributes:
        input_ids: (B, T + 1) the start token, the tokens, then padding.
        attention_mask: (B, T + 1) 1 on the start token and the tokens.
        position_ids: (B, T + 1) stated, since models with learned positions need them per record.
        mask: (B, T) bool; which targets are tokens of the record.
        reference_logprobs: (B, T) nats, float32, of a reference model; 0 on padding.
    """

    input_ids: torch.Tensor
    attention_mask: torch.Tensor
    position_ids: torch.Tensor
    mask: torch.Tensor
    reference_logprobs: torch.Tensor | None = None


def collate(
    records: Sequence[Tokens],
    device: torch.device,
    reference_logprobs: Sequence[np.ndarray] | None = None,
) -> Batch:
    """Put records into one batch; padding is told from tokens by length, never by id."""
    lengths = torch.tensor([len(record.input_ids) for record in records])
    width = int(lengths.max())
    input_ids = torch.zeros((len(records), width), dtype=torch.long)
    for row, record in zip(input_ids, records, strict=True):
        row[: len(record.input_ids)] = torch.from_numpy(record.input_ids)
    positions = torch.arange(width).expand(len(records), width)
    attention_mask = (positions < lengths[:, None]).long()
    reference = None
    if reference_logprobs is not None:
        reference = torch.zeros((len(records), width - 1))
        for row, values in zip(reference, reference_logprobs, strict=True):
            row[: len(values)] = torch.tensor(values)
        reference = reference.to(device)
    return Batch(
        input_ids=input_ids.to(device),
        attention_mask=attention_mask.to(device),
        position_ids=positions.to(device),
        mask=attention_mask[:, 1:].bool().to(device),
        reference_logprobs=reference,
    )


def logits_and_logprobs(model: torch.nn.Module, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """Run the model once.

    Returns:
        logits (B, T, V) float32 for each scored position, and logprobs (B, T) nats, float32, of the
        tokens that stand there; positions on padding hold finite values that mean nothing.
    """
    output = model(
        input_ids=batch.input_ids,
        attention_mask=batch.attention_mask,
        position_ids=batch.position_ids,
        use_cache=False,
    )
    logits = output.logits[:, :-1].float()
    targets = batch.input_ids[:, 1:]
    chosen = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return logits, chosen - logits.logsumexp(-1)


def mean_over_own_tokens(losses: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """(B,) each record's mean of its own tokens' losses, from losses and mask of shape (B, T).

    A record without a single token has a loss of 0.
    """
    kept = torch.where(mask, losses, 0.0)
    return kept.sum(-1) / mask.sum(-1).clamp(min=1)
