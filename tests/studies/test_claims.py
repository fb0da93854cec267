"""A sentence says no more than intervals bear."""

import pytest

from bench.studies.claims import of_hardness, sentences
from bench.studies.file import Course, Group, Hardness, Point
from bench.studies.points import Observed

GROUP = Group(dataset="essays", model="tiny", tuning="full", protocol="half")


def place(value, tra, ends=None, gain=1.0, leak=0.5):
    point = Point(
        group=GROUP,
        series="none",
        spec=f"none:epochs={value}",
        value=value,
        members=30,
        seeds=(0,),
        nll=2.0,
        reference_nll=2.5,
        gain_kept=gain,
        tra_pii=tra,
        tra_pii_ci=ends,
        tra_other=0.25,
        share_above_1_nat=0.5,
        extracted=0.125,
        extracted_ci=None,
        extracted_floor=0.0,
        leak=leak,
        leak_ci=None,
        leak_attack="loss on records",
        flags=(),
    )
    return Observed(point, {})


def said(study, *line, best=2):
    course = Course(group=GROUP, seed=0, validation_nll=(2.0, 1.0, 3.0), best_epoch=best)
    (sentence,) = sentences(study, line, [course])
    return sentence


@pytest.mark.parametrize(
    ("study", "small", "large", "verdict"),
    [
        ("size", (3.0, (2.5, 3.5)), (1.0, (0.5, 1.5)), "is larger on small data is shown: +2.00 nats"),
        ("size", (1.0, (0.5, 1.5)), (3.0, (2.5, 3.5)), "is larger on small data is refuted: -2.00 nats"),
        (
            "size",
            (1.2, (0.5, 1.9)),
            (1.0, (0.4, 1.6)),
            "is larger on small data is neither shown nor refuted",
        ),
        ("size", (3.0, None), (1.0, None), "cannot be judged: a figure or its interval is lacking"),
        ("size", (None, None), (1.0, (0.5, 1.5)), "cannot be judged: a figure or its interval is lacking"),
    ],
)
def test_a_claim_is_judged_by_the_interval_of_the_difference(study, small, large, verdict):
    assert verdict in said(study, place(10, *small), place(40, *large))


def test_the_interval_of_two_independent_figures_is_the_root_of_the_summed_squares():
    # 3 (2.7 to 3.4) less 1 (0.6 to 1.3): 2, from 2 - sqrt(.3^2 + .3^2) to 2 + sqrt(.4^2 + .4^2).
    sentence = said("size", place(10, 3.0, (2.7, 3.4)), place(40, 1.0, (0.6, 1.3)))
    assert sentence.endswith("+2.00 nats (1.58 to 2.57).")


def test_places_without_an_interval_are_not_what_a_claim_is_judged_by():
    line = place(10, 9.0), place(20, 3.0, (2.5, 3.5)), place(40, 1.0, (0.5, 1.5))
    sentence = said("size", *line)
    assert "from 20 to 40 records" in sentence
    assert "shown: +2.00 nats" in sentence


@pytest.mark.parametrize(
    ("places", "best", "compared"),
    [
        ((1, 4, 9, 20), 4, "from 4 to 20"),
        ((1, 4, 9, 20), 5, "from 9 to 20"),
        ((1, 4, 9, 20), 9, "from 9 to 20"),
    ],
)
def test_growth_past_the_minimum_is_judged_from_a_place_at_or_past_it(places, best, compared):
    sentence = said("dynamics", *(place(value, 1.0) for value in places), best=best)
    assert f"least after epoch {best}; {compared} epochs" in sentence


@pytest.mark.parametrize(("places", "best"), [((1, 3), 3), ((1, 20), 8), ((1, 5), 9)])
def test_without_two_places_past_the_minimum_nothing_is_said_of_growth(places, best):
    sentence = said("dynamics", *(place(value, 1.0) for value in places), best=best)
    assert "there are not two places at or past it; raise --epochs" in sentence
    assert "shown" not in sentence


def test_with_several_seeds_the_last_of_their_minima_counts():
    courses = [
        Course(group=GROUP, seed=seed, validation_nll=(1.0,), best_epoch=best)
        for seed, best in enumerate((2, 6))
    ]
    (sentence,) = sentences("dynamics", [place(value, 1.0) for value in (2, 4, 8, 16)], courses)
    assert "least after epochs 2 to 6, by seed; from 8 to 16" in sentence


def test_a_single_place_is_compared_with_nothing():
    assert "nothing to compare it with" in said("size", place(10, 3.0, (2.5, 3.5)))


def test_values_that_no_other_beats_are_named():
    line = (
        place(1, 3.0, gain=0.9, leak=0.9),
        place(2, 2.0, gain=0.8, leak=0.9),
        place(4, 1.0, gain=0.7, leak=0.1),
    )
    assert said("frontier", *line).endswith("By estimates alone, those on the frontier are 1, 4.")


def test_what_lacks_a_leak_is_not_on_the_frontier():
    line = place(1, 3.0, leak=None), place(2, 2.0, leak=None)
    assert said("frontier", *line).endswith("cannot be told: gain or leak is n/a.")
    line = place(1, 3.0, leak=None), place(2, 2.0, leak=0.2)
    assert said("frontier", *line).endswith("those on the frontier are 2.")


@pytest.mark.parametrize(
    ("members", "nonmembers", "verdict"),
    [
        ((0.8, (0.7, 0.9)), (0.1, (-0.1, 0.3)), "is shown: +0.70 (0.48 to 0.92)."),
        ((0.1, (-0.1, 0.3)), (0.8, (0.7, 0.9)), "is refuted: -0.70 (-0.92 to -0.48)."),
        # A correlation that is there where nothing can be memorized is none of memorization.
        ((0.8, (0.7, 0.9)), (0.7, (0.5, 0.85)), "is neither shown nor refuted: +0.10 (-0.08 to 0.32)."),
        ((0.8, None), (0.1, (-0.1, 0.3)), "cannot be judged: a figure or its interval is lacking."),
        ((None, None), (None, None), "cannot be judged: a figure or its interval is lacking."),
    ],
)
def test_difficulty_is_judged_against_records_of_which_nothing_is_memorized(members, nonmembers, verdict):
    whole = Hardness(
        group=GROUP,
        spec="none",
        of="corpus",
        name="essays",
        n_tokens=100,
        difficulty=3.0,
        tra=1.0,
        tra_ci=None,
        rank=members[0],
        rank_ci=members[1],
        rank_nonmembers=nonmembers[0],
        rank_nonmembers_ci=nonmembers[1],
    )
    (sentence,) = of_hardness([whole, whole.model_copy(update={"of": "label", "name": "person"})])
    assert sentence.endswith(verdict)
