from functools import cache

import numpy as np
import pytest
import torch
from architectures import ARCHITECTURES, TIED, random_records
from gradients import (
    assert_close,
    clipped_sum_of,
    descent,
    looped_gradients,
    losses_of,
    mean_of,
    norm_of,
    off_zero,
    trainable,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.privacy import clipping as clipping_module
from bench.privacy.clipping import Ghost, Noise, PerRecord, means_for, physical_batch_size

MODELS = [(architecture, tuning, True) for architecture in ARCHITECTURES for tuning in ("full", "lora")]
UNTIED = [(architecture, tuning, tuning == "lora") for architecture, tuning, _ in MODELS]
UNTIED.remove(("gpt2", "full", False))
CASES = [("per-record", *model) for model in MODELS] + [("ghost", *model) for model in UNTIED]


def clipping_of(model, records, means="per-record", max_grad_norm=1.0, records_at_a_time=16):
    noise = Noise(1.0, max_grad_norm, expected_units=len(records), seed=0)
    if means == "ghost":
        return Ghost(model, losses_of(records), descent(model), noise)
    return PerRecord(model, losses_of(records), descent(model), noise, records_at_a_time)


def clipped_sum(model, clipping, units):
    return dict(zip(trainable(model), clipping.clipped_sum(units), strict=True))


def norms_of(clipping, units):
    """What Opacus holds of each unit when it comes to clip."""
    clipping.backward(units)
    if isinstance(clipping, Ghost):
        norms = clipping._model.get_norm_sample()
    else:
        parts = [p.grad_sample.flatten(1).norm(dim=1) for p in clipping.optimizer.params]
        norms = torch.stack(parts).norm(dim=0)
    clipping.optimizer.zero_grad(set_to_none=True)
    return norms.tolist()


@pytest.fixture(scope="module")
def looped(fresh, records):
    """`looped("llama", "full", True)`: each record's gradient, as a loop in float64 finds it."""

    @cache
    def gradients(architecture, tuning, tied):
        return looped_gradients(off_zero(fresh(architecture, tuning, tied=tied)), records)

    return gradients


@pytest.mark.parametrize(
    ("means", "architecture", "tuning", "tied"), CASES, ids=lambda value: str(value).lower()
)
def test_norms_and_clipped_sums_are_those_of_a_loop_over_single_records(
    means, architecture, tuning, tied, fresh, looped, records
):
    gradients = looped(architecture, tuning, tied)
    norms = [norm_of(gradient) for gradient in gradients]
    bound = float(np.median(norms))
    assert min(norms) < 0.99 * bound < 1.01 * bound < max(norms), "some are clipped, others are not"
    model = off_zero(fresh(architecture, tuning, tied=tied))
    clipping = clipping_of(model, records, means, bound)
    for order in ([3, 0, 4, 2, 1], [1, 4]):  # nothing of the first batch may be left in the second
        units = [[index] for index in order]
        assert norms_of(clipping, units) == pytest.approx([norms[index] for index in order], rel=1e-4)
        expected = clipped_sum_of([gradients[index] for index in order], bound)
        assert all(value.norm() > 0 for value in expected.values())
        assert_close(clipped_sum(model, clipping, units), expected)


@pytest.mark.parametrize("architecture", TIED)
def test_tied_weights_are_one_parameter_with_the_gradient_of_both_its_layers(
    architecture, fresh, looped, records
):
    model = fresh(architecture)
    embedding = model.get_input_embeddings().weight
    assert embedding is model.get_output_embeddings().weight
    (name,) = [name for name, parameter in trainable(model).items() if parameter is embedding]
    clipping = clipping_of(model, records)
    clipping.backward([[index] for index in range(5)])
    for got, expected in zip(embedding.grad_sample, looped(architecture, "full", True), strict=True):
        assert (got - expected[name]).norm() < 1e-4 * expected[name].norm()


def test_a_learned_position_gets_the_gradient_of_its_own_record_alone(fresh, looped, records):
    model = fresh("gpt2")
    clipping = clipping_of(model, records)
    clipping.backward([[index] for index in range(5)])
    positions = model.transformer.wpe.weight.grad_sample
    for got, expected, record in zip(positions, looped("gpt2", "full", True), records, strict=True):
        expected = expected["transformer.wpe.weight"]
        assert (got - expected).norm() < 1e-4 * expected.norm()
        assert got[: len(record)].norm(dim=1).all()
        assert not got[len(record) :].any()


@pytest.mark.parametrize("records_at_a_time", [1, 2, 16])
@pytest.mark.parametrize(("architecture", "tuning"), [("gpt2", "full"), ("qwen2", "lora")])
def test_the_gradient_of_a_group_is_the_mean_over_its_records_clipped_once(
    architecture, tuning, records_at_a_time, fresh, looped, records
):
    groups = [[0, 3, 1], [4], [2]]
    means = [mean_of([looped(architecture, tuning, True)[i] for i in group]) for group in groups]
    norms = [norm_of(mean) for mean in means]
    bound = float(np.median(norms))
    model = off_zero(fresh(architecture, tuning))
    clipping = clipping_of(model, records, "per-record", bound, records_at_a_time)
    assert norms_of(clipping, groups) == pytest.approx(norms, rel=1e-4)
    assert_close(clipped_sum(model, clipping, groups), clipped_sum_of(means, bound))


@settings(max_examples=10, deadline=None)
@given(
    old=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    new=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    max_grad_norm=st.sampled_from([0.01, 0.5, 20.0]),
    seed=st.integers(0, 1000),
)
def test_a_group_moves_the_sum_by_no_more_than_the_clipping_norm(fresh, old, new, max_grad_norm, seed):
    model = fresh("llama")
    drawn = random_records([*old, *new, 7, 4], seed)
    of_old, of_new = range(len(old)), range(len(old), len(old) + len(new))
    others = [[len(drawn) - 2], [len(drawn) - 1]]
    clipping = clipping_of(model, drawn, max_grad_norm=max_grad_norm, records_at_a_time=3)
    without, before, after = (
        torch.cat([part.flatten().double() for part in clipping.clipped_sum([*others, *group])])
        for group in ([], [list(of_old)], [list(of_new)])
    )
    clipping.close()
    assert (before - without).norm() <= max_grad_norm * (1 + 1e-4)
    assert (after - without).norm() <= max_grad_norm * (1 + 1e-4)
    assert (after - before).norm() <= 2 * max_grad_norm * (1 + 1e-4)


@pytest.mark.parametrize("means", ["per-record", "ghost"])
def test_of_no_units_the_sum_is_zero(means, fresh, records):
    model = fresh("gpt-neox")
    clipping = clipping_of(model, records, means)
    clipping.clipped_sum([[0], [1]])
    total = clipped_sum(model, clipping, [])
    assert {name: value.shape for name, value in total.items()} == {
        name: parameter.shape for name, parameter in trainable(model).items()
    }
    assert not any(value.any() for value in total.values())


def test_ghost_clipping_is_chosen_where_it_is_exact_and_gradients_would_not_fit(fresh, monkeypatch):
    tied, untied = fresh("llama"), fresh("llama", tied=False)
    adapters = fresh("llama", "lora")
    assert {means_for(model, "record") for model in (tied, untied, adapters)} == {"per-record"}, "they fit"
    monkeypatch.setattr(clipping_module, "GRADIENT_MEMORY", 1000)
    assert means_for(tied, "record") == "per-record"
    assert means_for(untied, "record") == means_for(adapters, "record") == "ghost"
    assert means_for(untied, "group") == "per-record"


def test_as_many_records_are_taken_at_a_time_as_their_gradients_fit(fresh, monkeypatch):
    model = fresh("gpt-neox")
    of_a_record = 4 * sum(parameter.numel() for parameter in model.parameters())
    assert physical_batch_size(model, "per-record") == physical_batch_size(model, "ghost") == 16
    monkeypatch.setattr(clipping_module, "GRADIENT_MEMORY", 3 * of_a_record)
    assert physical_batch_size(model, "per-record") == 3
    monkeypatch.setattr(clipping_module, "GRADIENT_MEMORY", 1000)
    assert physical_batch_size(model, "per-record") == 1
    assert physical_batch_size(model, "ghost") == 16
