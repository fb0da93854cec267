import os
from functools import cache

# Before anything imports torch or the hub's client: tiny models are fastest on one thread, where they are
# also reproducible bit for bit, and no test may depend on what a network answers.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest
from architectures import ARCHITECTURES, random_records, save


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """A saved tiny random model of each architecture, by the architecture's name; leave them as they are."""
    return {name: save(tmp_path_factory.mktemp(name), name) for name in ARCHITECTURES}


@pytest.fixture(params=ARCHITECTURES)
def architecture(request):
    return request.param


@pytest.fixture(scope="session")
def fresh(folders, tmp_path_factory):
    """`fresh("llama", "lora")` loads the model anew and makes it ready for training.

    With `tied=False` its output head does not share the embeddings' weights.
    """
    import torch

    from bench.models.loading import load_model
    from bench.models.tuning import tuned

    @cache
    def untied(architecture):
        return save(tmp_path_factory.mktemp(architecture), architecture, tie_word_embeddings=False)

    def load(architecture="llama", tuning="full", seed=0, *, tied=True):
        folder = folders[architecture] if tied else untied(architecture)
        return tuned(load_model(folder, torch.device("cpu")), tuning, seed)

    return load


@pytest.fixture(scope="session")
def records():
    """Five records of different lengths, which `fine_tune` trains on."""
    return random_records([9, 4, 14, 7, 11], seed=1)


@pytest.fixture(scope="session")
def validation():
    return random_records([8, 12, 5], seed=2)


@pytest.fixture(scope="session")
def fine_tune(records, validation):
    """`fine_tune(model, defense, epochs=3)` trains the model in place and returns what `train` does."""
    from bench.schedule import Schedule
    from bench.training import train

    def run(model, defense, *, epochs=2, batch_size=2, learning_rate=1e-3, seed=0, **more):
        return train(
            model, records, validation, defense, Schedule(epochs, batch_size, learning_rate), seed, **more
        )

    return run


@pytest.fixture(scope="session")
def equal():
    """Whether two dictionaries of tensors agree bit for bit."""
    import torch

    def compare(one, other):
        return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)

    return compare


@pytest.fixture
def typed(monkeypatch, capsys):
    """`typed("ls")`: the exit code, and what stood on stdout and stderr."""
    import sys

    from bench.cli import main

    def run(*argv: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["bench", *argv])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return run
