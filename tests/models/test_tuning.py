import pytest
import torch
from architectures import random_records
from peft.tuners.lora import LoraLayer
from transformers.pytorch_utils import Conv1D

from bench.signals import score


def test_lora_freezes_the_base_and_trains_the_adapters(architecture, fresh):
    model = fresh(architecture, "lora")
    trained = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    assert trained == {name for name, _ in model.named_parameters() if "lora_" in name}
    assert trained


def test_lora_touches_every_linear_layer_but_the_head(architecture, fresh):
    head = fresh(architecture).get_output_embeddings()
    linear = {
        name
        for name, module in fresh(architecture).named_modules()
        if isinstance(module, torch.nn.Linear | Conv1D)
    }
    names = {name for name, module in fresh(architecture).named_modules() if type(module) is type(head)}
    adapted = {
        name.removeprefix("base_model.model.")
        for name, module in fresh(architecture, "lora").named_modules()
        if isinstance(module, LoraLayer)
    }
    heads = linear - adapted
    assert heads <= names
    assert len(heads) == 1
    assert adapted < linear
    assert fresh(architecture).get_submodule(heads.pop()).weight.shape == head.weight.shape


def test_lora_has_rank_16_and_scale_2(architecture, fresh):
    for module in fresh(architecture, "lora").modules():
        if isinstance(module, LoraLayer):
            assert module.scaling == {"default": 2.0}
            assert module.lora_A["default"].weight.shape[0] == 16


def test_fresh_adapters_change_no_score(architecture, fresh):
    records = random_records([9, 14])
    plain, adapted = (score(fresh(architecture, tuning), records) for tuning in ("full", "lora"))
    for one, other in zip(plain, adapted, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-6)


def test_the_seed_alone_decides_the_adapters(fresh):
    def adapters(seed):
        return {n: p for n, p in fresh("llama", "lora", seed).named_parameters() if p.requires_grad}

    first = adapters(3)
    torch.rand(5)
    again, other = adapters(3), adapters(4)
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert any(not torch.equal(first[name], other[name]) for name in first)


def test_full_tuning_trains_everything(architecture, fresh):
    assert all(parameter.requires_grad for parameter in fresh(architecture, "full").parameters())
