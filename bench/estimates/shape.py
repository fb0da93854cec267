"""A model's shape, read off its configuration: no weight is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import InputError

if TYPE_CHECKING:
    from bench.models.tuning import Tuning
    from bench.privacy.clipping import Means


@dataclass(frozen=True)
class Shape:
    """What of a model decides what it costs.

    Attributes:
        parameters, trained: how many there are, and how many of them are trained.
        products, trained_products: how many are weights that every token is multiplied with, the output
            head and adapters included; a mixture of experts counts as if all of them were asked.
        layers, attention_width: the latter is heads x their width.
        features: inputs and outputs of all linear layers but the head, summed over layers.
        vocabulary: how many logits a token has.
        means: how DP-SGD clips by default where records are the unit.
        records_at_a_time: how many records that clips at once, by means.
    """

    parameters: int
    trained: int
    products: int
    trained_products: int
    layers: int
    attention_width: int
    features: int
    vocabulary: int
    means: Means
    records_at_a_time: dict[Means, int]


@cache
def shape_of(folder: Path, tuning: Tuning) -> Shape:
    """The shape of a model that is tuned so, built on PyTorch's meta device, which holds no numbers.

    Raises:
        InputError: transformers cannot build a causal language model from the folder's configuration.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    from bench.models.tuning import tuned
    from bench.privacy.clipping import means_for, physical_batch_size

    try:
        config: Any = AutoConfig.from_pretrained(folder)
        with torch.device("meta"):
            model: Any = AutoModelForCausalLM.from_config(config, dtype=torch.float32)  # type: ignore[no-untyped-call]
            head = model.get_output_embeddings()
            features = sum(sum(weight.shape[-2:]) for weight in _multiplied(model, but=head))
            model = tuned(model, tuning, seed=0)
    except Exception as error:
        why = " ".join(str(error).split())[:200]
        raise InputError(f"the model in {folder} cannot be planned for: {why}") from None
    parameters, products = list(model.parameters()), _multiplied(model)
    text = config.get_text_config()
    heads = getattr(text, "num_attention_heads", 0)
    head_width = getattr(text, "head_dim", None) or (text.hidden_size // heads if heads else 0)
    return Shape(
        parameters=sum(p.numel() for p in parameters),
        trained=sum(p.numel() for p in parameters if p.requires_grad),
        products=sum(p.numel() for p in products),
        trained_products=sum(p.numel() for p in products if p.requires_grad),
        layers=text.num_hidden_layers,
        attention_width=heads * head_width,
        features=features,
        vocabulary=text.vocab_size,
        means=means_for(model, "record"),
        records_at_a_time={
            "ghost": physical_batch_size(model, "ghost"),
            "per-record": physical_batch_size(model, "per-record"),
        },
    )


def _multiplied(model: Any, but: Any = None) -> list[Any]:
    """The matrices that tokens are multiplied with, a tied output head too; embeddings are looked up."""
    import torch

    return [
        parameter
        for module in model.modules()
        if not isinstance(module, torch.nn.Embedding) and module is not but
        for parameter in module.parameters(recurse=False)
        if parameter.ndim > 1
    ]
