import numpy as np
import pytest

from bench.blind import MIN_UNITS, blind_control, blind_scores

WORDS = np.array(["the", "of", "and", "in", "pain", "ward", "letter", "school", "nurse", "essay", "day"])


def texts(count, rng, marker="", prefix="r"):
    """Random sentences, each of its own unit, which may all hold a marker word."""
    return [(" ".join([*rng.choice(WORDS, 30), marker]), f"{prefix}{number}") for number in range(count)]


def test_a_word_that_only_members_use_is_found_out():
    rng = np.random.default_rng(0)
    control = blind_control(texts(40, rng, "zebra", "m"), texts(40, rng, prefix="n"))
    assert control.auc > 0.9
    assert control.shifted
    assert (control.n_members, control.n_nonmembers) == (40, 40)


@pytest.mark.slow
def test_texts_that_tell_nothing_look_like_chance():
    found = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        found.append(blind_control(texts(40, rng, prefix="m"), texts(40, rng, prefix="n"), seed))
    assert np.mean([control.auc for control in found]) == pytest.approx(0.5, abs=0.04)
    assert np.mean([control.shifted for control in found]) <= 0.12


def test_a_mark_of_one_group_does_not_help():
    rng = np.random.default_rng(1)
    marks = ["".join(rng.choice(list("bcdfghjklm"), 6)) for _ in range(25)]
    marked = [
        (f"{text} {marks[number % 25]}", f"m{number % 25}") for number, (text, _) in enumerate(texts(75, rng))
    ]
    others = ["".join(rng.choice(list("bcdfghjklm"), 6)) for _ in range(25)]
    plain = [
        (f"{text} {mark}", unit)
        for (text, unit), mark in zip(texts(25, rng, prefix="n"), others, strict=True)
    ]
    assert not blind_control(marked, plain).shifted


def test_the_order_of_the_texts_does_not_matter():
    rng = np.random.default_rng(2)
    members, nonmembers = texts(25, rng, prefix="m"), texts(25, rng, prefix="n")
    shuffled = [members[place] for place in rng.permutation(25)]
    assert blind_control(shuffled, nonmembers[::-1]) == blind_control(members, nonmembers)


def test_too_few_units_give_no_figure():
    rng = np.random.default_rng(3)
    control = blind_control(texts(MIN_UNITS - 1, rng, prefix="m"), texts(40, rng, prefix="n"))
    assert (control.auc, control.interval, control.shifted) == (None, None, None)


def test_any_text_will_do():
    odd = ["\N{GRINNING FACE}", "a", "\ufeff", "e\u0301", "   ", "\u6f22\u5b57"] * 8
    units = [f"u{number}" for number in range(len(odd))]
    scores = blind_scores(odd, np.arange(len(odd)) % 2 == 0, units)
    assert np.isfinite(scores).all()
    assert ((scores > 0) & (scores < 1)).all()


def test_a_unit_on_both_sides_is_refused():
    with pytest.raises(ValueError, match="one or the other"):
        blind_scores(["a b", "b c", "c d", "d e"], [True, False, True, False], ["u", "u", "v", "w"])
