import pytest

from bench.errors import InputError
from bench.experiment import settings_from
from bench.studies.design import DESIGNS, difficulty

SMALL = {"dataset": "synthetic-essays", "limit": 80, "epochs": 30}


def design(study, vary=None, **settings):
    return DESIGNS[study](settings_from(SMALL | settings), vary)


def test_dynamics_looks_at_every_epoch_or_ever_further_apart():
    assert [arm.value for arm in design("dynamics", epochs=5).arms] == [1, 2, 3, 4, 5]
    epochs = [arm.value for arm in design("dynamics").arms]
    assert epochs[0] == 1
    assert epochs[-1] == 30
    assert len(epochs) <= 20
    assert sorted(set(epochs)) == epochs


def test_dynamics_is_one_training_whose_last_epoch_is_the_undefended_run():
    arms = design("dynamics", "epochs=2,30").arms
    assert [arm.spec for arm in arms] == ["none:epochs=2", "none"]
    assert len({arm.settings for arm in arms}) == 1
    assert "tra" in arms[0].settings.attack


def test_sizes_are_shares_of_the_records_there_are_but_no_corpus_of_a_handful():
    assert [arm.value for arm in design("size", defense="none").arms] == [40, 80]
    assert [arm.settings.limit for arm in design("size", defense="none").arms] == [40, 80]


def test_learning_rates_lie_around_the_usual_one():
    assert [arm.value for arm in design("learning-rate", defense="none").arms] == [1e-3, 3e-3, 9e-3]
    given = design("learning-rate", defense="none", learning_rate=1e-4).arms
    assert [arm.settings.learning_rate for arm in given] == [3.333e-5, 1e-4, 3e-4]


def test_a_frontier_keeps_the_other_parameters_of_its_defense():
    arms = design("frontier", "strength=4,1,2", defense="trap:power=2").arms
    assert [arm.spec for arm in arms] == [
        "trap:strength=1,power=2",
        "trap:power=2",
        "trap:strength=4,power=2",
    ]
    assert arms[0].settings.defense[0] == "none"


def test_a_parameter_is_named_as_its_defense_does_or_as_an_option_would_be():
    arms = design("frontier", "noise-multiplier=1,2", defense="dp-sgd").arms
    assert [arm.spec for arm in arms] == ["dp-sgd:noise_multiplier=1", "dp-sgd:noise_multiplier=2"]


def test_difficulty_takes_no_attack():
    with pytest.raises(InputError, match="leave --attack out"):
        difficulty(settings_from(SMALL | {"attack": "loss"}))


def test_memorization_is_measured_whatever_attacks_are_asked_for():
    assert design("size", attack="loss").arms[0].settings.attack == ("loss", "tra")
    assert difficulty(settings_from(SMALL)).attack == ("tra:against=population", "tra")


@pytest.mark.parametrize(
    ("study", "vary", "settings", "why"),
    [
        ("frontier", None, {"defense": "trap"}, "a frontier needs --vary"),
        ("frontier", "strength=1,2", {}, "a frontier is of one defense"),
        ("frontier", "strength=1,2", {"defense": ["trap", "none"]}, "a frontier is of one defense"),
        ("frontier", "strenght=1,2", {"defense": "trap"}, "did you mean 'strength'"),
        ("frontier", "strength=-1,2", {"defense": "trap"}, "strength=-1"),
        ("frontier", "strength=a,b", {"defense": "trap"}, "must be numbers"),
        ("frontier", "strength=1", {"defense": "trap"}, "two values or more"),
        ("frontier", "strength", {"defense": "trap"}, "two values or more"),
        ("frontier", "strength=1,2", {"defense": "trapp"}, "unknown defense 'trapp'"),
        ("frontier", "strength=1,inf", {"defense": "trap"}, "two values or more"),
        ("frontier", "strength=1,1.0", {"defense": "trap"}, "two values or more"),
        ("frontier", "strength=1,2", {"defense": "trap:strength=3"}, "sets strength, which --vary is to set"),
        ("dynamics", "strength=1,2", {}, "this study varies epochs"),
        ("dynamics", None, {"epochs": 1}, "two epochs or more"),
        ("dynamics", None, {"defense": "trap"}, "leave --defense out"),
        ("size", None, {"limit": 60}, "size compares two corpora or more"),
        ("size", "limit=40,4000", {}, "there are only 80 records"),
        ("dynamics", "epochs=2,31", {}, None),
        ("size", "limit=10.5,20", {}, "limit=10.5 is not allowed"),
        ("learning-rate", "learning_rate=0,1", {}, "learning_rate=0.0 is not allowed"),
    ],
)
def test_what_cannot_be_varied_is_refused_in_one_line(study, vary, settings, why):
    from bench.studies.points import matrix_of

    with pytest.raises(InputError, match=why or "epochs=31 is not allowed"):
        matrix_of(design(study, vary, **settings))
