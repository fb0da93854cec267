import pytest

import bench
from bench.errors import InputError
from bench.experiment import settings_from

SMALL = {
    "dataset": "synthetic-essays",
    "limit": 40,
    "max_length": 32,
    "epochs": 2,
    "attack": "loss",
    "defense": ["none", "early-stopping", "dp-sgd:epochs=2"],
}


def test_trainings_can_be_followed_in_tensorboard_and_by_default_nothing_is_written(tmp_path):
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    bench.run(**SMALL, out=tmp_path / "quiet")
    assert not (tmp_path / "quiet" / "logs").exists()
    bench.run(**SMALL, out=tmp_path / "told", log_to="tensorboard")
    logs = sorted((tmp_path / "told" / "logs").iterdir())
    # The reference, the private run, and one that two defenses share.
    assert len(logs) == 3
    for log in logs:
        read = accumulators.EventAccumulator(str(log))
        read.Reload()
        assert set(read.Tags()["scalars"]) == {"loss", "validation_nll", "seconds"}
        for name in ("loss", "validation_nll", "seconds"):
            assert [event.step for event in read.Scalars(name)] == [1, 2]
        losses = [event.value for event in read.Scalars("loss")]
        assert losses[1] < losses[0]
    figures = [
        [(cell.defense, cell.utility, cell.results) for cell in found.cells]
        for found in (bench.run(**SMALL, out=tmp_path / folder) for folder in ("quiet", "told"))
    ]
    assert figures[0] == figures[1]


def test_what_cannot_be_followed_is_refused_before_anything_runs(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="log_to='wandb' is not allowed"):
        settings_from({"log_to": "wandb"})
    with pytest.raises(InputError, match="on a Ray cluster cannot be followed"):
        settings_from({"log_to": "tensorboard", "executor": "ray"})
    monkeypatch.setattr("bench.live.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'trap-bench\[tensorboard\]'"):
        bench.run(**SMALL, out=tmp_path, log_to="tensorboard")
    assert not list(tmp_path.glob("models/*"))
