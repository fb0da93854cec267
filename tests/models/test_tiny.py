import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoTokenizer

import bench.models.tiny

TINY = Path(bench.models.tiny.__file__).parent
TOKENIZER = AutoTokenizer.from_pretrained(TINY)

anything = st.text(st.characters(codec="utf-8"))
awkward = [
    "",
    " ",
    "\ufeffmark first",
    "two\r\nlines\r\n",
    "e\u0301 is not é",
    "\U0001f469\u200d\U0001f467 and \U0001f3f3\ufe0f\u200d\U0001f308",
    "中文没有空格",
    "before<|endoftext|>after",
    "<|endoftext|>",
    "\x00\x1b\x7f",
]


@pytest.fixture(scope="module")
def model():
    return AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float32).eval()


def loss_of(model, text):
    ids = torch.tensor([[TOKENIZER.bos_token_id, *TOKENIZER(text)["input_ids"]]])
    with torch.no_grad():
        return model(input_ids=ids, labels=ids).loss.item()


def assert_round_trips(text):
    encoded = TOKENIZER(text, return_offsets_mapping=True)
    ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
    assert TOKENIZER.decode(ids) == text
    assert all(0 < token < len(TOKENIZER) for token in ids), "text never becomes the special token"
    reached = 0
    for start, end in offsets:
        assert start <= reached < end or start < reached == end, "no gap, and no token without text"
        reached = end
    assert reached == len(text)


@given(anything)
def test_any_text_round_trips_and_its_offsets_leave_no_gap(text):
    assert_round_trips(text)


@pytest.mark.parametrize("text", awkward)
def test_awkward_text_round_trips_and_its_offsets_leave_no_gap(text):
    assert_round_trips(text)


def test_a_digit_is_a_token_of_its_own():
    tokens = TOKENIZER.convert_ids_to_tokens(TOKENIZER("Call 0176 5559.")["input_ids"])
    assert [token for token in tokens if any(c.isdigit() for c in token)] == list("01765559")


def test_one_token_starts_ends_and_pads():
    assert TOKENIZER.bos_token_id == TOKENIZER.eos_token_id == TOKENIZER.pad_token_id == 0
    assert len(TOKENIZER) == 2048


def test_the_model_has_about_a_million_parameters(model):
    assert 0.9e6 < model.num_parameters() < 1.2e6
    assert model.config.vocab_size == len(TOKENIZER)


def test_the_model_loads_in_single_precision_unasked():
    assert AutoModelForCausalLM.from_pretrained(TINY).dtype == torch.float32


def test_english_is_far_likelier_than_chance_and_than_its_words_shuffled(model):
    english = loss_of(
        model, "This is the first of the two values that can be used to find the end of the list."
    )
    shuffled = loss_of(
        model, "the first This used of values two be can that the end is to of find list the the."
    )
    assert english < 0.6 * math.log(2048)
    assert english < shuffled - 1


def test_a_record_longer_than_a_training_block_is_no_surprise(model):
    sentence = "The method returns a list of the names that were found in the given folder. "
    assert loss_of(model, sentence * 60) < loss_of(model, sentence)


def test_the_files_name_no_place_on_a_disk():
    for file in TINY.glob("*.json"):
        text = file.read_text("utf-8")
        assert "/home" not in text
        assert "/tmp" not in text
