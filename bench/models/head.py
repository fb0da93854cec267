"""A model's last hidden states and its output head apart, so that logits need not be held all at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch

Logits = Callable[[torch.Tensor], torch.Tensor]
"""From hidden states (n, D) to logits (n, V)."""

PROBE = 8
"""Tokens that a model is tried on before its head is used apart."""

_known: WeakKeyDictionary[torch.nn.Module, bool] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a model says before its output head.

    Attributes:
        states: (B, T + 1, D), or the logits themselves, D = V, where the head cannot be used apart.
        logits: what turns rows of them into logits.
    """

    states: torch.Tensor
    logits: Logits


def hidden_states(model: torch.nn.Module, **inputs: Any) -> Hidden:
    """Run the model up to its output head.

    Some models do more to their logits than their head does (they scale or cap them), so each model is
    tried once; where its head alone gives other logits, the states are the logits.
    """
    head = _head(model)
    if head is not None and model not in _known:
        short = {
            name: value[:1, :PROBE] if torch.is_tensor(value) else value for name, value in inputs.items()
        }
        states, logits = _run_apart(model, head, short)
        _known[model] = torch.allclose(logits(states), model(**short).logits, rtol=1e-4, atol=1e-4)
    if head is not None and _known[model]:
        return Hidden(*_run_apart(model, head, inputs))
    return Hidden(model(**inputs).logits, lambda rows: rows)


def _head(model: torch.nn.Module) -> torch.nn.Module | None:
    with contextlib.suppress(AttributeError, NotImplementedError, TypeError):
        head = model.get_output_embeddings()  # type: ignore[operator]
        return head if isinstance(head, torch.nn.Module) else None
    return None


def _run_apart(
    model: torch.nn.Module, head: torch.nn.Module, inputs: dict[str, Any]
) -> tuple[torch.Tensor, Logits]:
    """The states that reach the head, and the head; the model gets a narrow stand-in for its logits."""
    seen: list[torch.Tensor] = []

    def stand_in(states: torch.Tensor) -> torch.Tensor:
        seen.append(states)
        return states[..., :1]

    own = head.__dict__.get("forward")
    logits: Logits = head.forward
    head.forward = stand_in
    try:
        model(**inputs)
    finally:
        if own is None:
            del head.forward
        else:
            head.forward = own
    return seen[0], logits
