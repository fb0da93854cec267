import dp_accounting
import numpy as np
import pytest
import torch
from gradients import private_updates

from bench.defenses.dp_sgd import DPSGD
from bench.errors import InputError
from bench.schedule import Schedule
from bench.updates import Updates

SHARED = Schedule(1, 4, 1e-3)


def one_each(n):
    return [f"u{index}" for index in range(n)]


def bare_updates(units, *, batch_size, epochs=1, **parameters):
    """The updates of a model of six weights, for what does not depend on gradients."""
    model = torch.nn.Linear(2, 2)
    return private_updates(model, None, units, batch_size=batch_size, epochs=epochs, **parameters)


@pytest.mark.parametrize(("n_records", "batch_size", "steps"), [(10, 5, 2), (11, 5, 3), (3, 5, 1)])
@pytest.mark.parametrize("unit", ["record", "group"])
def test_an_epoch_takes_as_many_steps_as_plain_training(n_records, batch_size, steps, unit):
    updates = bare_updates(one_each(n_records), batch_size=batch_size, unit=unit)
    plain = Updates(None, None, None, updates.units, updates.lengths, updates.schedule, 0)
    assert len(list(updates.batches(0))) == len(list(plain.batches(0))) == steps


@pytest.mark.parametrize("unit", ["record", "group"])
def test_every_unit_joins_every_batch_whole_at_the_stated_rate_on_its_own(unit):
    units = one_each(50) if unit == "record" else [f"u{index % 50}" for index in range(150)]
    updates = bare_updates(units, batch_size=len(units) // 10, unit=unit)
    joined = np.zeros((2000, 50))
    batches = [batch for epoch in range(200) for batch in updates.batches(epoch)]
    for row, batch in zip(joined, batches, strict=True):
        drawn = sorted({units[index] for index in batch})
        assert sorted(batch) == [index for index, name in enumerate(units) if name in drawn]
        row[[int(name[1:]) for name in drawn]] = 1
    assert updates.mechanism.sample_rate == 0.1
    assert joined.mean() == pytest.approx(0.1, abs=0.004)
    assert joined.mean(0) == pytest.approx(np.full(50, 0.1), abs=0.035)
    assert joined.sum(1).var() == pytest.approx(50 * 0.1 * 0.9, rel=0.15), "batches have no fixed size"
    correlation = np.corrcoef(joined.T)[np.triu_indices(50, 1)]
    assert abs(correlation.mean()) < 0.01


def by_another_library(privacy):
    accountants = {"prv": dp_accounting.pld.PLDAccountant, "rdp": dp_accounting.rdp.RdpAccountant}
    independent = accountants[privacy["accountant"]]()
    event = dp_accounting.PoissonSampledDpEvent(
        privacy["sample_rate"], dp_accounting.GaussianDpEvent(privacy["noise_multiplier"])
    )
    independent.compose(event, privacy["steps"])
    return independent.get_epsilon(privacy["delta"])


@pytest.mark.parametrize(("accountant", "epsilon", "batch_size"), [("prv", 2.0, 100), ("rdp", 0.5, 10)])
def test_the_row_states_an_epsilon_within_budget_and_what_it_follows_from(accountant, epsilon, batch_size):
    parameters = {"epsilon": epsilon, "noise_multiplier": "auto", "accountant": accountant}
    updates = bare_updates(one_each(100), batch_size=batch_size, **parameters, max_grad_norm=0.7)
    for _ in range(100 // batch_size):
        updates.step([])
    privacy = updates.finish()
    assert 0.98 * epsilon < privacy["epsilon"] <= epsilon
    stated = {"delta": 1 / 1000, "sample_rate": batch_size / 100, "expected_batch_size": batch_size}
    stated |= {"steps": 100 // batch_size}
    stated |= {"accountant": accountant, "unit": "record", "clipping": "per-record", "max_grad_norm": 0.7}
    assert {name: privacy[name] for name in stated} == stated
    assert by_another_library(privacy) == pytest.approx(privacy["epsilon"], rel=0.02)


@pytest.mark.parametrize("accountant", ["prv", "rdp"])
def test_a_given_noise_is_used_and_its_epsilon_follows(accountant):
    updates = bare_updates(one_each(200), batch_size=8, noise_multiplier=1.1, accountant=accountant)
    assert updates.clipping.optimizer.noise_multiplier == 1.1
    for _ in range(25):
        updates.step([])
    privacy = updates.finish()
    assert privacy["noise_multiplier"] == 1.1
    assert by_another_library(privacy) == pytest.approx(privacy["epsilon"], rel=0.02)


def test_only_steps_that_were_taken_are_accounted():
    spent = []
    for steps in (10, 25):
        updates = bare_updates(one_each(200), batch_size=8)
        for _ in range(steps):
            updates.step([])
        spent.append(updates.finish())
    assert [privacy["steps"] for privacy in spent] == [10, 25]
    assert spent[0]["epsilon"] < spent[1]["epsilon"]


def test_the_notes_say_what_is_not_covered_and_how_else_it_was_accounted():
    updates = bare_updates(one_each(4), batch_size=4, noise_multiplier=0.05, accountant="prv")
    updates.step([])
    privacy = updates.finish()
    assert privacy["accountant"] == "rdp"
    first, *others = privacy["notes"]
    assert first.startswith("accounted by rdp")
    assert any("hyper-parameters" in note for note in others)
    assert any("floating point" in note for note in others)


def test_a_group_counts_as_one_for_delta_and_the_expected_batch():
    units = ["a", "b", "a", "c", "a", "b", "d", "d"]
    updates = bare_updates(units, batch_size=2, unit="group")
    assert updates.members == [[0, 2, 4], [1, 5], [3], [6, 7]]
    privacy = updates.finish()
    stated = {"unit": "group", "sample_rate": 0.25, "expected_batch_size": 1.0, "delta": 1 / 40}
    assert {name: privacy[name] for name in stated} == stated
    assert bare_updates(units, batch_size=2).finish()["delta"] == 1 / 80


@pytest.mark.parametrize(
    ("delta", "unit", "limit"), [(0.1, "record", 10), (0.5, "record", 10), (0.5, "group", 2)]
)
def test_a_delta_that_is_not_below_one_in_n_is_refused(delta, unit, limit):
    units = ["a", "b"] * 5
    with pytest.raises(InputError, match=f"delta={delta:g} is not allowed.* below 1/{limit}$"):
        DPSGD(delta=delta, unit=unit).check(units, SHARED)
    DPSGD(delta=0.99 / limit, unit=unit, accountant="rdp").check(units, SHARED)


def test_a_budget_that_no_noise_can_keep_is_refused_before_training():
    defense = DPSGD(epsilon=0.01, delta=1e-12, epochs=10**6, batch_size=10)
    with pytest.raises(InputError, match=r"epsilon=0.01 cannot be kept for 1000000 steps") as error:
        defense.check(one_each(10), SHARED)
    assert len(str(error.value).splitlines()) == 1
    DPSGD(noise_multiplier=1.0, delta=1e-12, epochs=10**6, batch_size=10).check(one_each(10), SHARED)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"delta": 0.0}, "delta=0.0 is not allowed"),
        ({"delta": -1.0}, "delta=-1.0 is not allowed"),
        ({"delta": 1.0}, "delta=1.0 is not allowed"),
        ({"epsilon": 0.0}, "epsilon=0.0 is not allowed"),
        ({"epsilon": 0.009}, "epsilon=0.009 is not allowed"),
        ({"max_grad_norm": 0.0}, "max_grad_norm=0.0 is not allowed"),
        ({"noise_multiplier": 0.0}, "noise_multiplier=0.0 is not allowed"),
        ({"accountant": "gdp"}, "accountant=gdp is not allowed"),
        ({"clipping": "flat"}, "clipping=flat is not allowed"),
        ({"unit": "person"}, "unit=person is not allowed"),
        ({"batch_size": 0}, "batch_size=0 is not allowed"),
        ({"epsilon": 8.0, "noise_multiplier": 1.0}, "give epsilon or noise_multiplier, not both"),
        ({"unit": "group", "clipping": "ghost"}, "with unit=group give clipping=per-record"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_name_in_one_line(wrong, told):
    with pytest.raises(InputError, match=f"dp-sgd: .*{told}") as error:
        DPSGD.with_parameters(wrong)
    assert len(str(error.value).splitlines()) == 1
