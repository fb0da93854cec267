"""Formulas against what PyTorch counts."""

import contextlib

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModelForCausalLM, GPT2Config

from bench.estimates import formulas
from bench.estimates.shape import shape_of
from bench.models.finding import find_model
from bench.models.loading import load_model
from bench.models.tuning import tuned

RECORDS, LENGTH = 3, 96


@pytest.fixture(params=["full", "lora"])
def tuning(request):
    return request.param


@pytest.fixture
def model(tuning):
    return tuned(load_model(find_model("tiny"), torch.device("cpu")), tuning, seed=0)


def logits(model):
    ids = torch.arange(RECORDS * LENGTH).reshape(RECORDS, LENGTH)
    return model(input_ids=ids, use_cache=False).logits


def test_a_shape_has_the_counts_of_the_model_that_is_loaded(model, tuning):
    shape = shape_of(find_model("tiny"), tuning)
    assert shape.parameters == sum(p.numel() for p in model.parameters())
    assert shape.trained == sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert (shape.layers, shape.attention_width, shape.vocabulary) == (4, 128, 2048)


def test_a_forward_pass_takes_the_flops_that_pytorch_counts(model, tuning):
    # Only plain attention is counted: its fused kernels for CPUs are unknown to the counter.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        logits(model)
    shape = shape_of(find_model("tiny"), tuning)
    assert formulas.forward_flops(shape, [LENGTH] * RECORDS) == pytest.approx(
        counted.get_total_flops(), rel=0.02
    )


def test_a_forward_and_a_backward_pass_take_the_flops_that_pytorch_counts(model, tuning):
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counted:
        logits(model).logsumexp(-1).sum().backward()
    shape = shape_of(find_model("tiny"), tuning)
    # With adapters, the gradient need not reach what comes into the first layer.
    assert formulas.training_flops(shape, [LENGTH] * RECORDS) == pytest.approx(
        counted.get_total_flops(), rel={"full": 0.02, "lora": 0.1}[tuning]
    )


def saved_bytes(model, dtype):
    """What autograd keeps of a pass up to the head, weights left out."""
    weights = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    saved = {}

    def keep(tensor):
        if tensor.untyped_storage().data_ptr() not in weights:
            saved[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    lower = torch.autocast("cpu", torch.bfloat16) if dtype == "bfloat16" else contextlib.nullcontext()
    ids = torch.zeros((RECORDS, LENGTH), dtype=torch.long)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor), lower:
        model.base_model(input_ids=ids, use_cache=False)
    layers = [module for name, module in model.named_modules() if "layers" in name or ".h." in name]
    products = {id(p): p.numel() for layer in layers for p in layer.parameters() if p.ndim > 1}
    cast = 2 * sum(products.values()) if dtype == "bfloat16" else 0
    return sum(tensor.untyped_storage().nbytes() for tensor in saved.values()) - cast


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_activations_take_about_what_autograd_saves(architecture, dtype, tmp_path):
    if architecture == "llama":
        folder = find_model("tiny")
        model = load_model(folder, torch.device("cpu"))
    else:
        folder = tmp_path
        config = GPT2Config(n_embd=128, n_layer=4, n_head=4, vocab_size=2048, bos_token_id=0, eos_token_id=0)
        config.attn_pdrop = config.resid_pdrop = config.embd_pdrop = 0.0
        config.save_pretrained(folder)
        model = AutoModelForCausalLM.from_config(config)
    shape = shape_of(folder, "full")
    with_logits = formulas.step_memory(shape, RECORDS * LENGTH, dtype)
    logits = formulas.FLOAT32 * formulas.LOGIT_COPIES * shape.vocabulary * RECORDS * LENGTH
    assert with_logits - logits == pytest.approx(saved_bytes(model, dtype), rel=0.4)
