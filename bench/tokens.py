"""A record as a model sees it: tokenized once, its spans mapped onto tokens by their offsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.records import Record

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Bools = np.ndarray[tuple[int], np.dtype[np.bool_]]
Offsets = np.ndarray[tuple[int, int], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """The tokens that overlap a span of personal information.

    Attributes:
        start, end: half-open range over the record's scored tokens.
        label: as the record has it.
        in_prefix: whether the span's value stands in the text before it, so that it can be copied.
        first_mention: whether no earlier span of the record has the value, whatever its case.
    """

    start: int
    end: int
    label: str
    in_prefix: bool
    first_mention: bool = True


@dataclass(frozen=True, slots=True)
class Tokens:
    """A tokenized record with `T` scored tokens.

    Attributes:
        record_id, unit: the record's id, and its privacy unit.
        input_ids: (T + 1,) the start token, then the record's tokens.
        starts, ends: (T,) each token's code points in the record's text, `ends` exclusive.
        personal: (T,) whether a token belongs to personal information.
        text: the record's text.
        spans: those whose tokens were all kept.
        lost_spans: how many spans truncation removed, whole or in part.
    """

    record_id: str
    unit: str
    input_ids: Ints
    starts: Ints
    ends: Ints
    personal: Bools
    text: str
    spans: tuple[TokenSpan, ...]
    lost_spans: int

    def __len__(self) -> int:
        return len(self.starts)

    def text_of(self, tokens: slice) -> str:
        """Exactly the text that a range of tokens covers."""
        if len(self.starts[tokens]) == 0:
            return ""
        return self.text[int(self.starts[tokens].min()) : int(self.ends[tokens].max())]


def tokenize(
    records: Sequence[Record], tokenizer: "PreTrainedTokenizerFast", start_token: int, max_length: int
) -> list[Tokens]:
    """Tokenize each record once and cut it to `max_length` scored tokens.

    A span's tokens are those that overlap it, from the first to the last: a merge across its border
    belongs to it. Text that spells a special token is text.
    """
    from tokenizers import Tokenizer
    from tokenizers.processors import ByteLevel

    backend = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    backend.encode_special_tokens = True
    # Trimmed offsets would leave a token of white space without any character.
    backend.post_processor = ByteLevel(trim_offsets=False)
    backend.no_truncation()
    backend.no_padding()
    return [
        _tokens(
            record, np.array(encoding.ids), np.array(encoding.offsets).reshape(-1, 2), start_token, max_length
        )
        for record, encoding in zip(
            records,
            backend.encode_batch([record.text for record in records], add_special_tokens=False),
            strict=True,
        )
    ]


def _tokens(record: Record, ids: Ints, offsets: Offsets, start_token: int, max_length: int) -> Tokens:
    starts, ends = offsets[:, 0], offsets[:, 1]
    personal = np.zeros(len(ids), dtype=np.bool_)
    spans, lost = [], 0
    mentioned: set[str] = set()
    for span in record.spans:
        value = record.text[span.start : span.end]
        first_mention = value.casefold() not in mentioned
        mentioned.add(value.casefold())
        overlapping = np.flatnonzero((starts < span.end) & (ends > span.start))
        if len(overlapping) == 0:
            lost += 1
            continue
        first, last = int(overlapping[0]), int(overlapping[-1])
        personal[first : last + 1] = True
        if last >= max_length:
            lost += 1
            continue
        in_prefix = value in record.text[: span.start]
        spans.append(TokenSpan(first, last + 1, span.label, in_prefix, first_mention))
    kept = slice(0, max_length)
    return Tokens(
        record_id=record.id,
        unit=record.unit,
        input_ids=np.concatenate([[start_token], ids[kept]]).astype(np.int64),
        starts=starts[kept],
        ends=ends[kept],
        personal=personal[kept],
        text=record.text,
        spans=tuple(spans),
        lost_spans=lost,
    )
