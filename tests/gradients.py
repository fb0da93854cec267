"""DP-SGD over plain SGD, and the slow loop over single records, in float64, that it is held against."""

import torch
from architectures import slow_record_loss

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defenses.dp_sgd import DPSGD
from bench.schedule import Schedule
from bench.updates import Updates

CHEAP = {"noise_multiplier": 1.0, "accountant": "rdp"}  # nothing has to be searched for


def losses_of(records):
    """From a model and indices to the mean losses of these records, as in training."""

    def record_losses(model, indices):
        batch = collate([records[index] for index in indices], torch.device("cpu"))
        _, logprobs = logits_and_logprobs(model, batch)
        return mean_over_own_tokens(-logprobs, batch.mask)

    return record_losses


def descent(model):
    """SGD of rate 1, whose steps are the gradient that was released."""
    model.train()
    return torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)


def private_updates(model, losses, units, *, batch_size=4, epochs=1, seed=0, noisy=True, **parameters):
    """The updates of dp-sgd on a model that may be any."""
    defense = DPSGD(**{**CHEAP, **parameters})
    plain = Updates(
        model, descent(model), losses, units, [1] * len(units), Schedule(epochs, batch_size, 1.0), seed
    )
    updates = defense.updates(plain)
    if not noisy:
        updates.clipping.optimizer.noise_multiplier = 0.0
    return updates


def released(updates, indices):
    """The gradient that one step applied."""
    before = {name: p.detach().clone() for name, p in trainable(updates.model).items()}
    updates.step(indices)
    return {name: before[name] - p.detach() for name, p in trainable(updates.model).items()}


def trainable(model):
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def off_zero(model):
    """Adapters start at zero, where half of their gradients vanish: move them off it."""
    generator = torch.Generator().manual_seed(1)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1, generator=generator)
    return model


def looped_gradients(model, records):
    """One record at a time, in float64: for each, the gradient of every trainable parameter."""
    model.double()
    gradients = []
    for record in records:
        model.zero_grad()
        slow_record_loss(model, record).backward()
        gradients.append({name: p.grad.clone() for name, p in trainable(model).items()})
    return gradients


def norm_of(gradient):
    return sum(value.double().square().sum() for value in gradient.values()).sqrt().item()


def mean_of(gradients):
    return {name: sum(g[name] for g in gradients) / len(gradients) for name in gradients[0]}


def clipped_sum_of(gradients, max_grad_norm):
    """The sum of gradients, each scaled to have no more than this norm."""
    factors = [min(1.0, max_grad_norm / norm_of(gradient)) for gradient in gradients]
    return {name: sum(f * g[name] for f, g in zip(factors, gradients, strict=True)) for name in gradients[0]}


def scaled(gradient, factor):
    return {name: value * factor for name, value in gradient.items()}


def assert_close(got, expected, tolerance=1e-4):
    """Every parameter by itself, up to a hundredth of the tolerance for what cancels out."""
    whole = norm_of(expected)
    for name, value in expected.items():
        error = (got[name].double() - value.double()).norm()
        assert error <= tolerance * value.norm() + 1e-2 * tolerance * whole, (name, error / value.norm())
