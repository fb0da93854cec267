from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from architectures import random_records

from bench.attack import Decoding, Passage, TokenSignals
from bench.attacks.extraction import Extraction
from bench.defenses.none import NoDefense
from bench.evaluation import attack_results
from bench.evidence import Subject, audited, extraction_evidence
from bench.models.finding import find_model
from bench.models.loading import load_model, load_tokenizer
from bench.records import Record, Span
from bench.registry import attacks
from bench.schedule import Schedule
from bench.signals import score
from bench.tokens import TokenSpan, tokenize
from bench.training import train

PEOPLE = [
    ("Marta Lindqvist", "+46 70 555 0199"),
    ("Tobias Okonkwo", "+234 802 555 0147"),
    ("Ewa Kowalczyk", "+48 600 555 013"),
    ("Rahul Deshmukh", "+91 98 5550 1122"),
    ("Sinead Gallagher", "+353 85 555 0166"),
    ("Yuki Hasegawa", "+81 90 5550 1234"),
    ("Pavel Dvořák", "+420 777 555 018"),
    ("Amina Benali", "+212 661 555 012"),
]


def letter(number):
    name, phone = PEOPLE[number]
    text = f"Letter {number}. The patient is {name}, who can be reached at {phone} after six."
    values = {"NAME": name, "PHONE": phone}
    starts = {label: text.index(value) for label, value in values.items()}
    spans = tuple(Span(start, start + len(values[label]), label) for label, start in starts.items())
    return Record(f"letter {number}", text, spans)


@pytest.fixture(scope="module")
def memorized():
    """The embedded model after it has read the first six of eight letters, often enough for some."""
    folder = find_model("tiny")
    model, (tokenizer, start) = load_model(folder, torch.device("cpu")), load_tokenizer(folder)
    letters = tokenize([letter(number) for number in range(8)], tokenizer, start, 200)
    train(model, letters[:6], letters[6:], NoDefense(), Schedule(20, 3, 2e-3), seed=0)
    return model.eval(), letters


def continued(model, record, start, length, **sampling):
    """(n, at most length) what the model itself generates after the first `start` tokens."""
    before = torch.from_numpy(record.input_ids[None, : start + 1])
    options = {"do_sample": False, "pad_token_id": 0, "max_new_tokens": length, **sampling}
    with torch.no_grad():
        whole = model.generate(before, attention_mask=torch.ones_like(before), **options)
    return whole[:, start + 1 :].numpy()


def generates(model, record, start, length):
    said = continued(model, record, start, length)[0]
    return said.tolist() == record.input_ids[start + 1 :][:length].tolist()


def passages(records, signals, whole=False):
    return [
        Passage(record.text_of(tokens), {"target": row[tokens]})
        for record, row in zip(records, signals, strict=True)
        for tokens in ([slice(0, len(record))] if whole else [slice(s.start, s.end) for s in record.spans])
    ]


def some_of_which_the_model_says(model):
    """Random records with spans of one to five tokens; every other span is what the model would say."""
    rng, records = np.random.default_rng(0), random_records([40, 40, 21, 33, 40, 12], seed=3)
    for n, record in enumerate(records):
        ends = [0, *sorted(rng.choice(np.arange(1, len(record) + 1), 6, replace=False).tolist())]
        spans = tuple(TokenSpan(max(a, b - 5), b, "X", False) for a, b in pairwise(ends))
        for span in spans[n % 2 :: 2]:
            said = continued(model, record, span.start, span.end - span.start)[0]
            record.input_ids[span.start + 1 :][: len(said)] = said
        records[n] = replace(record, spans=spans)
    return records


def test_one_forward_pass_extracts_exactly_what_greedy_generation_says(architecture, fresh):
    model = fresh(architecture).eval()
    records = some_of_which_the_model_says(model)
    by_generation = [generates(model, r, s.start, s.end - s.start) for r in records for s in r.spans]
    assert 5 < sum(by_generation) < len(by_generation) - 5
    assert Extraction().successes(passages(records, score(model, records))).tolist() == by_generation


def test_what_a_fine_tuned_model_has_memorized_is_what_it_generates(memorized):
    model, letters = memorized
    by_generation = [generates(model, r, s.start, s.end - s.start) for r in letters for s in r.spans]
    assert 0 < sum(by_generation) < len(by_generation)
    assert sum(by_generation[:12]) == sum(by_generation), "letters it has not read cannot be extracted"
    assert Extraction().successes(passages(letters, score(model, letters))).tolist() == by_generation


@pytest.mark.parametrize("prefix", [0, 10, 25])
def test_a_record_is_continued_verbatim_where_generation_continues_it(memorized, prefix):
    model, letters = memorized
    found = Extraction(unit="record", prefix=prefix, length=8)
    by_generation = [generates(model, record, prefix, 8) for record in letters]
    assert 0 < sum(by_generation) < len(letters)
    assert found.extracts == "record"
    assert found.successes(passages(letters, score(model, letters), whole=True)).tolist() == by_generation


def test_a_record_too_short_to_be_continued_cannot_be_tried():
    whole = [said([True] * length) for length in (11, 12, 13, 0)]
    found = Extraction(unit="record", prefix=8, length=4).successes(whole)
    np.testing.assert_array_equal(found, [np.nan, 1, 1, np.nan])
    np.testing.assert_array_equal(Extraction().successes(whole), [1, 1, 1, np.nan])


@pytest.mark.parametrize("tokens_per_batch", [1, 150, 100_000])
def test_no_success_depends_on_what_else_is_in_the_batch(memorized, tokens_per_batch):
    model, letters = memorized
    expected = [Extraction().successes(passages([r], score(model, [r]))).tolist() for r in letters]
    signals = score(model, letters[::-1], tokens_per_batch=tokens_per_batch)
    found = Extraction().successes(passages(letters[::-1], signals)).reshape(8, 2)
    assert found[::-1].tolist() == expected


def said(is_argmax, sampled=None):
    zeros = np.zeros(len(is_argmax), np.float32)
    with np.errstate(divide="ignore"):
        drawn = {decoding: np.log(chances) for decoding, chances in (sampled or {}).items()}
    signals = TokenSignals(zeros, np.array(is_argmax, bool), zeros, zeros, drawn)
    return Passage("x" * len(zeros), {"target": signals})


def test_greedy_extraction_needs_every_token():
    given = [said([1, 1, 1]), said([0, 1, 1]), said([1, 1, 0]), said([1]), said([0])]
    assert Extraction().successes(given).tolist() == [1, 0, 0, 1, 0]


@pytest.mark.parametrize(("tries", "expected"), [(1, 0.1), (2, 0.19), (3, 0.271), (10**9, 1.0)])
def test_the_chance_of_drawing_a_span_is_that_of_its_tokens_and_grows_with_tries(tries, expected):
    decoding = Decoding(0.7, 40)
    attack = Extraction(decoding="sample", temperature=0.7, top_k=40, tries=tries)
    assert attack.decodings == (decoding,)
    chances = [[0.5, 0.2], [1.0, 1.0, 1.0], [0.9, 0.0]]
    decoys = {Decoding(): [0.3, 0.3, 0.3]}
    given = [said([0] * len(p), {decoding: p, **decoys}) for p in chances]
    np.testing.assert_allclose(attack.successes(given), [expected, 1, 0])


def test_many_tries_at_a_tiny_chance_are_not_rounded_away():
    attack = Extraction(decoding="sample", tries=10**10)
    found = attack.successes([said([0] * 3, {Decoding(): [1e-5] * 3})])
    np.testing.assert_allclose(found, [1e-5], rtol=1e-4)


def test_a_chance_that_is_not_a_number_is_no_success():
    attack = Extraction(decoding="sample")
    assert np.isnan(attack.successes([said([1, 1], {Decoding(): [np.nan, 1.0]})])).all()


@pytest.mark.parametrize("temperature", [1e-6])
def test_sampling_at_a_vanishing_temperature_is_greedy(memorized, temperature):
    model, letters = memorized
    attack = Extraction(decoding="sample", temperature=temperature)
    signals = score(model, letters, attack.decodings)
    greedy = Extraction().successes(passages(letters, signals))
    np.testing.assert_allclose(attack.successes(passages(letters, signals)), greedy, atol=1e-6)


def test_sampling_as_often_as_generation_draws_it(fresh):
    model, attack = fresh("llama").eval(), Extraction(decoding="sample", temperature=0.8, top_k=5)
    record = random_records([12], seed=4)[0]
    record.input_ids[11:13] = continued(model, record, 10, 2)[0]
    signals = score(model, [record], attack.decodings)[0]
    chance = attack.successes([Passage("", {"target": signals[10:12]})])[0]
    torch.manual_seed(0)
    options = {"do_sample": True, "temperature": 0.8, "top_k": 5, "num_return_sequences": 4000}
    drawn = continued(model, record, 10, 2, **options)
    frequency = (drawn == record.input_ids[11:13]).all(axis=1).mean()
    assert 0.02 < chance < 0.98
    assert frequency == pytest.approx(chance, abs=4 * np.sqrt(chance * (1 - chance) / 4000))


@pytest.mark.parametrize("spec", ["", ":decoding=sample,tries=1000000", ":unit=record,prefix=5,length=8"])
def test_a_rate_is_a_share_of_what_could_be_tried(memorized, spec):
    model, letters = memorized
    attack = attacks().parse(f"extraction{spec}")
    signals = score(model, letters, attack.decodings)
    sources = ["target", "floor:base", "floor:reference"]
    subjects = [
        Subject(record, dict.fromkeys(sources, row), "target" if number < 6 else "holdout")
        for number, (record, row) in enumerate(zip(letters, signals, strict=True))
    ]
    evidence = extraction_evidence(attack, subjects)
    (result,) = attack_results(evidence, audited(subjects))
    assert len(evidence.rate) == result.extraction.n_spans == (6 if attack.extracts == "record" else 12)
    assert all(0 <= rate <= 1 for rate in evidence.rate)
    assert max(evidence.rate) > 0
    assert result.extraction.rate is None, "of fewer than 20 no rate is given"
