"""An audit: canaries are put into the target half by coin flips, and the trained model is asked which."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bench import statistics
from bench.auditing import one_run_bound
from bench.defense import Defense
from bench.errors import InputError
from bench.experiment import Settings, chosen_plugins
from bench.plan import make_labs, training_of
from bench.records.record import Record
from bench.results import AuditFile
from bench.runner import Runner
from bench.store import Store, digest, to_json
from bench.tasks import Lab, Scoring, Training

CONFIDENCE = 0.95

UNCLAIMED_DELTA = 1e-5
"""For a training that claims nothing: its bound is on the epsilon at this delta."""

SYMBOLS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CANARY_STREAM = 7_777_777


@dataclass(frozen=True)
class Audit:
    """One defense, trained on the target half and the canaries that a coin put into it.

    Attributes:
        lab: its split `canaries` holds all of them, its split `target` those that are in as well.
        included: which are in.
    """

    lab: Lab
    defense: Defense
    included: tuple[bool, ...]

    @cached_property
    def training(self) -> Training:
        """The one training."""
        return training_of(self.lab, self.defense)

    @cached_property
    def scorings(self) -> tuple[Scoring, Scoring]:
        """The canaries under the trained model and under the base model."""
        return (
            Scoring(self.lab, self.training, splits=("canaries",)),
            Scoring(self.lab, splits=("canaries",)),
        )

    @property
    def what(self) -> str:
        """In words."""
        return f"{self.lab.dataset} · {self.lab.model} · seed {self.lab.seed} · {self.defense.spec}"


def make_audits(settings: Settings, n_canaries: int) -> list[Audit]:
    """One audit for every dataset, model, seed and defense of the settings.

    Raises:
        InputError: something that the settings name does not exist or does not fit.
    """
    if settings.attack:
        raise InputError("an audit has its own attack; leave out --attack")
    defenses, _ = chosen_plugins(settings)
    audits = []
    for lab in make_labs(settings):
        canaries, included = _canaries(n_canaries, lab.seed)
        inside = [canary for canary, coin in zip(canaries, included, strict=True) if coin]
        splits = lab.splits | {"target": [*lab.splits["target"], *inside], "canaries": canaries}
        audits += [Audit(replace(lab, splits=splits), defense, included) for defense in defenses]
    for audit in audits:
        audit.training  # noqa: B018 - checks the defense's parameters before anything is trained
    return audits


def _canaries(count: int, seed: int) -> tuple[list[Record], tuple[bool, ...]]:
    """Random codes, each a record and a privacy unit of its own, and independent fair coins."""
    rng = np.random.default_rng([seed, CANARY_STREAM])
    codes = rng.choice(list(SYMBOLS), size=(count, 6, 5))
    texts = [" ".join("".join(group) for group in code) for code in codes]
    included = tuple(bool(coin) for coin in rng.random(count) < 0.5)
    return [Record(f"canary-{number}", text) for number, text in enumerate(texts)], included


def carry_out(audit: Audit, runner: Runner) -> AuditFile:
    """Train once, guess from how much better each canary is known than to the base model, and bound."""
    runner.prepare(audit.scorings)
    trained, base = (runner.worker.workshop.signals_of(scoring) for scoring in audit.scorings)
    scores = np.array(
        [
            float((after.logprobs.astype(np.float64) - before.logprobs).mean())
            for after, before in zip(trained, base, strict=True)
        ]
    )
    claimed = runner.store.about_model(audit.training.key)["privacy"]
    delta = UNCLAIMED_DELTA if claimed is None else claimed["delta"]
    bound = one_run_bound(audit.included, scores, delta=delta, confidence=CONFIDENCE, seed=audit.lab.seed)
    coins, finite = np.array(audit.included), np.isfinite(scores)
    inside, outside = scores[coins & finite], scores[~coins & finite]
    lab = audit.lab
    result = AuditFile.model_validate(
        {
            "dataset": lab.dataset,
            "model": lab.model,
            "tuning": lab.settings.tuning,
            "setting": lab.setting,
            "seed": lab.seed,
            "defense": audit.defense.name,
            "params": audit.defense.parameters,
            "spec": audit.defense.spec,
            "canaries": len(coins),
            "included": int(coins.sum()),
            "guesses": bound.guesses,
            "correct": bound.correct,
            "auc": statistics.auc(inside, outside) if inside.size and outside.size else None,
            "delta": delta,
            "confidence": CONFIDENCE,
            "epsilon_lower_bound": bound.epsilon,
            "ceiling": bound.ceiling,
            "claimed": claimed,
            "exceeded": claimed is not None and bound.epsilon > claimed["epsilon"],
        }
    )
    _save(result, runner.store)
    return result


def _save(result: AuditFile, store: Store) -> None:
    parts = [result.dataset, result.model, result.tuning, result.spec, f"seed{result.seed}"]
    readable = "-".join(re.sub(r"[^\w.=,-]+", "_", part) for part in parts)
    named = digest([parts, result.setting.model_dump(mode="json")])[:8]
    path = store.root / "audits" / f"{readable[:150]}-{named}.json"
    store.save_text(path, to_json(result.model_dump(mode="json", by_alias=True)))
