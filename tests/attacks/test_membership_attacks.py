import math
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from bench.attack import Passage, TokenSignals
from bench.evidence import Subject
from bench.models.finding import find_model
from bench.models.loading import load_tokenizer
from bench.records import Record
from bench.records.cards import load_card, load_records
from bench.registry import attacks
from bench.tokens import tokenize

SPECS = {
    "loss": ("target", ("target",)),
    "zlib": ("target", ("target",)),
    "reference": ("base", ("target", "base")),
    "reference:against=models/other": ("base", ("target", "model:models/other")),
    "tra": ("complement", ("target", "complement")),
    "tra:against=population": ("population", ("target", "population")),
}
OTHERS = ("base", "complement", "population", "model:models/other")
every_attack = pytest.mark.parametrize("spec", SPECS)


def signals(logprobs):
    values = np.array(logprobs, dtype=np.float32)
    return TokenSignals(values, values > -1, values, values**2, {})


def passage(text, **logprobs):
    return Passage(text, {name: signals(values) for name, values in logprobs.items()})


def others(logprobs):
    return dict.fromkeys(OTHERS, logprobs)


def scores(spec, *passages):
    return attacks().parse(spec).scores(passages)


@every_attack
def test_what_the_adversary_knows_and_which_models_it_reads_is_declared(spec):
    attack = attacks().parse(spec)
    assert (attack.knowledge, attack.sources) == SPECS[spec]
    assert attack.decodings == ()


def test_loss_is_the_mean_log_probability():
    given = passage("abc", target=[-1.0, -2.5, -0.25]), passage("d", target=[-4.0])
    np.testing.assert_allclose(scores("loss", *given), [-1.25, -4.0])


@pytest.mark.parametrize(
    ("spec", "other"),
    [
        ("reference", "base"),
        ("reference:against=models/other", "model:models/other"),
        ("tra", "complement"),
        ("tra:against=population", "population"),
    ],
)
def test_an_advantage_is_the_mean_difference_to_the_other_model(spec, other):
    decoys = others([-9.0, -9.0])
    ahead = passage("ab", **{**decoys, "target": [-1.0, -2.0], other: [-1.5, -5.0]})
    behind = passage("ab", **{**decoys, "target": [-3.0, -3.0], other: [-1.0, -2.0]})
    np.testing.assert_allclose(scores(spec, ahead, behind), [1.75, -1.5])


def test_zlib_is_the_log_probability_for_each_nat_that_deflate_needs():
    text = "a rose is a rose is a rose is a rose"
    deflate = zlib.compressobj(9, wbits=-15)
    raw = len(deflate.compress(text.encode()) + deflate.flush())
    expected = -7.5 / ((raw - 2) * 8 * math.log(2))  # deflate's own frame takes 2 bytes
    np.testing.assert_allclose(scores("zlib", passage(text, target=[-3.0, -4.5])), [expected])


@pytest.mark.parametrize("text", ["a", "Ann", "Ann Lee", "qwertzuiop", "0 171 555"])
def test_the_header_of_zlib_is_not_counted(text):
    # Text that repeats nothing costs its own bytes, so one bit a bit of text scores -1.
    logprobs = [-8 * math.log(2)] * len(text)
    np.testing.assert_allclose(scores("zlib", passage(text, target=logprobs)), [-1.0], rtol=1e-6)


@pytest.mark.parametrize("max_length", [4, 20, 10_000])
def test_zlib_compresses_exactly_the_text_that_is_scored(max_length):
    tokenizer, start = load_tokenizer(find_model("tiny"))
    text = "Zoë asked Ann Lee to call back at noon. " + "Nothing of this is kept. " * 40
    record = tokenize([Record("r", text)], tokenizer, start, max_length)[0]
    seen = tokenizer.decode(record.input_ids[1:], clean_up_tokenization_spaces=False)
    subject = Subject(record, {"target": signals([-1.0] * len(record))}, "target")
    expected = -len(record) / ((len(zlib.compress(seen.encode(), 9)) - 8) * 8 * math.log(2))
    found = scores("zlib", subject.passage(slice(0, len(record)), ["target"]))
    np.testing.assert_allclose(found, [expected])


@pytest.fixture(scope="module")
def essays():
    return load_records(load_card("synthetic-essays"), None, 60, 0)


def passages_of(texts, familiarity):
    """Passages each of whose bytes has a log-probability of `familiarity`."""
    sizes = [len(text.encode()) for text in texts]
    tokens = [max(1, size // 4) for size in sizes]
    each = zip(texts, sizes, tokens, familiarity, strict=True)
    return [passage(text, target=np.full(n, nats * size / n)) for text, size, n, nats in each], sizes


def test_zlib_on_spans_does_not_measure_their_length(essays):
    texts = [record.text[span.start : span.end] for record in essays for span in record.spans]
    familiarity = -0.7 * np.exp(0.1 * np.random.default_rng(1).standard_normal(len(texts)))
    passages, sizes = passages_of(texts, familiarity)
    assert max(sizes) > 5 * min(sizes)
    assert abs(np.corrcoef(scores("zlib", *passages), sizes)[0, 1]) < 0.25
    classic = [p.target.mean_logprob / len(zlib.compress(p.text.encode())) for p in passages]
    assert abs(np.corrcoef(classic, sizes)[0, 1]) > 0.5, "which the mean over the whole size does"


def test_zlib_on_records_follows_what_the_model_knows_more_than_their_length(essays):
    rng, prose = np.random.default_rng(2), "\n".join(record.text for record in essays)
    texts = [prose[start:][: rng.integers(100, 3000)] for start in rng.integers(0, len(prose) - 3000, 300)]
    familiarity = -0.7 * np.exp(0.4 * rng.standard_normal(len(texts)))
    passages, sizes = passages_of(texts, familiarity)
    found = scores("zlib", *passages)
    assert spearmanr(found, familiarity)[0] > 0.8
    assert abs(spearmanr(found, sizes)[0]) < 0.4


@every_attack
@settings(deadline=None)
@given(
    st.lists(st.floats(-20, -2), min_size=1, max_size=20),
    st.lists(st.floats(-20, 0), min_size=20, max_size=20),
    st.floats(0.01, 2),
)
def test_a_model_that_knows_the_passage_better_scores_higher(spec, target, other, better):
    rest = others(other[: len(target)])
    worse = passage("Ann Lee met Bo.", **rest, target=target)
    known = passage("Ann Lee met Bo.", **rest, target=[value + better for value in target])
    low, high, again = scores(spec, worse, known, worse)
    assert low == again < high


@every_attack
def test_without_a_token_there_is_no_evidence(spec):
    nothing, something = passage("", target=[], **others([])), passage("a", target=[-1.0], **others([-1.0]))
    assert np.isnan(scores(spec, nothing, something)).tolist() == [True, False]


@every_attack
def test_a_token_that_the_target_cannot_say_leaves_no_finite_score(spec):
    found = scores(spec, passage("ab", target=[-math.inf, -0.1], **others([-1.0, -1.0])))
    assert not np.isfinite(found[0])
