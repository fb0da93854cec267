import numpy as np
import pytest
import torch

from bench.defenses.dp_sgd import DPSGD
from bench.errors import InputError
from bench.updates import Schedule, Updates


def bare_updates(n_records, *, batch_size, epochs=1, epsilon=0.1, accountant="rdp", delta="auto"):
    """The updates of a model of six weights, for what does not depend on gradients."""
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    defense = DPSGD(epsilon=epsilon, accountant=accountant, delta=delta)
    return defense.updates(
        Updates(model, optimizer, None, n_records, Schedule(epochs, batch_size, 1.0), seed=0)
    )


@pytest.mark.parametrize(("n_records", "batch_size", "steps"), [(10, 5, 2), (11, 5, 3), (3, 5, 1)])
def test_an_epoch_takes_as_many_steps_as_plain_training(n_records, batch_size, steps):
    updates = bare_updates(n_records, batch_size=batch_size)
    plain = Updates(None, None, None, n_records, updates.schedule, 0)
    assert len(list(updates.batches(0))) == len(list(plain.batches(0))) == steps


def test_every_record_joins_every_batch_at_the_stated_rate_on_its_own():
    updates = bare_updates(50, batch_size=5)
    joined = np.zeros((2000, 50))
    batches = [batch for epoch in range(200) for batch in updates.batches(epoch)]
    for row, batch in zip(joined, batches, strict=True):
        assert len(set(batch)) == len(batch)
        row[batch] = 1
    assert updates.sample_rate == 0.1
    assert joined.mean() == pytest.approx(0.1, abs=0.004)
    assert joined.mean(0) == pytest.approx(np.full(50, 0.1), abs=0.035)
    assert joined.sum(1).var() == pytest.approx(50 * 0.1 * 0.9, rel=0.15), "batches have no fixed size"
    correlation = np.corrcoef(joined.T)[np.triu_indices(50, 1)]
    assert abs(correlation.mean()) < 0.01


# Opacus adds its own bound on the error, 0.01, to what it reports.
@pytest.mark.parametrize("accountant", ["prv", "rdp"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_achieved_epsilon_is_within_budget_and_that_of_another_library(accountant, epsilon):
    import dp_accounting

    updates = bare_updates(200, batch_size=8, epochs=4, epsilon=epsilon, accountant=accountant)
    for _ in range(4 * 25):
        updates.step([])
    privacy = updates.finish()
    assert 0.9 * epsilon < privacy["epsilon"] <= epsilon
    assert (privacy["delta"], privacy["sample_rate"], privacy["steps"]) == (1 / 2000, 0.04, 100)
    event = dp_accounting.PoissonSampledDpEvent(
        privacy["sample_rate"], dp_accounting.GaussianDpEvent(privacy["noise_multiplier"])
    )
    accountants = {"prv": dp_accounting.pld.PLDAccountant, "rdp": dp_accounting.rdp.RdpAccountant}
    independent = accountants[accountant]()
    independent.compose(event, privacy["steps"])
    assert independent.get_epsilon(privacy["delta"]) == pytest.approx(privacy["epsilon"], rel=0.02, abs=0.011)


@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_a_delta_that_is_not_below_one_in_n_is_refused(delta):
    with pytest.raises(InputError, match=f"delta={delta:g} is not allowed"):
        bare_updates(10, batch_size=2, delta=delta)


@pytest.mark.parametrize("wrong", [{"delta": 0.0}, {"delta": -1.0}, {"epsilon": 0.0}, {"max_grad_norm": 0.0}])
def test_a_budget_or_bound_that_is_not_positive_is_refused_by_name(wrong):
    with pytest.raises(InputError, match=f"dp-sgd: {next(iter(wrong))}="):
        DPSGD.with_parameters(wrong)
