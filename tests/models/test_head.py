import contextlib

import pytest
import torch
from transformers import AutoModelForCausalLM, Gemma2Config, LlamaConfig

from bench.models.head import hidden_states

IDS = torch.tensor([[0, 3, 5, 7, 2, 9, 1, 4, 6, 8, 3]] * 2)
SIZES = {
    "vocab_size": 50,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 8,
}


def of(config):
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config).eval()


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_the_head_applied_to_the_states_gives_the_models_logits(architecture, fresh, tuning):
    model = fresh(architecture, tuning).eval()
    with torch.inference_mode():
        hidden = hidden_states(model, input_ids=IDS)
        found, expected = hidden.logits(hidden.states), model(input_ids=IDS).logits
    assert hidden.states.shape[-1] != expected.shape[-1], "the head was used apart"
    torch.testing.assert_close(found, expected)


def test_a_model_that_caps_its_logits_is_found_out_and_run_whole():
    model = of(Gemma2Config(**SIZES, final_logit_softcapping=0.5))
    with torch.inference_mode():
        hidden = hidden_states(model, input_ids=IDS)
        expected = model(input_ids=IDS).logits
    assert expected.abs().max() < 0.5
    torch.testing.assert_close(hidden.logits(hidden.states), expected)


def test_a_model_without_a_head_of_its_own_is_run_whole():
    class Plain(torch.nn.Module):
        def forward(self, input_ids):
            return type("Output", (), {"logits": torch.nn.functional.one_hot(input_ids, 20).float()})

    hidden = hidden_states(Plain(), input_ids=IDS)
    assert torch.equal(hidden.logits(hidden.states), torch.nn.functional.one_hot(IDS, 20).float())


def test_the_head_is_itself_again_after_a_pass_and_after_one_that_fails():
    model = of(LlamaConfig(**SIZES))
    head = model.get_output_embeddings()
    for ids in (IDS, IDS + 1000):
        with contextlib.suppress(IndexError):
            hidden_states(model, input_ids=ids)
        assert "forward" not in vars(head)
        assert model(input_ids=IDS).logits.shape == (*IDS.shape, 50)
