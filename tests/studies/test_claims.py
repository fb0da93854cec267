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
        ("learning-rate", (1.0, (0.5, 1.5)), (3.0, (2.5, 3.5)), "at higher learning rates is shown: +2.00"),
        ("learning-rate", (3.0, (2.5, 3.5)), (1.0, (0.5, 1.5)), "at higher learning rates is refuted: -2.00"),
        ("size", (3.0, None), (1.0, None), "cannot be judged: there are too few privacy units"),
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


def test_where_the_loss_still_falls_nothing_is_said_of_what_comes_after():
    sentence = said("dynamics", place(1, 1.0), place(3, 3.0), best=3)
    assert "nothing is seen of what comes after; raise --epochs" in sentence
    assert "shown" not in sentence


def test_values_that_no_other_beats_are_named():
    line = (
        place(1, 3.0, gain=0.9, leak=0.9),
        place(2, 2.0, gain=0.8, leak=0.9),
        place(4, 1.0, gain=0.7, leak=0.1),
    )
    assert said("frontier", *line).endswith("On the frontier among these are 1, 4.")


@pytest.mark.parametrize(
    ("rank", "ends", "verdict"),
    [
        (0.5, (0.2, 0.7), "is shown."),
        (-0.5, (-0.7, -0.2), "is refuted."),
        (0.1, (-0.2, 0.3), "is neither shown nor refuted."),
        (None, None, "is neither shown nor refuted."),
    ],
)
def test_difficulty_is_judged_by_the_interval_of_the_rank_correlation(rank, ends, verdict):
    whole = Hardness(
        group=GROUP,
        spec="none",
        of="corpus",
        name="essays",
        n_tokens=100,
        difficulty=3.0,
        tra=1.0,
        tra_ci=None,
        rank=rank,
        rank_ci=ends,
    )
    (sentence,) = of_hardness([whole, whole.model_copy(update={"of": "label", "name": "person"})])
    assert sentence.endswith(verdict)
