"""The tokenized records of labs: each split once, whatever the seed and the defense."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.models.loading import load_tokenizer
from bench.tasks import OTHER_HALF, Lab
from bench.tokens import Tokens, tokenize

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class Corpora:
    """Tokenizes on demand, and keeps what it has tokenized."""

    def __init__(self) -> None:
        self._tokenizers: dict[Path, tuple[PreTrainedTokenizerFast, int]] = {}
        self._tokens: dict[tuple[str, Path, int, str], list[Tokens]] = {}

    def tokens(self, lab: Lab, split: str) -> list[Tokens]:
        """The records of one split, in order."""
        key = (lab.data_digest, lab.folder, lab.settings.max_length, split)
        if key not in self._tokens:
            if lab.folder not in self._tokenizers:
                self._tokenizers[lab.folder] = load_tokenizer(lab.folder)
            tokenizer, start_token = self._tokenizers[lab.folder]
            self._tokens[key] = tokenize(lab.splits[split], tokenizer, start_token, lab.settings.max_length)
        return self._tokens[key]

    def count(self, lab: Lab, splits: Iterable[str]) -> int:
        """How many tokens some splits have."""
        return sum(len(row) for split in splits for row in self.tokens(lab, split))

    def frequency(self, lab: Lab) -> dict[str, Counter[int]]:
        """For each half that is trained on, how often each token id occurs in the other half."""
        return {
            half: Counter(
                token for row in self.tokens(lab, OTHER_HALF[half]) for token in row.input_ids[1:].tolist()
            )
            for half in lab.members
        }
