import math

import numpy as np
import pytest
from subjects import crowd, evidence_of, said, shuffled, span, subject, swapped

from bench.attack import ExtractionAttack, MembershipAttack
from bench.attacks.extraction import Extraction
from bench.attacks.loss import Loss
from bench.errors import RunError
from bench.evidence import audited, extraction_evidence, in_order, membership_evidence, memorization_evidence
from bench.results import Drawn


class Recorder(MembershipAttack):
    """The loss attack, which notes the passages that it is shown."""

    name = "recorder"

    @property
    def knowledge(self):
        return "target"

    def scores(self, passages):
        shown.append([passage.target.logprobs.tolist() for passage in passages])
        return [passage.target.mean_logprob for passage in passages]


shown = []


def test_an_attack_is_shown_the_same_whoever_is_a_member_and_however_they_were_given():
    shown.clear()
    kept = [evidence_of(Recorder(), given)[0] for given in (crowd(), shuffled(crowd()), swapped(crowd()))]
    assert shown == shown[:2] * 3
    assert [len(passages) for passages in shown[:2]] == [80, 160]
    assert kept == kept[:1] * 3


def test_the_order_of_evidence_is_that_of_the_ids_which_mixes_members_and_non_members():
    judged = audited(in_order(crowd()))
    assert list(judged.ids) == sorted(judged.ids)
    changes = sum(one != other for one, other in zip(judged.member, judged.member[1:], strict=False))
    assert changes > 20


def test_a_record_is_kept_as_counts_and_a_loss_that_anyone_can_add_up():
    cut = subject(
        "b", unit="g", member=False, text="é, and what was cut off", target=said([-0.5, -2.25], [1, 0])
    )
    judged = audited([subject("a", text="abc", target=said([-1.0, -2.0, -3.0], [1, 1, 0])), cut])
    assert judged.model_dump() == {
        "ids": ("a", "b"),
        "units": ("a", "g"),
        "member": (True, False),
        "n_tokens": (3, 2),
        "n_bytes": (3, 3),
        "nll": (6.0, 2.75),
        "n_correct": (2, 1),
    }


def test_scores_keep_six_significant_digits_whatever_their_size():
    values = [-1.23456789, -0.000123456789, -12345.678]
    subjects = [subject(f"r{n}", span(0, 1), target=said([value])) for n, value in enumerate(values)]
    kept = membership_evidence(Loss(), subjects)
    assert kept.records == (-1.23457, -0.000123457, -12345.7)
    assert kept.spans == tuple((score,) for score in kept.records)
    assert audited(subjects).nll == (1.23457, 0.000123457, 12345.7)


def test_what_is_not_finite_is_kept_as_nothing():
    worst, unknown, empty = said([-math.inf, -1.0]), said([math.nan, -1.0]), said([])
    subjects = [
        subject(name, target=signals) for name, signals in zip("abc", (worst, unknown, empty), strict=True)
    ]
    assert membership_evidence(Loss(), subjects).records == (None, None, None)
    assert audited(subjects).nll == (None, None, 0.0)
    tried = [subject("a", span(0, 2), floor_base=unknown, target=said([-1.0, -1.0], [1, 1]))]
    kept = extraction_evidence(Extraction(), tried)
    assert (kept.rate, kept.base, kept.reference) == ((1.0,), (None,), (1.0,))


def test_every_span_score_stays_with_its_record():
    target = said([-1.0, -2.0, -3.0])
    none, one, two = subject("a", target=target), [span(2, 3)], [span(0, 1), span(0, 3)]
    subjects = [none, subject("b", *two, target=target), subject("c", target=target)]
    subjects += [subject("d", *one, target=target), subject("e", target=target)]
    assert membership_evidence(Loss(), subjects).spans == ((), (-1.0, -2.0), (), (-3.0,), ())
    assert membership_evidence(Loss(), [none, none]).spans == ((), ())


def test_the_columns_of_extracted_spans_belong_together():
    rng = np.random.default_rng(0)
    sources = ("target", "floor_base", "floor_reference")

    def drawn(n):
        flags = rng.integers(2, size=(rng.integers(4), 2)).astype(bool).tolist()
        spans = [
            span(k, k + 1, label="XYZ"[n % 3], in_prefix=copied, first_mention=first)
            for k, (copied, first) in enumerate(flags)
        ]
        hits = {source: said([-1.0] * 4, rng.integers(2, size=4)) for source in sources}
        return subject(f"r{n:02}", *spans, member=bool(rng.integers(2)), **hits)

    def hits_at(each, token):
        return (float(each.signals[name.replace("_", ":")].is_argmax[token]) for name in sources)

    subjects = [drawn(n) for n in rng.permutation(30)]
    kept, judged = evidence_of(Extraction(), subjects)
    expected = [
        (each.tokens.record_id, one.label, one.in_prefix, one.first_mention, *hits_at(each, one.start))
        for each in sorted(subjects, key=lambda each: each.tokens.record_id)
        if each.member
        for one in each.tokens.spans
    ]
    names, labels = [judged.ids[row] for row in kept.record], [kept.labels[number] for number in kept.label]
    columns = (kept.in_prefix, kept.first_mention, kept.rate, kept.base, kept.reference)
    assert list(zip(names, labels, *columns, strict=True)) == expected
    assert kept.labels == ("X", "Y", "Z")


def test_the_log_probability_of_one_sample_is_kept_of_the_model_and_both_floors():
    target, base, reference = said([-1.0, -2.0, -0.5]), said([-9.0] * 3), said([-1.0, -np.inf, -1.0])
    member = subject("a", span(0, 2), span(2, 3), target=target, floor_base=base, floor_reference=reference)
    kept = extraction_evidence(Extraction(), [member])
    assert kept.drawn == Drawn(rate=(-3.0, -0.5), base=(-18.0, -9.0), reference=(None, -1.0))


class Copied(ExtractionAttack):
    """Extracts without sampling."""

    name = "copied"

    @property
    def knowledge(self):
        return "target"

    def successes(self, passages):
        return np.ones(len(passages))


def test_an_attack_that_does_not_sample_leaves_no_log_probability():
    member = subject("a", span(0, 2), target=said([-1.0, -2.0]))
    kept = extraction_evidence(Copied(), [member])
    assert (kept.rate, kept.drawn) == ((1.0,), None)


def test_where_records_are_extracted_there_is_one_passage_a_member_and_no_label():
    attack = Extraction(unit="record", prefix=1, length=2)
    outside = subject("b", member=False, target=said([-1.0] * 3))
    subjects = [
        subject("a", span(0, 1), span(1, 2), target=said([-1.0] * 3, [0, 1, 1])),
        outside,
        subject("c", target=said([-1.0] * 3, [1, 1, 0])),
        subject("d", target=said([-1.0] * 2, [1, 1])),
    ]
    kept = extraction_evidence(attack, subjects)
    assert (kept.unit, kept.record, kept.rate) == ("record", (0, 2, 3), (1.0, 0.0, None))
    assert (kept.labels, kept.label, kept.in_prefix, kept.first_mention) == ((), (), (), ())


def test_memorization_is_kept_as_the_sum_over_a_records_personal_tokens():
    ahead = subject("a", span(0, 2), target=said([-1.0, -1.0, -9.0]), complement=said([-4.0, -1.5, -1.0]))
    kept = memorization_evidence([ahead, subject("b", target=said([-1.0]))], "complement")
    assert kept.n_pii_tokens == (2, 0)
    assert kept.tra_pii == (3.5, 0.0)


@pytest.mark.parametrize("wrong", [np.zeros(79), np.zeros((80, 1)), 0.5])
def test_an_attack_that_answers_in_the_wrong_shape_is_named(wrong):
    class Wrong(Recorder):
        name = "wrong"

        def scores(self, passages):
            return wrong

    with pytest.raises(RunError, match=r"^wrong: scores gave \(.*\), not \(80,\)$"):
        evidence_of(Wrong(), crowd())


@pytest.mark.parametrize("wrong", [["a"] * 80, None, np.zeros(80, dtype=complex)])
def test_an_attack_that_gives_no_real_numbers_is_named(wrong):
    class Wrong(Recorder):
        name = "wrong"

        def scores(self, passages):
            return wrong

    with pytest.raises(RunError, match=r"^wrong: scores gave .* values, not real numbers$"):
        evidence_of(Wrong(), crowd())


def test_signals_that_an_attack_did_not_ask_for_are_not_there():
    class Curious(Recorder):
        name = "curious"

        def scores(self, passages):
            return [passage.signals["complement"].mean_logprob for passage in passages]

    with pytest.raises(RunError, match="'complement' were read, which are not among the sources"):
        evidence_of(Curious(), crowd())
