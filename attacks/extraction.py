"""Prefix extraction (Carlini et al., ICLR 2023): given what stands before, does the model say the rest?

Greedy decoding from the true prefix reproduces a passage exactly if and only if each of its tokens is
the model's most likely one given the true tokens before it, so no text is generated. Sampling
succeeds with probability p_z, the product of the tokens' probabilities, and within n tries with
1 - (1 - p_z)^n (Hayes et al., NAACL 2025).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from bench.attack import Decoding, ExtractionAttack, Floats, Knowledge, Passage, TokenSignals, Unit


class Extraction(ExtractionAttack):
    """Exact reproduction of a span from all text before it, or of a record from its first tokens."""

    name: ClassVar[str] = "extraction"

    decoding: Literal["greedy", "sample"] = Field("greedy", description="most likely token, or drawn")
    temperature: float = Field(1.0, ge=1e-6, description="of sampling")
    top_k: int = Field(0, ge=0, description="sample from the k most likely tokens; 0 from all")
    tries: int = Field(1, ge=1, description="samples drawn; one that is right suffices")
    unit: Unit = Field("span", description="what is extracted")
    prefix: int = Field(50, ge=0, description="tokens of the record that are given, for unit=record")
    length: int = Field(50, ge=1, description="tokens of the record that must follow, for unit=record")

    @property
    def knowledge(self) -> Knowledge:
        """The fine-tuned model alone."""
        return "target"

    @property
    def extracts(self) -> Unit:
        """Spans, or records."""
        return self.unit

    @property
    def decodings(self) -> tuple[Decoding, ...]:
        """The way of sampling, where it is not greedy."""
        return () if self.decoding == "greedy" else (self._sampling,)

    @property
    def _sampling(self) -> Decoding:
        return Decoding(self.temperature, self.top_k)

    def successes(self, passages: Sequence[Passage]) -> Floats:
        """0 or 1 for greedy decoding, else the chance that one of the tries is right."""
        if self.decoding == "greedy":
            wanted = [self._wanted(passage) for passage in passages]
            return np.array([np.nan if one is None else float(one.is_argmax.all()) for one in wanted])
        p_z = np.minimum(1.0, np.exp(self.log_chances(passages)))
        with np.errstate(divide="ignore"):  # log(1 - p_z) of a sure success
            chances: Floats = -np.expm1(self.tries * np.log1p(-p_z))
        return chances

    def log_chances(self, passages: Sequence[Passage]) -> Floats:
        """log p_z of each passage; beside greedy decoding, of sampling from all tokens at temperature 1."""
        wanted = [self._wanted(passage) for passage in passages]
        return np.array([np.nan if one is None else self._log_p(one) for one in wanted])

    def _log_p(self, signals: TokenSignals) -> float:
        greedy = self.decoding == "greedy"
        return float((signals.logprobs if greedy else signals.sampled[self._sampling]).sum(dtype=np.float64))

    def _wanted(self, passage: Passage) -> TokenSignals | None:
        """The tokens that must be reproduced; None where the passage has too few, or no figures."""
        signals = passage.target
        if self.unit == "record":
            signals = signals[self.prefix : self.prefix + self.length]
            if len(signals) < self.length:
                return None
        return signals if len(signals) and not np.isnan(signals.logprobs).any() else None
