"""Each run compares its gradients with a loop over single records before it takes a step on them."""

import pytest
import torch
from gradients import CHEAP, losses_of, private_updates, released, trainable

from bench.batches import collate, logits_and_logprobs, mean_over_own_tokens
from bench.defenses.dp_sgd import DPSGD
from bench.errors import RunError

IDS = torch.tensor([[0, 3, 1, 0], [2, 0, 5, 4], [6, 1, 0, 2]])
UNITS = ["a", "b", "c"]


class Words(torch.nn.Module):
    """Each word's next one, from an embedding and a linear layer."""

    def __init__(self, padding_idx=None):
        super().__init__()
        torch.manual_seed(0)
        self.embedding = torch.nn.Embedding(8, 4, padding_idx=padding_idx)
        self.head = torch.nn.Linear(4, 8)

    def forward(self, ids):
        return self.head(self.embedding(ids))


class Padded(Words):
    """Learns nothing from a word that stands for padding, which Opacus does not know."""

    def __init__(self):
        super().__init__(padding_idx=0)


class Centred(torch.nn.Module):
    """Takes the mean over the batch from each record: what a record's loss is depends on its mates."""

    def __init__(self):
        super().__init__()
        self.words = Words()

    def forward(self, ids):
        logits = self.words(ids)
        return logits - logits.mean(0)


class Reused(Words):
    """Its head is the embedding's weight, taken without a layer, of which Opacus does not hear."""

    def __init__(self):
        super().__init__()
        del self.head

    def forward(self, ids):
        return torch.nn.functional.linear(self.embedding(ids), self.embedding.weight)


class Deaf(Words):
    """Has a parameter that no loss reaches."""

    def __init__(self):
        super().__init__()
        self.unused = torch.nn.Linear(4, 4)


def word_losses(model, indices):
    ids = IDS[list(indices)]
    losses = torch.nn.functional.cross_entropy(
        model(ids[:, :-1].contiguous()).mT, ids[:, 1:], reduction="none"
    )
    return losses.mean(1)


def step_on_words(model, **parameters):
    updates = private_updates(model, word_losses, UNITS, **{"max_grad_norm": 0.1, **parameters})
    start = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    try:
        updates.step([2, 0])
    except RunError:
        assert all(torch.equal(parameter, start[name]) for name, parameter in model.named_parameters())
        raise


WAYS = [{"clipping": "per-record"}, {"clipping": "ghost"}, {"unit": "group"}]


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_model_whose_gradients_are_right_is_trained(way):
    model = Words()
    start = model.head.weight.detach().clone()
    step_on_words(model, **way)
    assert not torch.equal(model.head.weight, start)


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("make", [Padded, Reused, Centred])
def test_gradients_that_are_not_those_of_single_records_are_refused_before_a_step(make, way):
    with pytest.raises(RunError, match=r"off by .* of their norm; use") as error:
        step_on_words(make(), **way)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_parameter_that_no_loss_reaches_is_refused(way):
    with pytest.raises(RunError, match=r"2 trainable .* no gradient; use .*--tuning lora") as error:
        step_on_words(Deaf(), **way)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "qwen2"])
def test_ghost_clipping_of_tied_weights_is_refused_with_what_to_use_instead(architecture, fresh, fine_tune):
    with pytest.raises(RunError, match=r"tying .*; use clipping=per-record, or --tuning lora") as error:
        fine_tune(fresh(architecture), DPSGD(**CHEAP, clipping="ghost"))
    assert len(str(error.value).splitlines()) == 1


def test_a_layer_that_opacus_does_not_know_is_refused_with_what_to_use_instead():
    class Normed(Words):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(3)

        def forward(self, ids):
            return super().forward(ids) + self.norm(self.embedding(ids)).sum()

    for way in WAYS:
        with pytest.raises(RunError, match=r"BatchNorm.*; use .*--tuning lora") as error:
            step_on_words(Normed(), **way)
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("clipping", ["per-record", "ghost"])
def test_learned_positions_without_a_batch_dimension_are_refused(clipping, fresh, records):
    def record_losses(model, indices):
        batch = collate([records[index] for index in indices], torch.device("cpu"))
        object.__setattr__(batch, "position_ids", batch.position_ids[:1].contiguous())
        _, logprobs = logits_and_logprobs(model, batch)
        return mean_over_own_tokens(-logprobs, batch.mask)

    model, units = fresh("gpt2", tied=False), [record.unit for record in records]
    with pytest.raises(RunError, match="cannot be had rightly"):
        private_updates(model, record_losses, units, clipping=clipping).step([0, 1])


def test_the_check_leaves_no_trace_in_the_first_step(fresh, records):
    """A step that comes after the check is that of a run whose check came earlier."""
    units = [record.unit for record in records]
    steps = []
    for before in ([], [[]]):
        updates = private_updates(fresh(), losses_of(records), units, noisy=False)
        for indices in before:
            updates.step(indices)
        steps.append(released(updates, [3, 1]))
    assert all(torch.equal(value, steps[1][name]) for name, value in steps[0].items())
    assert trainable(updates.model).keys() == steps[0].keys()
