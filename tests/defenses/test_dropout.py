import pytest
import torch
from architectures import random_records

from bench.batches import collate, logits_and_logprobs
from bench.defenses.dropout import Dropout, residual_branches
from bench.defenses.none import NoDefense
from bench.errors import InputError, RunError

BATCH = collate(random_records([20, 13, 17, 20], seed=3), torch.device("cpu"))


def logits_of(model):
    with torch.no_grad():
        return logits_and_logprobs(model, BATCH)[0]


def hooks_on(model):
    return sum(len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules())


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_dropout_acts_in_training_only_and_leaves_nothing_behind(architecture, tuning, fresh):
    model = fresh(architecture, tuning)
    plain, hooks = logits_of(model.eval()), hooks_on(model)
    with Dropout().applied(model):
        first, second = logits_of(model.train()), logits_of(model)
        assert not torch.allclose(first, plain)
        assert not torch.allclose(first, second)
        assert torch.equal(logits_of(model.eval()), plain)
    assert hooks_on(model) == hooks
    assert torch.equal(logits_of(model.train()), plain)


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_each_branch_loses_the_stated_share_and_is_scaled_up_for_it(architecture, fresh, rate):
    model = fresh(architecture).train()
    before, after = {}, {}

    def recorder(into, branch):
        def record(module, inputs, output):
            into[branch] = output[0] if isinstance(output, tuple) else output

        return record

    branches = residual_branches(model)
    assert len(branches) == 2 * model.config.num_hidden_layers
    for branch in branches:
        branch.register_forward_hook(recorder(before, branch))
    with Dropout(rate=rate).applied(model):
        for branch in branches:
            branch.register_forward_hook(recorder(after, branch))
        logits_of(model)
    for branch in branches:
        kept = after[branch] != 0
        assert 1 - kept.float().mean().item() == pytest.approx(rate, abs=0.04)
        assert torch.allclose(after[branch][kept], before[branch][kept] / (1 - rate), rtol=1e-5)


def test_the_hooks_go_also_when_training_fails(fresh):
    model = fresh()
    with pytest.raises(KeyError), Dropout().applied(model):  # the failure itself is what is told
        raise KeyError
    assert hooks_on(model) == 0


def test_a_model_without_known_branches_is_an_error():
    plain = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    listed = torch.nn.ModuleDict({"layers": torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])})
    for model in (plain, listed):
        with pytest.raises(RunError, match="found 0 residual branches"), Dropout().applied(model):
            pass


def test_a_training_in_which_it_never_acted_is_an_error(fresh):
    model = fresh()
    with pytest.raises(RunError, match="changed no activation"), Dropout().applied(model):
        logits_of(model.eval())


def test_training_with_dropout_differs_and_the_result_scores_without_it(fresh, fine_tune, equal):
    model = fresh()
    run = fine_tune(model, Dropout())
    assert not equal(run.final, fine_tune(fresh(), NoDefense()).final)
    assert torch.equal(logits_of(model.train()), logits_of(model.eval()))


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1])
def test_a_rate_that_is_not_a_share_is_refused(rate):
    with pytest.raises(InputError, match="dropout: rate="):
        Dropout.with_parameters({"rate": rate})
