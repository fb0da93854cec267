import numpy as np
import pytest
import torch
from architectures import random_records

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defenses.none import NoDefense
from bench.defenses.trap import Trap
from bench.errors import InputError, RunError
from bench.experiment import settings_from
from bench.plan import make_plan

CPU = torch.device("cpu")
LENGTHS = [5, 3, 1]


def reference_for(records, seed=0):
    rng = np.random.default_rng(seed)
    return [np.log(rng.uniform(0.001, 1, len(record))).astype(np.float32) for record in records]


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("margin", [0.0, 0.7])
@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_the_token_loss_is_the_papers_formula(strength, margin, power):
    records = random_records(LENGTHS)
    references = reference_for(records)
    logprobs = torch.randn(3, 5, generator=torch.Generator().manual_seed(1)) - 2
    batch = collate(records, CPU, references)
    losses = Trap(strength=strength, margin=margin, power=power).token_losses(logprobs, None, batch)
    ahead = 0
    for row, reference in enumerate(references):
        for position, known in enumerate(reference.astype(float)):
            own = float(logprobs[row, position])
            penalty = (own - known - margin) ** power if own - known > margin else 0.0
            ahead += penalty > 0
            assert losses[row, position].item() == pytest.approx(-own + strength * penalty, rel=1e-5)
    assert 0 < ahead < sum(LENGTHS), "tokens on both sides of the reference"


@pytest.mark.parametrize("strength", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_a_token_ahead_of_its_reference_is_learned_at_one_minus_strength(strength, margin):
    records = random_records(LENGTHS)
    batch = collate(records, CPU, reference_for(records))
    logprobs = (torch.randn(3, 5, generator=torch.Generator().manual_seed(1)) - 2).requires_grad_(True)
    losses = Trap(strength=strength, margin=margin).token_losses(logprobs, None, batch)
    mean_over_own_tokens(losses, batch.mask).sum().backward()
    ahead = logprobs - batch.reference_logprobs > margin
    expected = torch.where(ahead, strength - 1, -1.0) / torch.tensor(LENGTHS)[:, None]
    assert torch.allclose(logprobs.grad, torch.where(batch.mask, expected, 0.0))
    assert torch.all(logprobs.grad[~batch.mask] == 0)


def test_padding_is_never_penalized():
    records = random_records([4, 1])
    batch = collate(records, CPU, [np.full(4, -50, np.float32), np.full(1, -50, np.float32)])
    logprobs = torch.full((2, 4), 3.0, requires_grad=True)  # on padding, above the 0 that stands there
    loss = mean_over_own_tokens(Trap().token_losses(logprobs, None, batch), batch.mask)
    loss.sum().backward()
    assert loss.tolist() == pytest.approx([-3 + 2 * 53] * 2)
    assert logprobs.grad[1].tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("strength", [0.0, 1.0, 2.0])
def test_a_model_ahead_everywhere_gets_the_plain_gradient_scaled(architecture, fresh, records, strength):
    def gradient(defense, references):
        model = fresh(architecture)
        batch = collate(records, CPU, references)
        logits, logprobs = logits_and_logprobs(model, batch)
        mean_over_own_tokens(defense.token_losses(logprobs, logits, batch), batch.mask).mean().backward()
        return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])

    far_behind = [np.full(len(record), -100, np.float32) for record in records]
    certain = [np.zeros(len(record), np.float32) for record in records]
    plain = gradient(NoDefense(), None)
    defense = Trap(strength=strength)
    assert (gradient(defense, far_behind) - (1 - strength) * plain).norm() <= 1e-5 * plain.norm()
    assert torch.equal(gradient(defense, certain), plain)


def test_behind_its_reference_trap_is_plain_fine_tuning_bit_for_bit(fresh, fine_tune, equal, records):
    certain = [np.zeros(len(record), np.float32) for record in records]
    plain = fine_tune(fresh(), NoDefense())
    assert equal(fine_tune(fresh(), Trap(patience=0), reference_logprobs=certain).final, plain.final)


def test_each_record_meets_its_own_reference_in_every_batch(fresh, fine_tune, records):
    met = {}

    class Watched(Trap):
        def token_losses(self, logprobs, logits, batch):
            for ids, values, mask in zip(batch.input_ids, batch.reference_logprobs, batch.mask, strict=True):
                met.setdefault(tuple(ids[1:][mask].tolist()), []).append(values[mask])
            return super().token_losses(logprobs, logits, batch)

    references = reference_for(records, seed=4)
    fine_tune(fresh(), Watched(patience=0), epochs=3, reference_logprobs=references)
    for record, reference in zip(records, references, strict=True):
        values = met[tuple(record.input_ids[1:].tolist())]
        assert len(values) == 3
        assert all(torch.equal(value, torch.from_numpy(reference)) for value in values)


def test_a_trap_that_stops_all_learning_is_an_error(fresh, fine_tune, records):
    far_behind = [np.full(len(record), -100, np.float32) for record in records]
    with pytest.raises(RunError, match="moved no weight"):
        fine_tune(fresh(), Trap(strength=1.0), reference_logprobs=far_behind)


def test_the_penalty_holds_the_model_back_to_its_reference(fresh, fine_tune, records):
    from bench.signals import score

    references = [row.logprobs for row in score(fresh(), records)]

    def advantage(defense, **more):
        model = fresh()
        fine_tune(model, defense, epochs=10, learning_rate=1e-2, **more)
        rows = zip(score(model, records), references, strict=True)
        return float(np.mean([np.mean(row.logprobs - reference) for row, reference in rows]))

    held = advantage(Trap(patience=0), reference_logprobs=references)
    assert held < 0.25 * advantage(NoDefense())


def planned(spec):
    settings = settings_from({"dataset": "synthetic-essays", "limit": 40, "defense": spec, "attack": "loss"})
    (cell,) = [cell for cell in make_plan(settings).cells if cell.row == "trap"]
    return cell.sources["target"].scorings[0].training


def test_by_default_the_target_half_meets_the_reference_of_the_complement():
    training = planned("trap")
    assert training.trained_on == ("target",)
    assert [reference.trained_on for reference in training.references] == [("complement",)]


def test_cross_fit_trains_on_both_halves_each_against_the_reference_of_the_other():
    training = planned("trap:cross_fit=true")
    assert training.trained_on == ("target", "complement")
    assert [reference.trained_on for reference in training.references] == [("complement",), ("target",)]


@pytest.mark.parametrize("wrong", [{"strength": -1}, {"margin": -0.1}, {"power": 0.5}, {"patience": -1}])
def test_a_parameter_out_of_range_is_refused_by_name(wrong):
    with pytest.raises(InputError, match=f"trap: {next(iter(wrong))}="):
        Trap.with_parameters(wrong)


def test_patience_0_trains_to_the_end():
    assert Trap().stop.patience == 3
    assert Trap(patience=0).stop.patience is None
