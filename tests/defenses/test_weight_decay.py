import pytest
import torch

from bench.defense import Defense
from bench.defenses.none import NoDefense
from bench.defenses.weight_decay import WeightDecay
from bench.errors import InputError


def after_steps_without_gradient(defense, steps=3):
    generator = torch.Generator().manual_seed(0)
    start = [torch.randn(size, generator=generator) for size in [(3, 4), (5,), (2, 3, 2), (1,)]]
    parameters = [torch.nn.Parameter(value.clone()) for value in start]
    optimizer = defense.optimizer(iter(parameters), 0.01)
    for _ in range(steps):
        for parameter in parameters:
            parameter.grad = torch.zeros_like(parameter)
        optimizer.step()
    return start, [parameter.detach() for parameter in parameters]


def test_without_gradients_matrices_shrink_by_rate_times_strength_and_vectors_stay():
    start, end = after_steps_without_gradient(WeightDecay(strength=2.5))
    for before, after in zip(start, end, strict=True):
        expected = before.double() * (1 - 0.01 * 2.5) ** 3 if before.ndim > 1 else before.double()
        assert torch.allclose(after.double(), expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("defense", [Defense(), NoDefense()])
def test_the_plain_optimizer_decays_nothing(defense):
    for before, after in zip(*after_steps_without_gradient(defense), strict=True):
        assert torch.equal(before, after)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_one_step_differs_from_the_plain_one_by_the_decay_alone(architecture, tuning, fresh, fine_tune):
    once = {"epochs": 1, "batch_size": 5, "learning_rate": 1e-3}
    start = dict(fresh(architecture, tuning).named_parameters())
    plain = fine_tune(fresh(architecture, tuning), NoDefense(), **once).final
    decayed = fine_tune(fresh(architecture, tuning), WeightDecay(strength=5.0), **once).final
    for name, before in plain.items():
        decay = 1e-3 * 5.0 * start[name].detach() if before.ndim > 1 else torch.zeros_like(before)
        assert torch.allclose(decayed[name], before - decay, rtol=0, atol=1e-6), name


def test_only_vectors_to_train_are_no_obstacle():
    parameter = torch.nn.Parameter(torch.ones(3))
    optimizer = WeightDecay().optimizer([parameter], 0.01)
    assert [group["weight_decay"] for group in optimizer.param_groups] == [0.0]


@pytest.mark.parametrize("strength", [0.0, -1.0, float("nan")])
def test_a_strength_that_decays_nothing_is_refused(strength):
    with pytest.raises(InputError, match="weight-decay: strength="):
        WeightDecay.with_parameters({"strength": strength})
