import math
from functools import partial

import numpy as np
import pytest

from bench.attack import Decoding, MembershipAttack, TokenSignals
from bench.attacks.extraction import Extraction
from bench.attacks.loss import Loss
from bench.evaluation import Subject, attack_results, memorization, utility
from bench.tokens import Tokens, TokenSpan

span = partial(TokenSpan, label="NAME", in_prefix=False)
SOURCES = ("target", "complement", "floor:base", "floor:reference")


def said(logprobs, is_argmax=None):
    values = np.array(logprobs, np.float32)
    hits = values > -1 if is_argmax is None else np.array(is_argmax, bool)
    return TokenSignals(values, hits, values, values**2, {Decoding(): values})


def subject(name, *spans, member=True, unit=None, text=None, **signals):
    """A record with one letter a token; a source that is not given says what `target` says."""
    rows = {source: signals.get(source.replace(":", "_"), signals["target"]) for source in SOURCES}
    n = len(rows["target"])
    personal = np.array([any(s.start <= t < s.end for s in spans) for t in range(n)], bool)
    ids, starts = np.zeros(n + 1, np.int64), np.arange(n)
    tokens = Tokens(name, unit or name, ids, starts, starts + 1, personal, text or "x" * n, spans, 0)
    return Subject(tokens, rows, member)


def crowd():
    """40 records of two spans and five tokens; members are better known by 0.7 nats a token."""
    rng = np.random.default_rng(0)
    names, logprobs = rng.permutation(40), rng.normal(-3, 1, (40, 5))
    logprobs[:20] += 0.7
    spans = span(0, 2), span(3, 4)
    return [subject(f"r{names[n]}", *spans, member=n < 20, target=said(logprobs[n])) for n in range(40)]


def swapped(subjects):
    return [Subject(each.tokens, each.signals, not each.member) for each in subjects]


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
    for given in (crowd(), crowd()[::-1], swapped(crowd())):
        attack_results(Recorder(), given)
    assert shown == shown[:2] * 3
    assert [len(passages) for passages in shown[:2]] == [40, 80]


@pytest.mark.parametrize("attack", [Loss(), Extraction()])
def test_the_order_of_the_subjects_changes_no_figure(attack):
    subjects = crowd()
    shuffled = [subjects[n] for n in np.random.default_rng(1).permutation(40)]
    assert attack_results(attack, shuffled) == attack_results(attack, subjects)


def test_swapping_members_and_non_members_mirrors_the_auc():
    mirrored = attack_results(Loss(), swapped(crowd()))
    for one, other in zip(attack_results(Loss(), crowd()), mirrored, strict=True):
        assert one["auc"] > 0.6
        assert one["auc"] == pytest.approx(1 - other["auc"])
        assert one["auc_ci"] == pytest.approx([1 - end for end in reversed(other["auc_ci"])], abs=0.05)


def test_membership_figures_are_those_of_the_scores_counted_by_hand():
    subjects = [
        subject("a", span(0, 1), target=said([-1.0, -3.0])),  # record -2, span -1
        subject("b", span(1, 2), target=said([-5.0, -4.0])),  # record -4.5, span -4
        subject("c", span(0, 2), member=False, target=said([-2.0, -4.0])),  # record and span -3
        subject("d", member=False, target=said([-5.0, -5.0])),  # record -5
    ]
    records, spans = attack_results(Loss(), subjects)
    assert (records["unit"], records["auc"], spans["unit"], spans["auc"]) == ("record", 0.75, "span", 0.5)
    assert (spans["n_members"], spans["n_nonmembers"], spans["n_excluded"]) == (2, 1, 0)
    assert records["auc_ci"] is spans["auc_ci"] is None, "too few records to resample"


def test_scores_that_are_not_finite_are_left_out_and_counted():
    broken = [subject(f"s{n}", span(0, 2), member=n < 3, target=said([-math.inf, -1])) for n in range(5)]
    empty = subject("t", target=said([]))
    records, spans = attack_results(Loss(), [*broken, *crowd(), empty])
    clean = attack_results(Loss(), crowd())
    assert records == {**clean[0], "n_excluded": 6}
    assert spans == {**clean[1], "n_excluded": 5}


def test_only_scores_of_independent_units_bound_epsilon():
    records, spans = attack_results(Loss(), crowd())
    assert records["epsilon_lower_bound"] is not None
    assert spans["epsilon_lower_bound"] is None, "two spans of one record move together"
    related = subject("z", unit="r0", target=said([-1.0]))
    assert attack_results(Loss(), [*crowd(), related])[0]["epsilon_lower_bound"] is None


def extraction_case():
    """Spans by (label, in the prefix, target, base, reference): 1 where the model says it."""
    rows = {
        "a": [("NAME", False, 1, 0, 0), ("NAME", True, 1, 1, 1), ("CITY", False, 0, 0, 0)],
        "b": [("NAME", False, 1, 1, 0), ("CITY", False, 1, 0, 1), ("NAME", True, 0, 0, 0)],
    }
    subjects = [subject("c", span(0, 1), member=False, target=said([-1.0], [1]))]
    for name, spans in rows.items():
        labels, in_prefix, *hits = zip(*spans, strict=True)
        target, base, reference = (said([-1.0] * 3, column) for column in hits)
        placed = [span(n, n + 1, label=labels[n], in_prefix=in_prefix[n]) for n in range(3)]
        subjects.append(subject(name, *placed, target=target, floor_base=base, floor_reference=reference))
    return subjects


def test_extraction_rates_are_those_counted_by_hand():
    result = attack_results(Extraction(), extraction_case())[0]
    found = result["extraction"]

    def rates(n, hits, base, reference):
        return {"n_spans": n, "rate": hits / n, "base_rate": base / n, "reference_rate": reference / n}

    assert (result["n_members"], result["n_excluded"], result["auc"]) == (2, 0, None)
    assert found.items() >= rates(6, 4, 2, 2).items()
    assert found["not_in_prefix"] == rates(4, 3, 1, 1)
    assert found["rate_not_in_prefix"] == 0.75
    assert found["base_fails"] == rates(4, 2, 0, 1)
    assert found["by_label"] == {"CITY": rates(2, 1, 0, 1), "NAME": rates(4, 3, 2, 1)}
    assert found["rate_ci"] is None, "two records, however many spans"


def test_a_span_that_one_model_could_not_be_tried_on_is_left_out_for_all():
    given = {"target": said(np.log([0.5, 0.25])), "floor_base": said([math.nan, -1])}
    result = attack_results(Extraction(decoding="sample"), [subject("a", span(0, 1), span(1, 2), **given)])[0]
    assert (result["n_excluded"], result["extraction"]["n_spans"]) == (1, 1)
    assert result["extraction"]["rate"] == pytest.approx(0.25)


def test_without_a_single_span_figures_are_absent():
    subjects = [subject(f"r{n}", member=n < 2, target=said([-1.0, -2.0])) for n in range(4)]
    extraction = attack_results(Extraction(), subjects)[0]["extraction"]
    assert (extraction["n_spans"], extraction["rate"], extraction["rate_ci"]) == (0, None, None)
    assert (extraction["rate_not_in_prefix"], extraction["by_label"]) == (None, {})
    spans = attack_results(Loss(), subjects)[1]
    assert (spans["n_members"], spans["auc"], spans["auc_ci"]) == (0, None, None)
    remembered = memorization(subjects, "complement")
    absent = dict.fromkeys(["tra_pii", "tra_pii_ci", "share_above_1_nat"])
    assert remembered == {**absent, "tra_other": 0, "n_pii_tokens": 0, "by_label": {}}


@pytest.mark.parametrize("wrong", [np.zeros(39), np.zeros((40, 1)), 0.5])
def test_an_attack_that_answers_in_the_wrong_shape_is_named(wrong):
    class Wrong(Recorder):
        name = "wrong"

        def scores(self, passages):
            return wrong

    with pytest.raises(ValueError, match=r"^wrong: .*shape .* for 40 passages"):
        attack_results(Wrong(), crowd())


def test_utility_weighs_every_token_and_every_byte_that_was_kept_alike():
    whole = subject("a", text="naïve", target=said([-1.0, -2.0, -3.0, -4.0, -5.0], [1, 0, 0, 0, 1]))
    cut = subject("b", text="é and much that was cut off", target=said([-0.5], [1]))
    found = utility([whole, cut])
    assert found["nll"] == pytest.approx(15.5 / 6)
    assert found["perplexity"] == pytest.approx(math.exp(15.5 / 6))
    assert found["bits_per_byte"] == pytest.approx(15.5 / math.log(2) / (6 + 2))
    assert found["accuracy"] == pytest.approx(3 / 6)


def test_memorization_is_the_mean_advantage_counted_by_hand():
    # The tokens of one are ahead of its reference by 3, 0.5, 0.5 and -0.25 nats, those of other by -2 and 1.
    one = {"target": said([-1.0, -1.0, -2.0, -0.5]), "complement": said([-4.0, -1.5, -2.5, -0.25])}
    other = {"target": said([-3.0, -1.0]), "complement": said([-1.0, -2.0])}
    members = [subject("a", span(0, 2), span(3, 4, label="CITY"), **one), subject("b", span(0, 1), **other)]
    found = memorization(members, "complement")
    assert found["tra_pii"] == pytest.approx((3 + 0.5 - 0.25 - 2) / 4)
    assert found["tra_other"] == pytest.approx((0.5 + 1) / 2)
    assert found["share_above_1_nat"] == 0.25
    assert found["n_pii_tokens"] == 4
    assert found["by_label"] == {"CITY": {"tra": -0.25, "n_tokens": 1}, "NAME": {"tra": 0.5, "n_tokens": 3}}
    assert found["tra_pii_ci"] is None, "two records, however many tokens"
