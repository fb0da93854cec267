import numpy as np
import pytest
import torch
from gradients import (
    CHEAP,
    assert_close,
    clipped_sum_of,
    looped_gradients,
    losses_of,
    mean_of,
    norm_of,
    off_zero,
    private_updates,
    released,
    scaled,
)

from bench.defenses.dp_sgd import DPSGD
from bench.privacy import clipping as clipping_module

GROUPS = ["a", "b", "a", "a", "c"]
WAYS = [("per-record", "record"), ("ghost", "record"), ("per-record", "group")]


def on_records(model, records, units=GROUPS, **parameters):
    return private_updates(model, losses_of(records), units, **parameters)


@pytest.mark.parametrize(("clipping", "unit"), WAYS)
def test_without_noise_a_step_is_the_clipped_sum_over_the_expected_batch_size(clipping, unit, fresh, records):
    of_records = looped_gradients(fresh("gpt-neox"), records)
    members = [[0, 2, 3], [1], [4]] if unit == "group" else [[0], [1], [2], [3], [4]]
    gradients = [mean_of([of_records[index] for index in one]) for one in members]
    bound = float(np.median([norm_of(gradient) for gradient in gradients]))
    updates = on_records(
        fresh("gpt-neox"), records, clipping=clipping, unit=unit, max_grad_norm=bound, noisy=False
    )
    assert updates.members == members
    for drawn in (range(len(members)), [0, 2]):  # nothing of the first step may be left in the second
        moved = looped_gradients(copied(fresh("gpt-neox"), updates.model), records)
        gradients = [mean_of([moved[index] for index in members[one]]) for one in drawn]
        expected = scaled(clipped_sum_of(gradients, bound), 1 / (0.8 * len(members)))
        assert_close(released(updates, [i for one in drawn for i in members[one]]), expected, 2e-4)


def copied(model, other):
    model.load_state_dict(other.state_dict())
    return model


def test_the_expected_batch_size_is_no_more_than_there_are_records(fresh, records):
    updates = on_records(fresh(), records, batch_size=8, max_grad_norm=1e6, noisy=False)
    gradients = looped_gradients(fresh(), records)
    assert updates.mechanism.sample_rate == 1.0
    assert_close(released(updates, range(5)), mean_of(gradients), 2e-4)


@pytest.mark.parametrize(
    ("clipping", "unit", "architecture", "tuning"),
    [
        ("per-record", "record", "gpt2", "full"),
        ("per-record", "group", "gpt2", "full"),
        ("per-record", "record", "llama", "lora"),
        ("ghost", "record", "gpt-neox", "full"),
        ("ghost", "record", "llama", "lora"),
    ],
)
def test_the_physical_batch_size_does_not_change_a_step(clipping, unit, architecture, tuning, fresh, records):
    steps = []
    for size in (1, 2, 16):
        model = off_zero(fresh(architecture, tuning))
        updates = on_records(model, records, clipping=clipping, unit=unit, physical_batch_size=size)
        # Noise is drawn once a step; it must not be so loud that gradients no longer count.
        updates.clipping.optimizer.noise_multiplier = 0.01
        steps.append(released(updates, [0, 2, 3, 1, 4]))
        assert updates.finish()["steps"] == 1
    for step in steps[1:]:
        assert_close(step, steps[0])


@pytest.mark.parametrize(("clipping", "unit"), WAYS)
def test_an_empty_batch_steps_on_noise_of_the_stated_size_and_is_accounted(clipping, unit, fresh, records):
    updates = on_records(fresh("gpt-neox"), records, max_grad_norm=0.5, clipping=clipping, unit=unit)
    expected_units = {"record": 4, "group": 0.8 * 3}[unit]
    step = torch.cat([value.flatten() for value in released(updates, []).values()])
    expected = updates.noise.noise_multiplier * 0.5 / expected_units
    assert step.std().item() == pytest.approx(expected, rel=0.03)
    assert abs(step.mean().item()) < 0.03 * expected
    another = torch.cat([value.flatten() for value in released(updates, []).values()])
    assert torch.corrcoef(torch.stack([step, another]))[0, 1].abs() < 0.03, "fresh noise at every step"
    privacy = updates.finish()
    assert privacy["steps"] == 2
    assert privacy["expected_batch_size"] == pytest.approx(expected_units)


@pytest.mark.parametrize(("clipping", "unit"), WAYS)
def test_a_step_on_records_has_the_noise_of_an_empty_one(clipping, unit, fresh, records):
    """The first step's gradient is known without noise: what is left is noise of the same size."""
    parameters = {"max_grad_norm": 0.5, "clipping": clipping, "unit": unit}
    noiseless = released(on_records(fresh("gpt-neox"), records, **parameters, noisy=False), range(5))
    noisy = released(on_records(fresh("gpt-neox"), records, **parameters), range(5))
    empty = released(on_records(fresh("gpt-neox"), records, **parameters), [])
    for name, noise in empty.items():
        assert (noisy[name] - noiseless[name]).numpy() == pytest.approx(noise.numpy(), abs=1e-4)


def test_the_seed_decides_the_noise(fresh, records):
    first, again, other = (released(on_records(fresh(), records, seed=seed), []) for seed in (1, 1, 2))
    for name, noise in first.items():
        assert torch.equal(noise, again[name])
        assert not torch.allclose(noise, other[name])


def test_training_goes_on_through_empty_batches(fresh, fine_tune, records):
    units = [record.unit for record in records]
    updates = on_records(fresh(), records, units, batch_size=1)
    sizes = [len(batch) for epoch in range(3) for batch in updates.batches(epoch)]
    assert 0 in sizes
    told = []
    run = fine_tune(fresh(), DPSGD(**CHEAP), epochs=3, batch_size=1, advance=told.append)
    assert run.steps == run.privacy["steps"] == len(sizes) == len(told) == 15
    assert [tokens == 0 for tokens in told] == [size == 0 for size in sizes]


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_every_trained_parameter_moves_and_no_frozen_one(
    architecture, tuning, fresh, fine_tune, equal, records
):
    model = off_zero(fresh(architecture, tuning))
    start = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    fine_tune(model, DPSGD(**CHEAP), epochs=1)
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, start[name]) != parameter.requires_grad, name


@pytest.mark.parametrize("clipping", ["per-record", "ghost"])
def test_nothing_is_left_on_the_model(architecture, clipping, fresh, fine_tune):
    model = fresh(architecture, "lora" if clipping == "ghost" else "full")
    fine_tune(model, DPSGD(**CHEAP, clipping=clipping), epochs=1)
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks
        assert not module._backward_pre_hooks
        assert not getattr(module, "activations", None)
    for parameter in model.parameters():
        assert getattr(parameter, "grad_sample", None) is None
        assert getattr(parameter, "summed_grad", None) is None


@pytest.mark.parametrize(
    ("memory", "tied", "chosen"),
    [(1000, False, "ghost"), (1000, True, "per-record"), (2**30, False, "per-record")],
)
def test_the_row_says_which_clipping_was_chosen(memory, tied, chosen, fresh, fine_tune, monkeypatch):
    monkeypatch.setattr(clipping_module, "GRADIENT_MEMORY", memory)
    run = fine_tune(fresh("llama", tied=tied), DPSGD(**CHEAP), epochs=1)
    assert run.privacy["clipping"] == chosen
