import copy

import numpy as np
import pytest
import torch
from architectures import VOCABULARY, random_records
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.attack import Decoding, TokenSignals
from bench.batches import collate
from bench.signals import LOGITS_AT_A_TIME, concatenated, score, separated

RECORDS = random_records([9, 1, 14, 9, 5, 30, 2])
DECODINGS = (Decoding(), Decoding(0.7, 5), Decoding(1.5, 40), Decoding(0.5, VOCABULARY), Decoding(2.0))
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def columns(signals):
    return {
        "logprobs": signals.logprobs,
        "is_argmax": signals.is_argmax,
        "mean": signals.mean,
        "variance": signals.variance,
        **signals.sampled,
    }


def assert_same(found, expected, **tolerance):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert columns(one).keys() == columns(other).keys()
        for name, values in columns(other).items():
            np.testing.assert_allclose(columns(one)[name], values, **tolerance, err_msg=str(name))


def slow_distributions(model, record):
    """log p(. | x_<t) for each t in float64, feeding the model what stands before one token at a time."""
    double = copy.deepcopy(model).double().eval()
    for end in range(1, len(record.input_ids)):
        before = torch.from_numpy(record.input_ids[None, :end])
        with torch.no_grad():
            yield double(before).logits[0, -1].log_softmax(-1).numpy()


def slow_signals(model, record):
    rows = []
    for target, logp in zip(record.input_ids[1:], slow_distributions(model, record), strict=True):
        p = np.exp(logp)
        mean = (p * logp).sum()
        row = [logp[target], logp.argmax() == target, mean, (p * (logp - mean) ** 2).sum()]
        for decoding in DECODINGS:
            weights = np.exp(logp) ** (1 / decoding.temperature)
            if decoding.top_k:
                weights[np.argsort(-weights)[decoding.top_k :]] = 0
            with np.errstate(divide="ignore"):
                row.append(np.log(weights[target] / weights.sum()))
        rows.append(row)
    logprobs, is_argmax, mean, variance, *sampled = np.array(rows).T
    return TokenSignals(
        logprobs, is_argmax.astype(bool), mean, variance, dict(zip(DECODINGS, sampled, strict=True))
    )


def test_signals_equal_a_loop_in_float64_that_scores_one_token_at_a_time(architecture, fresh):
    model = fresh(architecture)
    # Random tokens are hardly ever the most likely one, so one record follows the model.
    likely = random_records([12], seed=5)[0]
    for position in range(0, 12, 2):
        likely.input_ids[position + 1] = list(slow_distributions(model, likely))[position].argmax()
    records = [*RECORDS[:3], likely]
    found, expected = score(model, records, DECODINGS), [slow_signals(model, record) for record in records]
    assert_same(found, expected, rtol=1e-4, atol=1e-4)
    assert found[-1].is_argmax[::2].all()
    assert not np.concatenate([row.is_argmax for row in found]).all()
    drawn = np.concatenate([row.sampled[Decoding(0.7, 5)] for row in found])
    assert 0 < np.isneginf(drawn).sum() < len(drawn), "some lie within the top k and some do not"


def test_the_first_token_is_scored_given_the_start_token_alone(architecture, fresh):
    model, record = fresh(architecture), RECORDS[1]
    logits = model(torch.tensor([[0]])).logits[0, -1].double()
    expected = torch.log_softmax(logits, -1)[int(record.input_ids[1])].item()
    assert score(model, [record])[0].logprobs == pytest.approx([expected], abs=1e-5)


@pytest.mark.parametrize("tokens_per_batch", [1, 20, 60, 10_000])
def test_no_signal_depends_on_batch_mates_padding_or_order(architecture, fresh, tokens_per_batch):
    model = fresh(architecture)
    alone = [score(model, [record], DECODINGS)[0] for record in RECORDS]
    assert_same(score(model, RECORDS, DECODINGS, tokens_per_batch=tokens_per_batch), alone, **CLOSE)
    order = np.random.default_rng(tokens_per_batch).permutation(len(RECORDS))
    shuffled = score(model, [RECORDS[n] for n in order], DECODINGS, tokens_per_batch=tokens_per_batch)
    assert_same(shuffled, [alone[n] for n in order], **CLOSE)


def test_a_token_that_shares_its_id_with_padding_is_scored(architecture, fresh):
    model, record = fresh(architecture), random_records([6], seed=2)[0]
    padding = int(collate([RECORDS[1], RECORDS[2]], torch.device("cpu")).input_ids[0, -1])
    record.input_ids[[3, 6]] = padding
    expected = [
        logp[target]
        for target, logp in zip(record.input_ids[1:], slow_distributions(model, record), strict=True)
    ]
    found = score(model, [record, RECORDS[2]])[0].logprobs
    np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_scoring_is_the_same_twice_and_leaves_the_model_in_its_mode(architecture, fresh, tuning):
    model = fresh(architecture, tuning)
    model.eval()
    first = score(model, RECORDS, DECODINGS)
    assert not any(module.training for module in model.modules())
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
        if hasattr(module, "attention_dropout"):
            module.attention_dropout = 0.5
    model.train()
    ids = torch.from_numpy(RECORDS[0].input_ids[None])
    assert not torch.equal(model(ids).logits, model(ids).logits), "dropout acts in train mode"
    assert_same(score(model, RECORDS, DECODINGS), first)
    assert all(module.training for module in model.modules())


def test_progress_is_told_every_token_once(fresh):
    told = []
    score(fresh(), RECORDS, tokens_per_batch=20, advance=told.append)
    assert sum(told) == sum(map(len, RECORDS))
    assert len(told) > 2


def test_no_more_logits_are_held_than_those_of_a_few_tokens(fresh, monkeypatch):
    model, sizes = fresh(), []
    head = type(model.get_output_embeddings()).forward

    def watched(self, states):
        out = head(self, states)
        sizes.append(out.numel() // out.shape[-1] if self is model.get_output_embeddings() else 0)
        return out

    monkeypatch.setattr(type(model.get_output_embeddings()), "forward", watched)
    monkeypatch.setitem(LOGITS_AT_A_TIME, "cpu", 10)
    whole = [score(model, [record], DECODINGS)[0] for record in RECORDS]
    assert_same(score(model, RECORDS, DECODINGS), whole, **CLOSE)
    assert 0 < max(sizes) <= 10
    assert sum(map(len, RECORDS)) > 60


def test_every_record_passes_through_the_model_once(fresh):
    model, passed = fresh(), []
    model.register_forward_pre_hook(
        lambda module, args, inputs: passed.append(inputs["attention_mask"].sum().item()), with_kwargs=True
    )
    score(model, RECORDS, DECODINGS)
    tried = passed[:2]  # the head is tried on one short record, apart and whole
    assert max(tried) <= 8
    assert sum(passed[2:]) == sum(len(record) + 1 for record in RECORDS)


class Fixed(torch.nn.Module):
    """A model that says the same (V,) logits everywhere."""

    def __init__(self, logits):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.tensor(logits))

    def forward(self, input_ids, **_):
        return type("Output", (), {"logits": self.logits.expand(*input_ids.shape, -1)})


def saying(*tokens):
    record = random_records([len(tokens)])[0]
    record.input_ids[1:] = tokens
    return record


@pytest.mark.parametrize("least", [-1e4, -3e38, -float("inf")])
def test_impossible_tokens_leave_mean_and_variance_finite(least):
    signals = score(Fixed([0.0, least, 0.0, least]), [saying(0, 1)], [Decoding(0.5, 3)])[0]
    np.testing.assert_allclose(signals.mean, np.log(0.5), atol=1e-6)
    np.testing.assert_allclose(signals.variance, 0, atol=1e-6)
    assert signals.logprobs[0] == pytest.approx(np.log(0.5))
    assert signals.logprobs[1] <= -1e4
    assert not np.isnan(signals.sampled[Decoding(0.5, 3)]).any()


@pytest.mark.parametrize("logits", [[0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 1.0, 1.0], [3.0, 1.0, -1.0, -2.0]])
@pytest.mark.parametrize("top_k", [0, 1, 2, 4, 9])
def test_the_chances_of_all_tokens_sum_to_one_even_where_they_tie(logits, top_k):
    decoding = Decoding(0.8, top_k)
    signals = score(Fixed(logits), [saying(0, 1, 2, 3)], [decoding])[0]
    assert np.exp(signals.sampled[decoding]).sum() == pytest.approx(1, abs=1e-5)


def test_of_tokens_that_tie_for_the_most_likely_greedy_decoding_takes_the_first():
    signals = score(Fixed([0.0, 1.0, 1.0, 1.0]), [saying(0, 1, 2, 3)])[0]
    assert signals.is_argmax.tolist() == [False, True, False, False]
    assert score(Fixed([-float("inf")] * 3 + [0.0]), [saying(3, 0)])[0].is_argmax.tolist() == [True, False]


numbers = st.floats(-50, 50, width=32)
ROWS = st.tuples(numbers, st.booleans(), numbers, numbers, numbers, numbers)
BUNDLES = st.lists(st.lists(ROWS, max_size=6), min_size=1, max_size=5)


@settings(deadline=None)
@given(BUNDLES, st.floats(0.01, 10), st.integers(0, 50_000))
def test_signals_are_read_back_from_arrays_as_they_were(bundle, temperature, top_k):
    decodings = [Decoding(temperature, top_k), Decoding(temperature + 1, top_k)]
    signals = []
    for rows in bundle:
        logprobs, is_argmax, mean, variance, *sampled = np.array(rows, np.float32).reshape(-1, 6).T
        drawn = dict(zip(decodings, sampled, strict=True))
        signals.append(TokenSignals(logprobs, is_argmax.astype(bool), mean, variance, drawn))
    arrays = concatenated(signals)
    assert all(isinstance(array, np.ndarray) and array.dtype != object for array in arrays.values())
    assert_same(separated(arrays), signals, rtol=0)
