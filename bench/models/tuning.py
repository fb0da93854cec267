"""What of a model is trained: everything, or low-rank adapters of its linear layers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Tuning = Literal["full", "lora"]

LORA_RANK = 16


def tuned(model: torch.nn.Module, tuning: Tuning, seed: int) -> torch.nn.Module:
    """The model, made ready for training.

    Args:
        tuning: `full` trains every parameter; `lora` freezes them and adds adapters of rank 16 and
            scale 2 to every linear layer but the output head (Hu et al., ICLR 2022).
        seed: of the adapters' random start.
    """
    if tuning == "full":
        return model.requires_grad_(True)
    import torch
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(seed)
    config = LoraConfig(
        r=LORA_RANK,
        lora_alpha=2 * LORA_RANK,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        # GPT-2 keeps its weights transposed; PEFT sets the flag for that itself, and says so.
        warnings.filterwarnings("ignore", message="fan_in_fan_out")
        # PEFT asks transformers for a property under the name that it had before.
        warnings.filterwarnings("ignore", message="`is_gradient_checkpointing`")
        return get_peft_model(model, config)
