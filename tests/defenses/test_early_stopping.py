import numpy as np
import pytest

from bench.defenses.early_stopping import EarlyStopping
from bench.defenses.none import NoDefense
from bench.errors import InputError

FAST = {"epochs": 12, "learning_rate": 1e-2}


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_it_stops_after_so_many_epochs_without_a_better_one(fresh, fine_tune, patience):
    run = fine_tune(fresh(), EarlyStopping(patience=patience), **FAST)
    best = np.minimum.accumulate(run.validation)
    assert all(best[epoch] < best[epoch - patience] for epoch in range(patience, run.epochs - 1))
    assert best[-1] == best[-1 - patience]
    assert run.epochs == run.best_epoch + patience


def test_until_it_stops_it_is_plain_fine_tuning(fresh, fine_tune, equal):
    stopped = fine_tune(fresh(), EarlyStopping(), **FAST)
    plain = fine_tune(fresh(), NoDefense(), **FAST)
    assert stopped.validation == plain.validation[: stopped.epochs]
    assert equal(stopped.final, plain.best)


def test_more_patience_than_epochs_still_delivers_the_best(fresh, fine_tune, equal):
    run = fine_tune(fresh(), EarlyStopping(patience=50), **FAST)
    assert run.epochs == 12
    assert run.best_epoch < 12
    assert equal(run.final, run.best)


def test_lora_stops_early_too(fresh, fine_tune, equal):
    run = fine_tune(fresh("gpt2", "lora"), EarlyStopping(patience=1), epochs=12, learning_rate=3e-2)
    assert run.epochs == run.best_epoch + 1 < 12
    assert equal(run.final, run.best)


@pytest.mark.parametrize("patience", [0, -1, 1.5])
def test_a_patience_below_one_epoch_is_refused(patience):
    with pytest.raises(InputError, match="early-stopping: patience="):
        EarlyStopping.with_parameters({"patience": patience})
