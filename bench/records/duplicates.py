"""Near-duplicates: texts that share most of their word sequences."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

THRESHOLD = 0.5
SHINGLE_WORDS = 5
ROWS_AT_A_TIME = 512


def near_duplicates(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of indices of texts whose sets of word 5-grams have a Jaccard similarity of at least one half.

    Exact: every pair that shares a 5-gram is compared. A text of fewer words is one shingle.
    """
    if not texts:
        return
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=_shingles, binary=True, dtype=np.int32)
    shingles = csr_matrix(vectorizer.fit_transform(texts))
    sizes = np.diff(shingles.indptr)
    for start in range(0, len(texts), ROWS_AT_A_TIME):
        shared = (shingles[start : start + ROWS_AT_A_TIME] @ shingles.T).tocoo()
        rows, columns = shared.row + start, shared.col
        union = sizes[rows] + sizes[columns] - shared.data
        near = (shared.data >= THRESHOLD * union) & (rows < columns)
        yield from zip(rows[near].tolist(), columns[near].tolist(), strict=True)


def _shingles(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold()) or [text]
    return {" ".join(words[i : i + SHINGLE_WORDS]) for i in range(max(1, len(words) - SHINGLE_WORDS + 1))}
