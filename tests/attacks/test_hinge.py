import math

import numpy as np
import pytest

from bench.attack import Passage, TokenSignals
from bench.experiment import settings_from
from bench.graph import Score
from bench.plan import make_plan
from bench.registry import attacks
from bench.statistics import auc
from bench.store import Store

STATISTICS = ("below", "spread")
either = pytest.mark.parametrize("statistic", STATISTICS)


def signals(logprobs):
    values = np.array(logprobs, dtype=np.float32)
    return TokenSignals(values, values > -1, values, values**2, {})


def passage(target, complement, population=None):
    by_source = {"target": target, "complement": complement, "population": population or complement}
    return Passage("Ann Lee", {source: signals(logprobs) for source, logprobs in by_source.items()})


def scores(spec, *passages):
    return attacks().parse(spec).scores(passages)


def of_tra(tra):
    """A passage whose tokens have these TRA."""
    return passage(target=np.asarray(tra) - 6.0, complement=np.full(len(tra), -6.0))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # TRA of 1, -0.5, -2 and 0 nats against the complement's reference, of 2, -0.5, -1 and -1.5 against
        # the population's.
        ("hinge:statistic=below", -(0.5 + 2) / 4),
        ("hinge:statistic=spread", -(1 + 0.5 + 2 + 0) / 4),
        ("hinge:statistic=below,margin=0.5", -(1 + 2.5 + 0.5) / 4),
        ("hinge:statistic=spread,margin=0.5", -(0.5 + 1 + 2.5 + 0.5) / 4),
        ("hinge:statistic=below,against=population", -(0.5 + 1 + 1.5) / 4),
        ("hinge:statistic=spread,against=population", -(2 + 0.5 + 1 + 1.5) / 4),
    ],
)
def test_scores_are_those_calculated_by_hand(spec, expected):
    given = passage(
        target=[-1.0, -2.0, -3.0, -4.0],
        complement=[-2.0, -1.5, -1.0, -4.0],
        population=[-3.0, -1.5, -2.0, -2.5],
    )
    np.testing.assert_allclose(scores(spec, given), [expected])


@pytest.mark.parametrize("against", ["complement", "population"])
def test_what_the_adversary_knows_follows_from_its_reference(against):
    attack = attacks().parse(f"hinge:against={against}")
    assert attack.knowledge == against
    assert attack.sources == ("target", against)
    assert attacks().parse("hinge").knowledge == "complement"


def test_what_lies_ahead_of_the_margin_counts_for_spread_alone():
    at_margin, ahead = of_tra([0.0, -0.25]), of_tra([3.0, -0.25])
    low, high = scores("hinge:statistic=spread", ahead, at_margin)
    assert low < high
    assert len(set(scores("hinge:statistic=below", ahead, at_margin))) == 1


@either
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_a_record_that_keeps_closer_to_the_margin_from_below_looks_more_like_a_member(statistic, margin):
    closer = [of_tra(margin + np.array([0.0, -shortfall, -0.1])) for shortfall in (4.0, 1.0, 0.2, 0.0)]
    assert (np.diff(scores(f"hinge:statistic={statistic},margin={margin}", *closer)) > 0).all()


@either
def test_without_a_token_or_a_finite_probability_there_is_no_evidence(statistic):
    # A reference that cannot say a token leaves TRA infinitely far ahead, which is no shortfall.
    given = [
        passage([], []),
        passage([-math.inf, -1.0], [-1.0, -1.0]),
        passage([-1.0, -1.0], [-math.inf, -1.0]),
        passage([-math.inf], [-math.inf]),
        passage([math.nan, -1.0], [-1.0, -1.0]),
        passage([-1.0], [-2.0]),
    ]
    found = scores(f"hinge:statistic={statistic}", *given)
    assert np.isnan(found).tolist() == [True] * 5 + [False]
    assert scores(f"hinge:statistic={statistic}").shape == (0,)


@either
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_tra_piled_up_at_the_margin_is_told_from_tra_that_spreads(statistic, margin):
    rng = np.random.default_rng(0)
    members = [of_tra(margin - np.abs(rng.normal(0, 0.05, 40))) for _ in range(30)]
    # Further ahead on the mean than the members are, so that plain TRA points the wrong way.
    others = [of_tra(margin + rng.normal(0.1, 1.0, 40)) for _ in range(30)]
    spec = f"hinge:statistic={statistic},margin={margin}"
    assert auc(scores(spec, *members), scores(spec, *others)) == 1.0
    assert auc(scores("tra", *members), scores("tra", *others)) < 0.5


def test_it_takes_no_model_that_tra_does_not_take(tmp_path):
    def needed(*attack):
        settings = {"dataset": "synthetic-clinical", "limit": 40, "defense": "trap", "attack": attack}
        tasks = make_plan(settings_from(settings)).tasks(Store(tmp_path))
        return {task.key for task in tasks if isinstance(task, Score)}

    for against in ("complement", "population"):
        tra, hinge = f"tra:against={against}", f"hinge:against={against}"
        assert needed(tra, hinge) == needed(tra)
