import numpy as np
import pytest
import torch
from architectures import slow_record_loss

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defenses.dp_sgd import DPSGD
from bench.training import load_state
from bench.updates import Schedule, Updates

CHEAP = {"epsilon": 0.1, "accountant": "rdp"}  # for which the noise multiplier is found at once


def private_updates(model, records, *, batch_size=4, epochs=1, seed=0, **parameters):
    """The updates of dp-sgd over SGD of rate 1, whose steps are the gradient that was released."""

    def record_losses(model, indices):
        batch = collate([records[index] for index in indices], torch.device("cpu"))
        _, logprobs = logits_and_logprobs(model, batch)
        return mean_over_own_tokens(-logprobs, batch.mask)

    model.train()
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)
    schedule = Schedule(epochs, batch_size, 1.0)
    defense = DPSGD(**{**CHEAP, **parameters})
    return defense.updates(Updates(model, optimizer, record_losses, len(records), schedule, seed))


def make(fresh, architecture, tuning):
    """Adapters start at zero, where half of their gradients vanish: move them off it."""
    model, generator = fresh(architecture, tuning), torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1, generator=generator)
    return model


def trainable(model):
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def looped_gradients(model, state, records):
    """One record at a time, in float64: for each, the gradient of every trainable parameter."""
    load_state(model, state)
    model.double()
    gradients = []
    for record in records:
        model.zero_grad()
        slow_record_loss(model, record).backward()
        gradients.append({name: p.grad.clone() for name, p in trainable(model).items()})
    return gradients


def norm_of(gradient):
    return sum(value.square().sum() for value in gradient.values()).sqrt().item()


def clipped_mean(gradients, max_grad_norm, expected_batch_size):
    total = {name: torch.zeros_like(value) for name, value in gradients[0].items()}
    for gradient in gradients:
        factor = min(1.0, max_grad_norm / norm_of(gradient))
        for name, value in gradient.items():
            total[name] += value * factor
    return {name: value / expected_batch_size for name, value in total.items()}


def released(updates, indices):
    """The gradient that one step applied."""
    before = {name: p.detach().clone() for name, p in trainable(updates.model).items()}
    updates.step(indices)
    return {name: before[name] - p.detach() for name, p in trainable(updates.model).items()}


def assert_close(got, expected, tolerance):
    whole = norm_of(expected)
    for name, value in expected.items():
        error = (got[name].double() - value).norm()
        assert error <= tolerance * value.norm() + 1e-2 * tolerance * whole, (name, error / value.norm())


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_per_record_gradients_are_those_of_a_loop_over_records(architecture, tuning, fresh, records):
    updates = private_updates(make(fresh, architecture, tuning), records)
    expected = looped_gradients(fresh(architecture, tuning), trainable(updates.model), records)
    order = [3, 0, 4, 2]
    updates._per_record_gradients(order)
    for row, index in enumerate(order):
        got = {name: p.grad_sample[row] for name, p in trainable(updates.model).items()}
        assert_close(got, expected[index], 1e-4)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_without_noise_a_step_is_the_clipped_sum_over_the_expected_batch_size(
    architecture, tuning, fresh, records
):
    model = make(fresh, architecture, tuning)
    norms = [norm_of(g) for g in looped_gradients(fresh(architecture, tuning), trainable(model), records)]
    bound = float(np.median(norms))
    assert min(norms) < 0.99 * bound < 1.01 * bound < max(norms), "some are clipped, others are not"
    updates = private_updates(model, records, max_grad_norm=bound)
    updates.private_optimizer.noise_multiplier = 0.0
    for indices in (range(5), [0, 3]):  # nothing of the first step may be left in the second
        drawn = [records[index] for index in indices]
        gradients = looped_gradients(fresh(architecture, tuning), trainable(model), drawn)
        assert_close(released(updates, indices), clipped_mean(gradients, bound, 4), 2e-4)


def test_the_expected_batch_size_is_no_more_than_there_are_records(fresh, records):
    updates = private_updates(fresh(), records, batch_size=8, max_grad_norm=1e6)
    updates.private_optimizer.noise_multiplier = 0.0
    gradients = looped_gradients(fresh(), trainable(updates.model), records)
    assert updates.sample_rate == 1.0
    assert_close(released(updates, range(5)), clipped_mean(gradients, 1e6, len(records)), 2e-4)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_the_physical_batch_size_does_not_change_a_step(tuning, fresh, records):
    steps = []
    for size in (1, 2, 16):
        updates = private_updates(make(fresh, "gpt2", tuning), records, physical_batch_size=size)
        updates.private_optimizer.noise_multiplier = (
            0.01  # drawn once a step, and no louder than the gradient
        )
        steps.append(released(updates, range(5)))
        assert updates.finish()["steps"] == 1
    for step in steps[1:]:
        assert_close(step, {name: value.double() for name, value in steps[0].items()}, 1e-4)


def test_an_empty_batch_steps_on_noise_of_the_stated_size_and_is_accounted(fresh, records):
    updates = private_updates(fresh("gpt2"), records, max_grad_norm=0.5)
    step = torch.cat([value.flatten() for value in released(updates, []).values()])
    expected = updates.private_optimizer.noise_multiplier * 0.5 / 4
    assert step.std().item() == pytest.approx(expected, rel=0.03)
    assert abs(step.mean().item()) < 0.03 * expected
    another = torch.cat([value.flatten() for value in released(updates, []).values()])
    assert torch.corrcoef(torch.stack([step, another]))[0, 1].abs() < 0.03, "fresh noise at every step"
    assert updates.finish()["steps"] == 2


def test_the_seed_decides_the_noise(fresh, records):
    first, again, other = (released(private_updates(fresh(), records, seed=seed), []) for seed in (1, 1, 2))
    for name, noise in first.items():
        assert torch.equal(noise, again[name])
        assert not torch.allclose(noise, other[name])


def test_training_goes_on_through_empty_batches(fresh, fine_tune, records):
    updates = private_updates(fresh(), records, batch_size=1)
    sizes = [len(batch) for epoch in range(3) for batch in updates.batches(epoch)]
    assert 0 in sizes
    told = []
    run = fine_tune(fresh(), DPSGD(**CHEAP), epochs=3, batch_size=1, advance=told.append)
    assert run.steps == run.privacy["steps"] == len(sizes) == len(told) == 15
    assert [tokens == 0 for tokens in told] == [size == 0 for size in sizes]


def test_nothing_is_left_on_the_model(architecture, fresh, fine_tune):
    model = fresh(architecture)
    fine_tune(model, DPSGD(**CHEAP), epochs=1)
    for module in model.modules():
        assert not module._forward_hooks
        assert not module._forward_pre_hooks
        assert not module._backward_hooks
        assert not module._backward_pre_hooks
    assert all(getattr(parameter, "grad_sample", None) is None for parameter in model.parameters())
