import numpy as np
import pytest
from boards import (
    TIES,
    cell,
    extracted,
    floors,
    leakage,
    membership,
    rows,
    scored,
    undefended_by_loss,
)

from bench.comparisons import halves
from bench.leaderboard import leaderboard
from bench.ranking import comparable, strongest


def under(attack: str, calibration: float | None, evaluation: float | None = None):
    """The row of a defense under an attack that gets so much on either half."""
    got = membership(0.5, leakage=leakage(calibration, evaluation))
    return rows(cell("mine", 3.0, got, attack=attack))["mine"]


def test_the_strongest_attack_is_chosen_by_the_one_half_and_reported_by_the_other():
    lucky, steady = under("loss", 0.6, 0.1), under("reference", 0.5, 0.4)
    assert strongest([steady, lucky]).leakage.evaluation == 0.1
    assert strongest([under("loss", None), steady]) == steady
    assert strongest([under("loss", None)]) is None
    assert strongest([]) is None


def test_the_strongest_attack_is_the_strongest_of_its_level_and_those_below():
    found = {"loss": 0.2, "reference": 0.5, "tra:against=population": 0.4, "tra": 0.9}
    judged = [under(attack, leak) for attack, leak in found.items()]
    by_level = {
        level: strongest(judged, level).attack_spec
        for level in ("target", "base", "population", "complement")
    }
    assert by_level == {
        "target": "loss",
        "base": "reference",
        "population": "reference",
        "complement": "tra",
    }


def test_the_strongest_of_twenty_attacks_that_know_nothing_gets_nothing_on_average():
    rng, trials, attacks, records = np.random.default_rng(5), 100, 20, 160
    member = np.arange(records) < records // 2
    calibration = np.concatenate([halves(side, 0) for side in np.split(np.arange(records), 2)])
    row = under("loss", 0.0)

    def null_attack():
        scores = rng.normal(size=records)

        def somers_d(half):
            ahead, behind = scores[member & half], scores[~member & half]
            return float(np.sign(ahead[:, None] - behind[None]).mean())

        got = row.leakage.model_copy(
            update={"calibration": somers_d(calibration), "evaluation": somers_d(~calibration)}
        )
        return row.model_copy(update={"leakage": got})

    chosen = [strongest([null_attack() for _ in range(attacks)]).leakage for _ in range(trials)]
    on_its_own_half = np.array([leak.calibration for leak in chosen])
    reported = np.array([leak.evaluation for leak in chosen])
    assert on_its_own_half.mean() > 0.15
    assert abs(reported.mean()) < 3 * reported.std() / np.sqrt(trials)


def test_the_frontier_holds_who_is_not_beaten_and_ties_stay_on_it():
    points = {"best": (2.5, 0.75), "same": (2.5, 0.75), "keeps-less": (3.0, 0.75), "leaks-more": (2.5, 0.8)}
    points |= {"tight": (5.0, 0.55), "unmeasured": (2.0, None), "worse-elsewhere": (2.4, 0.6)}
    cells = [cell(spec, nll, membership(auc)) for spec, (nll, auc) in points.items()]
    elsewhere = {"unmeasured": None, "worse-elsewhere": 0.8}
    cells += [
        cell(spec, nll, membership(elsewhere.get(spec, 0.5)), attack="reference")
        for spec, (nll, _) in points.items()
    ]
    undefended = [undefended_by_loss(), cell("none", 3.0, membership(1.0), best_nll=2.0, attack="reference")]
    board = leaderboard([*floors(), *undefended, *cells])
    assert {row.spec for row in board.rows if row.frontier} == {"best", "same", "tight", "worse-elsewhere"}


def test_less_than_chance_counts_as_nothing_leaked():
    below, at = cell("below", 3.0, membership(0.3)), cell("at", 2.5, membership(0.5))
    found = rows(*floors(), undefended_by_loss(), below, at)
    assert {spec for spec, row in found.items() if row.frontier} == {"at"}


def test_the_frontier_is_for_an_adversary_of_the_level_that_is_asked_for():
    leaks = {"open": (2.4, {"loss": 0.1, "tra": 0.9}), "closed": (2.6, {"loss": 0.3, "tra": 0.3})}
    cells = [
        cell(spec, nll, membership(0.5, leakage=leakage(leak)), attack=attack)
        for spec, (nll, by_attack) in leaks.items()
        for attack, leak in by_attack.items()
    ]
    cells += [*floors(), undefended_by_loss()]
    for level, expected in (
        ("target", {"open"}),
        ("population", {"open"}),
        ("complement", {"open", "closed"}),
    ):
        board = leaderboard(cells, level)
        assert board.level == level
        assert {row.spec for row in board.rows if row.frontier} == expected
    assert leaderboard(cells) == leaderboard(cells, "population")


def test_only_attacks_that_every_defense_was_put_to_decide_about_the_frontier():
    hard = [cell("hard", 2.5, membership(0.6)), cell("hard", 2.5, membership(0.9), attack="reference")]
    easy = cell("easy", 2.4, membership(0.7))
    board = leaderboard([*floors(), undefended_by_loss(), *hard, easy])
    assert {row.spec for row in board.rows if row.frontier} == {"hard", "easy"}
    assert {row.attack for row in comparable(board.rows)} == {"loss"}
    assert not any(row.frontier for row in rows(*floors(), *hard, easy).values())


# 120 members and 120 non-members, every one of them as likely as the other to score high.
COIN = np.random.default_rng(2).normal(size=(2, 120))


def ahead(by: float, spec: str, **more):
    """A defense whose members score so much higher than the non-members, on the same records as all."""
    return scored(spec, COIN[0] + by, COIN[1], **more)


def tied(flag: str, *cells, **level) -> set[str]:
    return {row.spec for row in leaderboard(cells, **level).rows if flag in row.flags}


def test_defenses_with_the_same_evidence_are_tied_and_a_clearly_worse_one_is_not():
    cells = [ahead(0.3, "one"), ahead(0.3, "same"), ahead(3.0, "worse")]
    assert tied("least-leakage", *cells) == {"one", "same"}


def test_defenses_are_compared_on_the_same_records_so_that_a_small_difference_can_tell():
    found = rows(ahead(0.0, "one"), ahead(0.4, "other"))
    (_, high), (low, _) = (found[spec].leakage.evaluation_ci for spec in ("one", "other"))
    assert low < high
    assert TIES & set(found["one"].flags) == TIES
    assert "least-leakage" not in found["other"].flags


def test_without_an_interval_nothing_is_a_tie_and_the_row_says_so():
    def few(shift: float, spec: str):
        rng = np.random.default_rng(1)
        return scored(spec, rng.normal(shift, 1, 19), rng.normal(0, 1, 19), nll=3.0)

    cells = [few(0.0, "one"), few(0.1, "near")]
    assert len(tied("least-leakage", *cells)) == 1
    assert len(tied("most-gain", *cells)) == 1
    assert tied("no-interval", *cells) == {"one", "near"}
    assert tied("no-interval", ahead(0.3, "one"), ahead(0.4, "other")) == set()


def test_extractions_are_compared_passage_by_passage():
    rng = np.random.default_rng(0)
    chances = rng.uniform(0.2, 0.6, 200)
    more = chances + rng.uniform(0.05, 0.09, 200)
    by_spec = {"less": chances, "same": chances, "more": more}
    found = rows(*(extracted(spec, rate, np.zeros(200)) for spec, rate in by_spec.items()))
    (_, high), (low, _) = (found[spec].leakage.evaluation_ci for spec in ("less", "more"))
    assert low < high
    assert {spec for spec, row in found.items() if "least-leakage" in row.flags} == {"less", "same"}


def test_records_and_spans_are_told_apart_by_their_two_intervals():
    def two_units(spec: str, by_record: tuple, by_span: tuple) -> list:
        on_records = membership(0.5, leakage=leakage(*by_record))
        return [cell(spec, 3.0, on_records, membership(0.5, "span", leakage=leakage(*by_span)))]

    best = two_units("best", (0.2, 0.2), (0.1, 0.1))
    near, far = two_units("near", (0.1, 0.1), (0.3, 0.3)), two_units("far", (0.1, 0.1), (0.4, 0.4))
    # Intervals of 0.1 to either side: differences of 0.1 and 0.2, give or take 0.14.
    assert tied("least-leakage", *best, *near, *far) == {"best", "near"}


def test_defenses_from_which_nothing_leaks_are_tied_on_whichever_side_of_zero_they_fall():
    assert tied("least-leakage", ahead(-2.0, "below"), ahead(-0.7, "less-below"), ahead(2.0, "leaks")) == {
        "below",
        "less-below",
    }


def test_who_keeps_most_is_tied_with_whom_the_holdout_does_not_tell_apart():
    cells = [cell(spec, nll) for spec, nll in (("best", 3.0), ("hair", 3.003), ("worse", 3.1))]
    assert tied("most-gain", *floors()[:2], *cells) == {"best", "hair"}


def test_floors_are_never_the_best_of_a_column():
    cells = [cell("base", 1.0), cell("reference", 1.0), ahead(0.5, "mine")]
    assert tied("most-gain", *cells) == tied("least-leakage", *cells) == {"mine"}


def test_ties_are_of_the_level_that_the_frontier_is_of():
    cells = [ahead(0.0, "open"), ahead(0.0, "closed")]
    cells += [ahead(3.0, "open", attack="tra"), ahead(0.0, "closed", attack="tra")]
    assert tied("least-leakage", *cells, level="population") == {"open", "closed"}
    assert tied("least-leakage", *cells, level="complement") == {"closed"}


@pytest.mark.parametrize("seeds", [(0, 1), (0, 1, 2)])
def test_over_seeds_a_difference_that_every_seed_shows_is_told(seeds):
    cells = [ahead(by, spec, seed=seed) for seed in seeds for spec, by in (("one", 0.0), ("other", 1.5))]
    assert tied("least-leakage", *cells) == {"one"}
