import re
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from bench.errors import InputError
from bench.records.duplicates import ROWS_AT_A_TIME, near_duplicates
from bench.records.record import Record
from bench.records.splits import SPLITS, Shares, split

few_words = st.lists(st.sampled_from(["a", "B", "b", "c,", "¿d"]), max_size=11).map(" ".join)
texts = st.one_of(few_words, st.sampled_from(["!!!", "?", " ", "\n", "ß x", "SS X", "a  b. c-d e f"]))


def shingles(text: str) -> set[tuple[str, ...]]:
    words = [word for word in re.split(r"\W+", text.casefold()) if word] or [text]
    if len(words) <= 5:
        return {tuple(words)}
    return {tuple(words[start : start + 5]) for start in range(len(words) - 4)}


def slowly(texts: list[str]) -> set[tuple[int, int]]:
    sets = [shingles(text) for text in texts]
    return {
        (i, j)
        for i, j in combinations(range(len(texts)), 2)
        if 2 * len(sets[i] & sets[j]) >= len(sets[i] | sets[j])
    }


@settings(deadline=None, max_examples=150)
@given(st.lists(texts, min_size=1, max_size=12))
def test_near_duplicates_are_those_that_a_slow_loop_finds(texts):
    pairs = list(near_duplicates(texts))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == slowly(texts)


def test_near_duplicates_share_half_of_their_five_word_sequences():
    # 0 and 1 share 3 of 3 + 1 + 1 sequences (3/5); 0 and 2 share 1 of 4 + 4 - 1 (1/7).
    assert list(near_duplicates(["a b c d e f g h", "a b c d e f g x", "a b c d e x y z"])) == [(0, 1)]
    # 2 of 3 + 3 - 2: exactly one half is near.
    assert list(near_duplicates(["a b c d e f g", "a b c d e f x", "z b c d e f g h"])) == [(0, 1)]


def test_identical_texts_and_texts_that_differ_in_case_and_marks_are_near():
    assert set(near_duplicates(["One, two!", "one two", "One, two!"])) == {(0, 1), (0, 2), (1, 2)}


def test_short_texts_are_near_only_where_all_words_agree():
    assert list(near_duplicates(["a b c d", "a b c", "a b c d e", "b a c d"])) == []


def test_texts_without_a_word_are_near_only_where_they_are_equal():
    assert list(near_duplicates(["!!", "?", "!!", "", " "])) == [(0, 2)]


def test_a_pair_far_apart_in_a_long_corpus_is_found():
    far = ROWS_AT_A_TIME + 60
    corpus = [f"w{i} x{i} y{i} z{i} u{i} v{i}" for i in range(far + 5)]
    corpus[far] = corpus[3]
    assert list(near_duplicates(corpus)) == [(3, far)]


def records(groups: list[int | None], texts: list[str] | None = None) -> list[Record]:
    """One record for each group; without texts, no two are near each other."""
    texts = texts or [f"t{i}" for i in range(len(groups))]
    named = [None if group is None else f"g{group}" for group in groups]
    return [
        Record(f"r{i}", text, (), group) for i, (text, group) in enumerate(zip(texts, named, strict=True))
    ]


def clusters(corpus: list[Record]) -> list[set[int]]:
    """Connected components, by merging sets until nothing changes."""
    found = [{i} for i in range(len(corpus))]
    same_group = {(i, j) for i, j in combinations(range(len(corpus)), 2) if corpus[i].unit == corpus[j].unit}
    for one, other in same_group | slowly([record.text for record in corpus]):
        joined = [cluster for cluster in found if one in cluster or other in cluster]
        found = [cluster for cluster in found if cluster not in joined] + [set().union(*joined)]
    return found


corpora = st.lists(st.tuples(st.none() | st.integers(0, 12), texts.filter(bool)), min_size=1, max_size=40)


@settings(deadline=None, max_examples=150)
@given(corpora, st.integers(0, 3))
def test_neither_groups_nor_near_duplicates_cross_a_border(drawn, seed):
    corpus = records([group for group, _ in drawn], [text for _, text in drawn])
    if len(clusters(corpus)) < 5:
        with pytest.raises(InputError, match="too few"):
            split(corpus, Shares(), seed)
        return
    parts = split(corpus, Shares(), seed)
    assert tuple(parts) == SPLITS
    assert sorted(record.id for part in parts.values() for record in part) == sorted(r.id for r in corpus)
    home = {record.id: name for name, part in parts.items() for record in part}
    for cluster in clusters(corpus):
        assert len({home[f"r{index}"] for index in cluster}) == 1


shares = st.lists(st.integers(2, 12), min_size=5, max_size=5).map(
    lambda weights: Shares(**{name: w / sum(weights) for name, w in zip(SPLITS, weights, strict=True)})
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.integers(1, 4), min_size=5, max_size=60), shares, st.integers(0, 3))
def test_shares_are_met_within_the_size_of_a_cluster(sizes, shares, seed):
    corpus = records([group for group, size in enumerate(sizes) for _ in range(size)])
    parts = split(corpus, shares, seed)
    for name, share in shares.model_dump().items():
        # No split overshoots by a cluster, so that one may miss its share of what the other four took.
        assert len(parts[name]) <= share * len(corpus) + max(sizes)
        assert len(parts[name]) >= share * (len(corpus) - 4 * max(sizes))
        assert parts[name]


def test_default_shares_of_two_hundred_single_records():
    parts = split(records([None] * 200), Shares(), seed=0)
    assert [len(parts[name]) for name in SPLITS] == [60, 60, 30, 15, 35]


def test_each_split_keeps_the_order_of_the_records():
    corpus = records([None] * 30)
    for part in split(corpus, Shares(), seed=3).values():
        assert part == [record for record in corpus if record in part]


def test_a_seed_gives_one_split_and_another_seed_another():
    corpus = records([i // 2 for i in range(80)])
    assert split(corpus, Shares(), 7) == split(corpus, Shares(), 7)
    assert len({str(split(corpus, Shares(), seed)) for seed in range(10)}) == 10


@pytest.mark.parametrize("groups", [[None] * 4, [0] * 50, [i % 4 for i in range(40)]])
def test_too_few_groups_are_refused_with_their_number(groups):
    count = len(set(groups)) if groups[0] is not None else len(groups)
    with pytest.raises(InputError, match=f"{len(groups)} records in {count} groups are too few"):
        split(records(groups), Shares(), 0)


def test_no_record_at_all_is_too_few():
    with pytest.raises(InputError, match="too few"):
        split([], Shares(), 0)


def test_shares_must_sum_to_one_and_leave_no_split_out():
    with pytest.raises(ValidationError, match=r"must sum to 1, not 1\.125"):
        Shares(holdout=0.3)
    with pytest.raises(ValidationError, match="greater than 0"):
        Shares(holdout=0.0, target=0.475)
    assert Shares(holdout=0.3, target=0.25, complement=0.25, population=0.125).validation == 0.075
