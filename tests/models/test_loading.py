import shutil
import time

import pytest
import torch
from architectures import TIED, random_records, save, save_tokenizer
from safetensors.torch import load_file, save_file

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.errors import InputError
from bench.models.finding import find_model
from bench.models.loading import load_model, load_tokenizer, model_digest

CPU = torch.device("cpu")


@pytest.fixture
def copied(folders, tmp_path):
    """A copy of one model's folder, to be broken."""

    def copy(architecture="gpt2"):
        return shutil.copytree(folders[architecture], tmp_path / architecture)

    return copy


def test_each_architecture_loads_by_folder_ready_to_score(architecture, folders):
    folder = find_model(str(folders[architecture]))
    model = load_model(folder, CPU)
    assert not model.training
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert (model.get_input_embeddings().weight is model.get_output_embeddings().weight) == (
        architecture in TIED
    )


def test_half_precision_weights_load_in_single_precision(copied):
    folder = copied()
    weights = {name: value.half() for name, value in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    assert {p.dtype for p in load_model(folder, CPU).parameters()} == {torch.float32}


def test_a_model_loaded_twice_is_the_same(architecture, folders):
    first, second = (load_model(folders[architecture], CPU).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_every_dropout_of_its_own_is_off(architecture, folders):
    model = load_model(folders[architecture], CPU).train()
    batch = collate(random_records([12, 7]), CPU)
    first, second = (logits_and_logprobs(model, batch)[0] for _ in range(2))
    assert torch.equal(first, second)
    assert all(m.p == 0 for m in model.modules() if isinstance(m, torch.nn.Dropout))


def test_a_start_token_that_pads_as_well_is_learned_like_any_other(architecture, tmp_path):
    # The output head is another matrix, so that only reading the token gives its row a gradient.
    folder = save(tmp_path, architecture, bos_token_id=0, pad_token_id=0, tie_word_embeddings=False)
    model = load_model(folder, CPU)
    embeddings = [module for module in model.modules() if isinstance(module, torch.nn.Embedding)]
    assert [module.padding_idx for module in embeddings] == [None] * len(embeddings)
    batch = collate(random_records([12, 7]), CPU)
    _, logprobs = logits_and_logprobs(model, batch)
    mean_over_own_tokens(-logprobs, batch.mask).mean().backward()
    assert batch.input_ids[:, 0].tolist() == [0, 0]
    assert model.get_input_embeddings().weight.grad[0].any()


@pytest.mark.parametrize(
    ("pattern", "what"),
    [("tokenizer*", "no tokenizer"), ("*.safetensors", "no weights"), ("config.json", "no configuration")],
)
def test_a_folder_that_lacks_something_is_refused_by_what_it_lacks(copied, pattern, what):
    folder = copied()
    for path in folder.glob(pattern):
        path.unlink()
    with pytest.raises(InputError, match=what):
        find_model(str(folder))


def test_pickled_weights_alone_are_refused(copied):
    folder = copied()
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match="safetensors"):
        find_model(str(folder))
    with pytest.raises(InputError):
        load_model(folder, CPU)


def test_weights_that_lack_a_tensor_are_refused_rather_than_filled_at_random(copied):
    folder = copied()
    weights = load_file(folder / "model.safetensors")
    del weights[next(name for name in weights if "mlp" in name)]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError):
        load_model(folder, CPU)


def test_truncated_weights_are_refused(copied):
    folder = copied()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(InputError, match="cannot be loaded"):
        load_model(folder, CPU)


def test_a_tokenizer_of_which_only_the_configuration_is_left_is_refused(architecture, copied):
    folder = copied(architecture)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="tokenizer"):
        load_tokenizer(find_model(str(folder)))


def test_an_unknown_name_is_refused_quickly_with_the_way_out():
    started = time.perf_counter()
    with pytest.raises(InputError, match=r"unknown model 'tinyy', did you mean 'tiny'\?"):
        find_model("tinyy")
    with pytest.raises(InputError, match=r"nobody/no-such-model.*local folder"):
        find_model("nobody/no-such-model")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("name", ["./absent", "/absent/folder", "a/b/c", "~absent"])
def test_a_path_that_is_not_there_is_not_looked_for_elsewhere(name):
    with pytest.raises(InputError, match="no such folder"):
        find_model(name)


@pytest.mark.parametrize("bos", ["<s>", None])
def test_records_start_with_the_start_token_or_else_the_end_of_text(architecture, copied, bos):
    folder = copied(architecture)
    save_tokenizer(folder, bos=bos)
    tokenizer, start = load_tokenizer(folder)
    assert tokenizer.convert_ids_to_tokens(start) == (bos or "</s>")
    assert tokenizer.is_fast


def test_a_tokenizer_with_neither_token_is_refused(architecture, copied):
    folder = copied(architecture)
    save_tokenizer(folder, bos=None, eos=None)
    with pytest.raises(InputError, match="neither a start nor an end-of-text token"):
        load_tokenizer(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_one_changed_byte_changes_the_digest(copied, name):
    folder = copied()
    before = model_digest(folder)
    assert model_digest(folder) == before
    content = bytearray((folder / name).read_bytes())
    content[-3] ^= 1
    (folder / name).write_bytes(content)
    assert model_digest(folder) != before


def test_the_digest_does_not_depend_on_where_the_folder_lies(folders, copied):
    assert model_digest(copied()) == model_digest(folders["gpt2"])
