"""The attack contract: evidence in, scores out.

An attack sees passages (a record, or one span of it) with the token signals of the models that its
adversary may use. It sees no model, no label and no threshold.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from bench.plugin import Plugin

Knowledge = Literal["target", "base", "population", "complement"]
"""What an adversary holds beyond a record's text, in rising order: the fine-tuned model's token
probabilities; and the public base model; and records of its own; and the complementary half."""

Unit = Literal["record", "span"]
Floats = np.ndarray[tuple[int], np.dtype[np.floating]]
Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]


_SAMPLED = "sampled:"


@dataclass(frozen=True, slots=True)
class Decoding:
    """Sampling at a temperature, from the `top_k` most likely tokens (0: from all)."""

    temperature: float = 1.0
    top_k: int = 0

    @property
    def column(self) -> str:
        """What stored signals call its log-probabilities."""
        return f"{_SAMPLED}{self.temperature!r}:{self.top_k}"

    @classmethod
    def of_column(cls, name: str) -> "Decoding | None":
        """The decoding whose log-probabilities a column of stored signals holds, if it does."""
        if not name.startswith(_SAMPLED):
            return None
        temperature, top_k = name.removeprefix(_SAMPLED).split(":")
        return cls(float(temperature), int(top_k))


@dataclass(frozen=True, slots=True)
class TokenSignals:
    """What one model says of `T` successive tokens, given all that stands before each.

    Attributes:
        logprobs: (T,) nats, float32; log p(x_t | x_<t).
        is_argmax: (T,) bool; whether the true token was the most likely one.
        mean: (T,) nats, float32; expectation of the log-probability over the vocabulary.
        variance: (T,) nats squared, float32; its variance.
        sampled: for each decoding asked for, (T,) nats, float32; the log-probability of drawing the
            true token, -inf where the decoding can never draw it.
    """

    logprobs: Floats
    is_argmax: Bools
    mean: Floats
    variance: Floats
    sampled: Mapping[Decoding, Floats]

    @property
    def mean_logprob(self) -> float:
        """Mean log-probability in nats a token; NaN where there is no token."""
        return float(self.logprobs.mean(dtype=np.float64)) if len(self) else float("nan")

    def __len__(self) -> int:
        return len(self.logprobs)

    def __getitem__(self, tokens: slice) -> "TokenSignals":
        return TokenSignals(
            self.logprobs[tokens],
            self.is_argmax[tokens],
            self.mean[tokens],
            self.variance[tokens],
            {decoding: values[tokens] for decoding, values in self.sampled.items()},
        )


@dataclass(frozen=True, slots=True)
class Passage:
    """A record, or one span of it, as an attack sees it.

    Attributes:
        text: exactly the text of the tokens that the signals are of.
        signals: by the source that the attack asked for: `target` is the model under attack.
    """

    text: str
    signals: Mapping[str, TokenSignals]

    @property
    def target(self) -> TokenSignals:
        """The signals of the model under attack."""
        return self.signals["target"]

    def __len__(self) -> int:
        return len(self.target)


class Attack(Plugin):
    """What membership and extraction attacks have in common.

    A source is `target`, `base`, `complement` (the auditor's reference model, trained on the
    complementary half), `population` (the adversary's own, trained on the population split), or
    `model:NAME` (any other model that shares the tokenizer).
    """

    adaptive: ClassVar[bool] = False
    """Whether it is made for one defense, and need not find what an undefended model memorizes."""

    @property
    @abstractmethod
    def knowledge(self) -> Knowledge:
        """What the adversary knows."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The models whose signals the attack reads."""
        return ("target",)

    @property
    def decodings(self) -> tuple[Decoding, ...]:
        """The ways of sampling whose log-probabilities the attack reads."""
        return ()


class MembershipAttack(Attack):
    """Tells members from non-members: one score a passage."""

    @abstractmethod
    def scores(self, passages: Sequence[Passage]) -> Floats:
        """(n,) one score a passage, higher = more member-like; NaN where there is no evidence."""


class ExtractionAttack(Attack):
    """Makes the model say what it was trained on: one chance of success a passage."""

    @property
    def extracts(self) -> Unit:
        """What is extracted: each span given all text before it, or a part of each record."""
        return "span"

    @abstractmethod
    def successes(self, passages: Sequence[Passage]) -> Floats:
        """(n,) chance in [0, 1] of reproducing each passage exactly; NaN where it cannot be tried."""

    def log_chances(self, passages: Sequence[Passage]) -> Floats:
        """(n,) nats: the log-probability that one sample reproduces each passage, -inf where none can.

        The engine reports what several samples come to. NaN where the attack does not sample.
        """
        return np.full(len(passages), np.nan)
