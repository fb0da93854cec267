"""Cells made by hand: some whose figures are stated, some whose figures follow from their evidence."""

import numpy as np
import yaml

from bench.evaluation import attack_results
from bench.leaderboard import leaderboard
from bench.results import Audited, CellFile, ExtractionEvidence, MembershipEvidence, Row

TPR_REFUSED = {"0.001": None, "0.01": None}  # in the order in which a cell file holds them
NEEDS = {"tpr_at_fpr.0.01": "needs >= 100 non-members", "tpr_at_fpr.0.001": "needs >= 1000 non-members"}
KNOWLEDGE = {"reference": "base", "tra:against=population": "population", "tra": "complement"}
TIES = {"most-gain", "least-leakage"}

CELL = """
{schema: trap-bench-cell/3, key: k, code: c, dataset: notes, model: tiny, tuning: full, seed: 0, params: {},
 setting: {protocol: half, records: {target: 30, holdout: 20}, data: d, weights: w, max_length: 64,
           epochs: 2, batch_size: 8, learning_rate: 0.001, device: cpu, dtype: float32, compiled: false,
           attention: sdpa},
 trained_on: [target], attack_params: {}, memorization: null, memorization_evidence: null, privacy: null,
 training: null, utility: {perplexity: 2.0, bits_per_byte: 1.5, accuracy: 0.25, best_nll: null},
 cost: {train_seconds: 1.0, peak_memory_mb: 10.0, trainings: 1},
 counts: {members: 30, nonmembers: 20, member_units: 30, nonmember_units: 20, spans: 50,
          spans_lost_by_truncation: 0},
 blind: {auc: 0.5, auc_ci: [0.4, 0.6], n_members: 30, n_nonmembers: 20, shifted: false}}
"""
SHIFTED = {"auc": 0.9, "auc_ci": [0.8, 0.97], "shifted": True}
PRIVACY = yaml.safe_load("""
{epsilon: 7.9, delta: 0.0001, noise_multiplier: 0.7, max_grad_norm: 1.0, sample_rate: 0.25,
 expected_batch_size: 7.5, steps: 8, accountant: prv, unit: record, clipping: per-record,
 notes: [not covered]}
""")


def judged(nll: float, name: str, members: int = 30, nonmembers: int = 20) -> Audited:
    """Records of 10 tokens; harder and easier ones for all models alike, give or take 0.2 nats a record."""
    count = members + nonmembers
    hardness = np.random.default_rng(0).normal(0, 3, count)
    own = np.random.default_rng(list(name.encode())).normal(0, 0.2, count)
    ids = tuple(f"r{place:03}" for place in range(count))
    return Audited(
        ids=ids,
        units=ids,
        member=tuple(place < members for place in range(count)),
        n_tokens=(10,) * count,
        n_bytes=(40,) * count,
        nll=tuple(np.round(10 * nll + hardness + own, 6).tolist()),
        n_correct=(2,) * count,
    )


def cell(defense: str, nll: float, *results, attack="loss", best_nll=None, **changed) -> CellFile:
    """A cell of stated figures: under a membership attack at chance, unless results are given."""
    stated = yaml.safe_load(CELL) | {"defense": defense, "spec": defense, "undefended": defense == "none"}
    stated |= {"attack": attack.partition(":")[0], "attack_spec": attack}
    stated |= {"knowledge": KNOWLEDGE.get(attack, "target"), "results": results or [membership(0.5)]}
    stated |= {"audited": judged(nll, defense).model_dump(), "evidence": silent(attack).model_dump()}
    stated["utility"] |= {"nll": nll, "best_nll": best_nll}
    for name, value in changed.items():
        merged = isinstance(stated[name], dict) and isinstance(value, dict)
        stated[name] = stated[name] | value if merged else value
    return CellFile.model_validate(stated)


def silent(attack: str) -> MembershipEvidence | ExtractionEvidence:
    """What an attack that tells nothing leaves behind."""
    if attack == "extraction":
        return passages([0.0] * 30, [0.0] * 30)
    return MembershipEvidence(records=(0.0,) * 50, spans=((),) * 50)


def passages(rate: list[float], reference: list[float], in_prefix: bool = False) -> ExtractionEvidence:
    """One passage of each of the first records."""
    count = len(rate)
    return ExtractionEvidence(
        unit="span",
        record=tuple(range(count)),
        labels=("person",),
        label=(0,) * count,
        in_prefix=(in_prefix,) * count,
        first_mention=(True,) * count,
        rate=tuple(rate),
        base=(0.0,) * count,
        reference=tuple(reference),
        drawn=None,
    )


def scored(defense: str, members, nonmembers, *, nll=3.0, spans=None, **changed) -> CellFile:
    """A membership cell whose figures follow from these scores, one record each, each record a unit."""
    records = tuple(float(score) for score in (*members, *nonmembers))
    evidence = MembershipEvidence(records=records, spans=spans or ((),) * len(records))
    return _followed(defense, nll, evidence, (len(members), len(nonmembers)), changed)


def extracted(defense: str, rate, reference, *, nll=3.0, **changed) -> CellFile:
    """An extraction cell whose figures follow from these chances, one passage a member."""
    evidence = passages([float(r) for r in rate], [float(r) for r in reference])
    return _followed(defense, nll, evidence, (len(rate), 20), {"attack": "extraction"} | changed)


def _followed(defense, nll, evidence, sizes, changed) -> CellFile:
    audited = judged(nll, defense, *sizes)
    results = [result.model_dump() for result in attack_results(evidence, audited) if result.n_members]
    return cell(
        defense, nll, *results, audited=audited.model_dump(), evidence=evidence.model_dump(), **changed
    )


def leakage(calibration: float | None, evaluation: float | None = None) -> dict:
    """Of both halves, the evaluation half's as the calibration half's where it is not given."""
    held = calibration if evaluation is None else evaluation
    ends = None if held is None else (held - 0.1, held + 0.1)
    return {"value": calibration, "calibration": calibration, "evaluation": held, "evaluation_ci": ends}


def membership(auc: float | None, unit: str = "record", **changed) -> dict:
    ends = None if auc is None else [auc - 0.1, min(1.0, auc + 0.1)]
    result = {"unit": unit, "n_members": 30, "n_nonmembers": 20, "n_excluded": 0, "auc": auc, "auc_ci": ends}
    result |= {"tpr_at_fpr": TPR_REFUSED, "epsilon_lower_bound": None, "extraction": None, "refused": NEEDS}
    return result | {"leakage": leakage(None if auc is None else 2 * auc - 1)} | changed


def rates(rate: float | None, base: float = 0.0, reference: float = 0.0, n: int = 40) -> dict:
    known = rate is not None
    floors = {"base_rate": base if known else None, "reference_rate": reference if known else None}
    above = {"above_reference": rate - reference if known else None, "above_reference_ci": None}
    return {"n_spans": n, "rate": rate, "rate_ci": [0.0, 0.9] if known else None} | floors | above


def extraction(rate: float, fresh: float, fresh_reference: float) -> dict:
    few = rates(None, n=3)
    got = rates(rate) | {"not_in_prefix": rates(fresh, 0.05, fresh_reference), "first_mention": rates(fresh)}
    got |= {"base_fails": few, "without_cue": few, "by_label": {"person": rates(rate), "city": few}}
    got |= {"sampled": {"1": rates(fresh / 2), "10": few}}
    names = ("base_fails.rate", "without_cue.rate", "by_label.city.rate", "sampled.10.rate")
    refused = {f"extraction.{name}": "needs >= 20 spans" for name in names}
    leaked = leakage(fresh - fresh_reference)
    return membership(None, "span", n_nonmembers=0, extraction=got, refused=refused, leakage=leaked)


def memory(tra_pii: float, tra_other: float = 0.2) -> dict:
    means = {"tra_pii": tra_pii, "tra_pii_ci": [tra_pii - 0.1, tra_pii + 0.1], "tra_other": tra_other}
    tokens = {"tra": tra_pii, "n_tokens": 100, "q90": 1.0, "q99": 2.0, "share_above_1_nat": 0.25}
    rarity = {"pii_by_rarity": {"0": tokens}, "other_by_rarity": {"0": tokens}}
    return means | {"share_above_1_nat": 0.25, "n_pii_tokens": 100, "by_label": {"person": tokens}} | rarity


def floors() -> list[CellFile]:
    """Base at 6 nats, the reference at 4, the undefended run at 3 with its minimum at 2."""
    none = cell("none", 3.0, membership(1.0), best_nll=2.0, memorization=memory(2.0, 0.5), attack="tra")
    return [cell("base", 6.0), cell("reference", 4.0), none]


def undefended_by_loss() -> CellFile:
    return cell("none", 3.0, membership(1.0), best_nll=2.0)


def rows(*cells: CellFile) -> dict[str, Row]:
    return {row.spec: row for row in leaderboard(cells).rows}


def flags(*cells: CellFile) -> dict[str, set[str]]:
    """The flags of each defense but those of ties, which the evidence of stated figures does not bear out."""
    return {spec: set(row.flags) - TIES for spec, row in rows(*cells).items()}


def full_board():
    """A leaderboard with something in every table."""
    cells = [*floors(), cell("mine", 3.0, membership(0.75), membership(0.6, "span"))]
    dp = {"privacy": PRIVACY, "spec": "dp-sgd:epsilon=4", "params": {"epsilon": 4.0}}
    cells += [undefended_by_loss(), cell("mine", 3.0, membership(0.75), attack="tra")]
    cells += [cell("dp-sgd", 4.5, membership(0.7), attack=attack, **dp) for attack in ("loss", "tra")]
    return leaderboard([*cells, cell("dp-sgd", 4.5, extraction(0.5, 0.25, 0.0), attack="extraction", **dp)])
