import math
from dataclasses import asdict
from typing import ClassVar

import numpy as np
import pytest
import torch
from architectures import config_of, random_records, slow_record_loss
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defense import Defense
from bench.defenses.dp_sgd import DPSGD
from bench.defenses.dropout import Dropout
from bench.defenses.early_stopping import EarlyStopping
from bench.defenses.none import NoDefense
from bench.errors import RunError
from bench.precision import Numerics
from bench.schedule import Schedule, Stop
from bench.signals import score
from bench.training import load_state, train, train_once
from bench.updates import MOST_PADDING, Updates, like_lengths

NONE = NoDefense()
STOCHASTIC = [NONE, Dropout(), DPSGD(noise_multiplier=1.0, accountant="rdp")]


def batch_losses(model, records):
    batch = collate(records, torch.device("cpu"))
    logits, logprobs = logits_and_logprobs(model, batch)
    return mean_over_own_tokens(NONE.token_losses(logprobs, logits, batch), batch.mask)


def mean_loss(model, records):
    return float(np.mean([-row.logprobs.mean(dtype=np.float64) for row in score(model, records)]))


def test_a_hand_computed_loss_is_a_mean_over_own_tokens():
    losses = torch.tensor([[1.0, 2.0, 6.0], [5.0, 99.0, 99.0], [7.0, 7.0, 7.0]])
    mask = torch.tensor([[True, True, True], [True, False, False], [False, False, False]])
    assert mean_over_own_tokens(losses, mask).tolist() == [3.0, 5.0, 0.0]


def test_the_loss_of_each_record_is_that_of_a_slow_loop(architecture, fresh, records):
    slow = fresh(architecture).double()
    expected = [slow_record_loss(slow, record).item() for record in records]
    assert batch_losses(fresh(architecture), records).tolist() == pytest.approx(expected, rel=1e-5)


def test_two_steps_follow_the_mean_over_records_of_a_slow_loop(fresh, fine_tune, records):
    class PlainGradient(Defense):
        def optimizer(self, parameters, learning_rate):
            return torch.optim.SGD(parameters, lr=learning_rate)

    slow = fresh().double()
    for _ in range(2):
        slow.zero_grad()
        sum(slow_record_loss(slow, record) for record in records).div(len(records)).backward()
        with torch.no_grad():
            for parameter in slow.parameters():
                parameter -= 0.1 * parameter.grad
    start = dict(fresh().named_parameters())
    end = fine_tune(fresh(), PlainGradient(), epochs=2, batch_size=len(records), learning_rate=0.1).final
    for name, parameter in slow.named_parameters():
        moved, expected = (after - start[name] for after in (end[name], parameter))
        assert (moved - expected).norm() < 1e-4 * expected.norm(), name


def test_batch_mates_and_padding_change_neither_a_records_loss_nor_its_gradient(architecture, fresh, records):
    model = fresh(architecture)

    def loss_and_gradient(batch):
        model.zero_grad()
        loss = batch_losses(model, batch)[0]
        loss.backward()
        return loss.item(), torch.cat([p.grad.flatten() for p in model.parameters()])

    alone, gradient = loss_and_gradient(records[1:2])
    among, gradient_among = loss_and_gradient([records[1], *random_records([20, 3], seed=9)])
    assert among == pytest.approx(alone, rel=1e-6)
    assert (gradient - gradient_among).norm() < 1e-5 * gradient.norm()


@pytest.mark.parametrize("defense", STOCHASTIC, ids=lambda defense: defense.name)
@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_one_seed_gives_the_same_weights_bit_for_bit(fresh, fine_tune, equal, defense, tuning):
    first = fine_tune(fresh("gpt2", tuning), defense, seed=5)
    torch.rand(7)
    again = fine_tune(fresh("gpt2", tuning), defense, seed=5)
    other = fine_tune(fresh("gpt2", tuning), defense, seed=6)
    assert equal(first.final, again.final)
    assert equal(first.best, again.best)
    assert first.validation == again.validation
    assert not equal(first.final, other.final)


def test_record_order_depends_on_seed_and_epoch_alone():
    def order(seed, epoch):
        return list(Updates(None, None, None, [""] * 11, [1] * 11, Schedule(3, 4, 1.0), seed).batches(epoch))

    first = order(1, 0)
    torch.manual_seed(99)
    assert order(1, 1) != first
    assert order(2, 0) != first
    assert order(1, 0) == first
    assert [len(batch) for batch in first] == [4, 4, 3]
    assert sorted(index for batch in first for index in batch) == list(range(11))


def test_early_stopping_restores_exactly_the_best_state_and_counts_epochs(
    fresh, fine_tune, equal, records, validation
):
    model = fresh()
    stopped = fine_tune(model, EarlyStopping(patience=2), epochs=12, learning_rate=1e-2)
    assert stopped.best_epoch == 1 + np.argmin(stopped.validation)
    assert stopped.epochs == len(stopped.validation) == stopped.best_epoch + 2 < 12
    assert stopped.steps == stopped.epochs * math.ceil(len(records) / 2)
    load_state(model, stopped.final)
    assert mean_loss(model, validation) == min(stopped.validation)
    until_best = fine_tune(fresh(), NONE, epochs=stopped.best_epoch, learning_rate=1e-2)
    assert equal(stopped.final, until_best.final), "stopping early is training less, and nothing else"


def test_undefended_training_delivers_the_last_state_and_remembers_the_best(
    fresh, fine_tune, equal, validation
):
    model = fresh()
    run = fine_tune(model, NONE, epochs=5, learning_rate=1e-2)
    assert run.epochs == 5
    assert run.best_epoch == 1 + np.argmin(run.validation) < 5
    assert equal(run.final, dict(model.named_parameters()))
    assert mean_loss(model, validation) == run.validation[-1]
    load_state(model, run.best)
    assert mean_loss(model, validation) == min(run.validation)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_training_learns_the_records(architecture, tuning, fresh, fine_tune, records):
    model = fresh(architecture, tuning)
    before = mean_loss(model, records)
    fine_tune(model, NONE, epochs=10, learning_rate=1e-2)
    assert mean_loss(model, records) < before - 1


def test_every_token_trained_on_is_told(fresh, fine_tune, records):
    told = []
    fine_tune(fresh(), NONE, epochs=3, advance=told.append)
    assert sum(told) == 3 * sum(len(record) for record in records)


def test_a_learning_rate_of_0_is_an_error(fresh, fine_tune):
    with pytest.raises(RunError, match="moved no weight"):
        fine_tune(fresh(), NONE, learning_rate=0.0)


def test_a_frozen_model_is_an_error(fresh, fine_tune):
    with pytest.raises(RunError):
        fine_tune(fresh().requires_grad_(False), NONE)


def test_a_validation_loss_that_is_not_finite_is_an_error(fresh, fine_tune):
    with pytest.raises(RunError, match=r"validation loss is .* after epoch 1; lower the learning rate"):
        fine_tune(fresh(), NONE, learning_rate=1e30)


def test_lora_training_leaves_the_base_untouched(architecture, fresh, fine_tune, equal):
    model = fresh(architecture, "lora")
    frozen = {name: p.detach().clone() for name, p in model.named_parameters() if not p.requires_grad}
    final = fine_tune(model, NONE).final
    assert equal(frozen, {name: p for name, p in model.named_parameters() if not p.requires_grad})
    assert all("lora_" in name for name in final)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_a_state_put_into_a_fresh_model_scores_the_same(architecture, tuning, fresh, fine_tune, validation):
    model, again = fresh(architecture, tuning), fresh(architecture, tuning)
    final = fine_tune(model, NONE).final
    assert mean_loss(again, validation) != mean_loss(model, validation)
    load_state(again, final)
    assert mean_loss(again, validation) == mean_loss(model, validation)


def test_a_state_of_another_architecture_or_tuning_is_refused(fresh):
    state = dict(fresh("llama").named_parameters())
    for other in (fresh("gpt2"), fresh("llama", "lora")):
        with pytest.raises(RunError, match="another model"):
            load_state(other, state)


def test_a_state_of_another_size_is_refused(fresh):
    wider = AutoModelForCausalLM.from_config(config_of("llama", hidden_size=64))
    with pytest.raises(RunError, match="another model"):
        load_state(fresh("llama"), dict(wider.named_parameters()))


class Shapeless(Defense):
    """Gives back what `shape` says, not one loss a token."""

    name: ClassVar[str] = "shapeless"
    shape: str = "scalar"

    def token_losses(self, logprobs, logits, batch):
        return {"scalar": -logprobs.mean(), "record": -logprobs.mean(-1), "nothing": None}[self.shape]


@pytest.mark.parametrize(
    ("shape", "told"), [("scalar", r"\(\)"), ("record", r"\(2,\)"), ("nothing", "NoneType")]
)
def test_a_loss_that_is_not_one_a_token_is_refused(fresh, fine_tune, shape, told):
    with pytest.raises(RunError, match=rf"token_losses gave {told}, not \(2, \d+\)"):
        fine_tune(fresh(), Shapeless(shape=shape))


def test_all_that_differ_in_when_they_stop_get_what_a_training_of_their_own_gives(
    fresh, records, validation, equal
):
    class Stops(Defense):
        patience: int | None = None

        epochs: int | None = None

        @property
        def stop(self):
            return Stop(self.patience, self.epochs)

    schedule = Schedule(12, 2, 3e-2)
    stops = (Stop(), Stop(patience=1), Stop(patience=3), Stop(epochs=2), Stop(epochs=5))
    shared = train_once(fresh(), records, validation, NONE, schedule, 0, stops=stops)
    assert len({trained.epochs for trained in shared}) > 1, "some stop before others"
    for stop, trained in zip(stops, shared, strict=True):
        alone = train(fresh(), records, validation, Stops(**asdict(stop)), schedule, 0)
        assert equal(trained.final, alone.final)
        assert equal(trained.best, alone.best)
        for what in ("validation", "steps", "epochs", "best_epoch", "privacy"):
            assert getattr(trained, what) == getattr(alone, what)
    seconds = {trained.epochs: trained.train_seconds for trained in shared}
    assert sorted(seconds.values()) == [seconds[epochs] for epochs in sorted(seconds)]


def test_only_a_defense_that_changes_no_step_shares_its_course_with_the_plain_one():
    class Loss(Defense):
        name: ClassVar[str] = "loss"

        def token_losses(self, logprobs, logits, batch):
            return -logprobs

    plain = [NONE, EarlyStopping(), EarlyStopping(patience=1)]
    assert {str(defense.course) for defense in plain} == {"[]"}
    others = [Loss(), Dropout(), Dropout(rate=0.2), DPSGD()]
    assert len({str(defense.course) for defense in others}) == len(others)
    assert all(defense.course for defense in others)


def test_a_step_in_parts_of_like_lengths_is_the_step_of_the_whole_batch(fresh, records):
    whole, parted = fresh(), fresh()
    losses = batch_losses(whole, records)
    losses.mean().backward()

    class Kept(torch.optim.SGD):
        def step(self):
            pass

    optimizer = Kept(parted.parameters(), lr=0.0)
    sizes = []

    def record_losses(model, indices):
        sizes.append(len(indices))
        return batch_losses(model, [records[index] for index in indices])

    lengths = [len(record) for record in records]
    updates = Updates(parted, optimizer, record_losses, [""] * 5, lengths, Schedule(1, 5, 0.0), 0)
    updates.step(range(5))
    assert sum(sizes) == 5
    assert len(sizes) > 1
    for one, other in zip(whole.parameters(), parted.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=40), st.integers(0, 2**32))
def test_parts_hold_every_record_once_and_are_hardly_padded(lengths, seed):
    order = np.random.default_rng(seed).permutation(len(lengths)).tolist()
    parts = like_lengths(order, lengths)
    assert sorted(index for part in parts for index in part) == sorted(order)
    for part in parts:
        sizes = [lengths[index] + 1 for index in part]
        assert max(sizes) * len(sizes) - sum(sizes) <= MOST_PADDING * max(sizes) * len(sizes)


def test_records_of_one_length_stay_together():
    assert like_lengths([3, 1, 2], [9, 7, 7, 7]) == [[3, 1, 2]]


def test_lower_precision_learns_the_same_in_bfloat16_and_keeps_weights_in_float32(fresh, fine_tune):
    exact, lower = (fine_tune(fresh(), NONE, epochs=3, numerics=Numerics(p)) for p in ("float32", "bfloat16"))
    assert (exact.dtype, lower.dtype) == ("float32", "bfloat16")
    assert lower.validation != exact.validation
    assert lower.validation == pytest.approx(exact.validation, rel=0.02)
    assert {tensor.dtype for tensor in lower.final.values()} == {torch.float32}


def test_a_mechanism_that_looks_at_single_gradients_stays_in_float32(fresh, fine_tune):
    private = DPSGD(noise_multiplier=1.0, accountant="rdp")
    assert fine_tune(fresh(), private, numerics=Numerics("bfloat16")).dtype == "float32"


@pytest.mark.slow
def test_a_translated_model_learns_the_same_and_only_training_is_translated(fresh, fine_tune, monkeypatch):
    translations, real = [], torch.compile

    def without_a_c_compiler(model, **options):
        translations.append(options)
        return real(model, backend="aot_eager", **options)

    monkeypatch.setattr(torch, "compile", without_a_c_compiler)
    plain, compiled = (fine_tune(fresh(), NONE, numerics=Numerics(compiled=c)) for c in (False, True))
    assert translations == [{"dynamic": True}]
    assert compiled.validation == pytest.approx(plain.validation, rel=1e-4)
    assert compiled.final.keys() == plain.final.keys()
    fine_tune(fresh(), DPSGD(noise_multiplier=1.0, accountant="rdp"), numerics=Numerics(compiled=True))
    assert len(translations) == 1, "single records' gradients are left alone"
