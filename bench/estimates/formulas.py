"""What a model's shape and the lengths of records come to in FLOPs and bytes.

Lengths are in positions: a record's tokens and its start token. Padding, at most a tenth of a part, norms,
activation functions and the optimizer are left to the share of the peak that is reached.
"""

from __future__ import annotations

from collections.abc import Iterable

from bench.estimates.shape import Shape

FLOAT32 = 4
"""Bytes of a number."""

SAVED = {"float32": 5.0, "bfloat16": 3.2}
"""Bytes that autograd keeps for an input or output of a linear layer, norms and activation functions on the
way included: measured 4.6 to 7.2 in float32, 2.5 to 3.9 under autocast (Llama, Qwen2, GPT-2, GPT-NeoX)."""

LOGIT_COPIES = 4
"""How often the logits exist in float32 at the peak: themselves, their log-sum-exp's and their choice's
gradients, and one on the way; measured 4.04."""

SCORED_LOGIT_COPIES = 4
"""While scoring: themselves, their weights, a product, and one scaled by a temperature."""

PRIVATE_TIMES = {"per-record": {"full": 1.9, "lora": 1.3}, "ghost": {"full": 2.1, "lora": 2.1}}
"""How much longer DP-SGD takes for a token, by means and tuning, as measured in benchmarks/README.md; ghost
clipping of adapters was not, and counts as that of a whole model."""


def forward_flops(shape: Shape, lengths: Iterable[int]) -> float:
    """FLOPs of one forward pass: 2 N a position for N weights, 4 L d T for attention over T of them.

    N are the weights of matrix products, the head's included (Kaplan et al. 2020, table 1, where attention
    counts 2 for half of its products). All T are counted, not the causal half: batches are padded, so
    attention gets a mask and computes what it hides. A kernel that skips it would save 2 L d T.
    """
    return sum(
        2 * shape.products * length + 4 * shape.layers * shape.attention_width * length**2
        for length in lengths
    )


def training_flops(shape: Shape, lengths: Iterable[int]) -> float:
    """FLOPs of a forward and a backward pass.

    Backward, every product has two for its one in forward: for what came in, and for its weights if they
    are trained. So full tuning takes 6 N a position (Kaplan et al. 2020), adapters 4 N and a little.
    """
    lengths = list(lengths)
    attention = 4 * shape.layers * shape.attention_width * sum(length**2 for length in lengths)
    for_weights = 2 * shape.trained_products * sum(lengths)
    return 2 * forward_flops(shape, lengths) + for_weights + attention


def resident_memory(shape: Shape, dtype: str) -> float:
    """Bytes that a training holds all along: weights in float32, of those trained gradients and AdamW's two
    moments as well; under autocast a bfloat16 copy of what is multiplied."""
    cast = 2 * shape.products if dtype == "bfloat16" else 0
    return FLOAT32 * (shape.parameters + 3 * shape.trained) + cast


def step_memory(shape: Shape, positions: int, dtype: str) -> float:
    """Bytes that come and go with a step over a part of so many positions, without checkpointing.

    Activations are inputs and outputs of all linear layers. That is 16 numbers a position, layer and unit
    of width for GPT-2: the 34 bytes of Korthikanti et al. (2022, equation 2) at 2 bytes a number, without
    its dropout masks, and without its 5 a s / h, which fused attention does not store. AdamW's update needs
    as much again as its weights, but only after activations are gone.
    """
    activations = SAVED[dtype] * shape.features * positions
    logits = FLOAT32 * LOGIT_COPIES * shape.vocabulary * positions
    return max(activations + logits, FLOAT32 * shape.trained)


def scoring_memory(shape: Shape, positions: int, logits_at_a_time: int) -> float:
    """Bytes that come and go with a scored batch: one layer's inputs and outputs, and a chunk of logits."""
    layer = FLOAT32 * shape.features / max(1, shape.layers) * positions
    return layer + FLOAT32 * SCORED_LOGIT_COPIES * shape.vocabulary * logits_at_a_time
