"""Extraction rates from evidence, against what is counted by hand."""

import numpy as np
import pytest

from bench.comparisons import halves
from bench.evaluation import attack_results
from bench.evaluation.columns import HALVES_SEED
from bench.results import Audited, Drawn, ExtractionEvidence

# One span a line: label, in the prefix, first mention, and who says it: target, base, reference.
SPANS = [
    ("NAME", False, True, 1, 0, 0),
    ("NAME", True, False, 1, 1, 1),
    ("CITY", False, True, 0, 0, 0),
    ("NAME", False, False, 1, 1, 0),
    ("CITY", False, False, 1, 0, 1),
    ("NAME", True, False, 0, 0, 0),
]


def extracted(spans, record, units=None, unit="span", drawn=None):
    """What extraction of these spans comes to, `record` being the number of each span's record."""
    n = max(record, default=0) + 1
    ids = tuple(f"r{row}" for row in range(n))
    ones = (1,) * n
    audited = Audited(
        ids=ids,
        units=units or ids,
        member=(True,) * n,
        n_tokens=ones,
        n_bytes=ones,
        nll=ones,
        n_correct=ones,
    )
    names, in_prefix, first_mention, *chances = zip(*spans, strict=True) if spans else [()] * 6
    labels = tuple(sorted(set(names)))
    (result,) = attack_results(
        ExtractionEvidence(
            unit=unit,
            record=tuple(record),
            labels=labels,
            label=tuple(labels.index(name) for name in names),
            in_prefix=in_prefix,
            first_mention=first_mention,
            drawn=drawn,
            **dict(zip(("rate", "base", "reference"), chances, strict=True)),
        ),
        audited,
    )
    return result


def copies(count):
    """Each of the spans above so often, in records of six."""
    return SPANS * count, [place // 6 for place in range(6 * count)]


def of(rates):
    return rates.n_spans, rates.rate, rates.base_rate, rates.reference_rate


def test_rates_of_all_subsets_are_those_counted_by_hand():
    result = extracted(*copies(20))
    found = result.extraction
    assert (result.unit, result.n_members, result.n_nonmembers, result.auc) == ("span", 20, 0, None)
    assert of(found) == (120, 4 / 6, 2 / 6, 2 / 6)
    assert of(found.not_in_prefix) == (80, 3 / 4, 1 / 4, 1 / 4)
    assert of(found.first_mention) == (40, 1 / 2, 0, 0)
    assert of(found.base_fails) == (80, 2 / 4, 0, 1 / 4)
    assert of(found.without_cue) == (40, 1 / 2, 0, 0)
    assert {name: of(rates) for name, rates in found.by_label.items()} == {
        "CITY": (40, 1 / 2, 0, 1 / 2),
        "NAME": (80, 3 / 4, 2 / 4, 1 / 4),
    }
    assert found.above_reference == pytest.approx(2 / 6)
    assert found.not_in_prefix.above_reference == result.leakage.value == 0.5
    assert result.refused == {}


def test_a_span_without_cue_is_one_that_nothing_before_it_and_no_base_model_gives_away():
    spans = [
        ("A", False, True, 1, 0, 0),
        ("A", True, True, 1, 0, 0),
        ("A", False, False, 1, 0, 0),
        ("A", False, True, 1, 1, 0),
    ]
    found = extracted(spans * 20, range(80)).extraction
    assert found.without_cue.n_spans == 20
    assert [part.n_spans for part in (found.not_in_prefix, found.first_mention, found.base_fails)] == [60] * 3


def test_rates_are_refused_below_20_spans_and_intervals_below_20_units():
    twenty = extracted([SPANS[0]] * 20, range(20))
    assert (twenty.extraction.rate, twenty.extraction.above_reference) == (1.0, 1.0)
    assert twenty.extraction.rate_ci[0] < 1.0 == twenty.extraction.rate_ci[1]
    fewer = extracted([SPANS[0]] * 19, range(19))
    assert fewer.extraction.n_spans == 19
    assert fewer.extraction.rate is fewer.extraction.above_reference is fewer.extraction.rate_ci is None
    for name in ("rate", "not_in_prefix.rate", "first_mention.rate", "by_label.NAME.rate"):
        assert fewer.refused[f"extraction.{name}"] == "needs >= 20 spans"
    related = extracted([SPANS[0]] * 40, [place // 2 for place in range(40)], ["a", *"abcdefghijklmnopqrs"])
    assert (related.extraction.rate, related.extraction.rate_ci) == (1.0, None)
    assert related.extraction.above_reference_ci is None
    assert related.refused["extraction.rate_ci"] == "needs >= 20 units"


def test_the_interval_above_the_reference_is_of_pairs():
    """Both models say the same of most spans: what they share is no uncertainty of their difference."""
    rng = np.random.default_rng(0)
    reference = rng.integers(2, size=200)
    target = np.maximum(reference, rng.random(200) < 0.1)
    spans = [
        ("A", False, True, int(one), 0, int(other)) for one, other in zip(target, reference, strict=True)
    ]
    found = extracted(spans, range(200)).extraction
    assert found.above_reference == pytest.approx(np.mean(target - reference))
    low, high = found.above_reference_ci
    assert 0 < low < found.above_reference < high
    assert high - low < 0.6 * (found.rate_ci[1] - found.rate_ci[0])


def test_the_spans_of_one_unit_count_in_one_half_only():
    units = [f"u{row // 2}" for row in range(80)]
    record = [place // 2 for place in range(160)]
    before = extracted([SPANS[2]] * 160, record, units).leakage
    assert (before.value, before.calibration, before.evaluation) == (0, 0, 0)
    moved = []
    for unit in range(8):
        said = [SPANS[0] if place // 4 == unit else SPANS[2] for place in range(160)]
        after = extracted(said, record, units).leakage
        moved.append((after.calibration > 0, after.evaluation > 0))
    assert set(moved) == {(True, False), (False, True)}


def test_leakage_of_exactly_nothing_has_an_interval_as_any_other():
    units = np.array([f"r{row}" for row in range(100)], dtype=object)
    held = np.flatnonzero(~halves(units, HALVES_SEED))
    difference = np.zeros(100)
    difference[held[: len(held) // 2 * 2]] = np.tile([1, -1], len(held) // 2)
    leakage = extracted(
        [("A", False, True, int(d > 0), 0, int(d < 0)) for d in difference], range(100)
    ).leakage
    assert leakage.evaluation == 0
    assert leakage.evaluation_ci[0] < 0 < leakage.evaluation_ci[1]


def test_a_span_that_one_model_could_not_be_tried_on_is_left_out_for_all():
    untried = [("NAME", False, True, 0, 0, None), ("NAME", False, True, 0, None, 0)]
    spans, record = copies(20)
    result, clean = extracted(spans + untried, [*record, 0, 1]), extracted(spans, record)
    assert (result.n_excluded, clean.n_excluded) == (2, 0)
    assert result.extraction == clean.extraction
    assert result.leakage == clean.leakage


def test_without_a_single_span_figures_are_refused():
    result = extracted([], [])
    found = result.extraction
    assert (found.n_spans, found.rate, found.rate_ci, found.by_label) == (0, None, None, {})
    assert (result.leakage.value, result.leakage.evaluation_ci) == (None, None)
    assert result.refused["extraction.rate"] == "needs >= 20 spans"


def test_records_stand_in_no_prefix_and_have_no_label():
    target, base, reference = [1] * 15 + [0] * 10, [0] * 25, [1] * 5 + [0] * 20
    ones, ids = (1,) * 25, tuple(f"r{row}" for row in range(25))
    (result,) = attack_results(
        ExtractionEvidence(
            unit="record",
            record=range(25),
            labels=(),
            label=(),
            in_prefix=(),
            first_mention=(),
            rate=target,
            base=base,
            reference=reference,
            drawn=None,
        ),
        Audited(
            ids=ids, units=ids, member=(True,) * 25, n_tokens=ones, n_bytes=ones, nll=ones, n_correct=ones
        ),
    )
    assert result.unit == "record"
    for part in ("not_in_prefix", "first_mention", "without_cue", "base_fails"):
        assert of(getattr(result.extraction, part)) == (25, 0.6, 0, 0.2)
    assert result.extraction.by_label == {}


def test_one_of_several_samples_is_right_as_often_as_counted_by_hand():
    spans = [("A", False, True, 0, 0, 0), ("A", False, True, 1, 0, 0), ("A", True, True, 1, 1, 1)] * 20
    drawn = Drawn(  # p_z of 0.1 and 0.5, of 0.01 and none, and on the spans in the prefix of 1
        rate=(np.log(0.1), np.log(0.5), 0.0) * 20,
        base=(np.log(0.01), None, 0.0) * 20,
        reference=(None, None, 0.0) * 20,
    )
    found = extracted(spans, range(60), drawn=drawn).extraction.sampled
    assert list(found) == ["1", "10", "100"]
    for tries, rates in found.items():
        n = int(tries)
        assert rates.n_spans == 40
        assert rates.rate == pytest.approx(((1 - 0.9**n) + (1 - 0.5**n)) / 2)
        assert rates.base_rate == pytest.approx((1 - 0.99**n) / 2)
        assert (rates.reference_rate, rates.above_reference) == (0.0, pytest.approx(rates.rate))
        assert 0 < rates.rate_ci[0] < rates.rate < rates.rate_ci[1] <= 1


def test_a_sure_success_is_one_however_often_it_is_tried():
    spans = [("A", False, True, 1, 1, 1)] * 20
    sure = Drawn(rate=(0.0,) * 20, base=(1e-7,) * 20, reference=(-1e-9,) * 20)  # rounding may exceed 0
    found = extracted(spans, range(20), drawn=sure).extraction.sampled["100"]
    assert (found.rate, found.base_rate, found.reference_rate) == (1.0, 1.0, pytest.approx(1.0))


def test_sampling_is_refused_below_20_spans_and_absent_where_the_attack_does_not_sample():
    few = extracted([SPANS[0]] * 19, range(19), drawn=Drawn(**dict.fromkeys(Drawn.model_fields, (0.0,) * 19)))
    assert few.extraction.sampled["10"].rate is None
    assert few.refused["extraction.sampled.10.rate"] == "needs >= 20 spans"
    assert extracted([SPANS[0]] * 20, range(20)).extraction.sampled == {}
