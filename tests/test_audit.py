import json

import pytest

from bench import registry
from bench.experiment import settings_from
from bench.registry import load_plugin_file

BUGS = '''
from bench.defenses.dp_sgd import DPSGD


class NoNoise(DPSGD):
    """Claims noise and adds none."""

    name = "no-noise"

    def updates(self, plain):
        updates = super().updates(plain)
        updates.clipping.optimizer.noise_multiplier = 0.0
        return updates


class NoClipping(DPSGD):
    """Claims clipping and does none, behind the back of the check before the first step."""

    name = "no-clipping"

    def updates(self, plain):
        updates = super().updates(plain)
        updates._checked = True
        optimizer = updates.clipping.optimizer
        optimizer.noise_multiplier *= optimizer.max_grad_norm / 1e6
        optimizer.max_grad_norm = 1e6
        return updates


class Broken(DPSGD):
    """Raises."""

    name = "broken"

    def updates(self, plain):
        raise ValueError("a secret of record 7")
'''
CLAIM = "epsilon=0.5,delta=1e-5,accountant=rdp,max_grad_norm=0.01,schedule=equal"


@pytest.fixture
def bugs(tmp_path):
    path = tmp_path / "bugs.py"
    path.write_text(BUGS, encoding="utf-8")
    yield path
    registry.defenses().forget()


@pytest.fixture
def audit(typed, tmp_path):
    """`audit("none", ...)`: exit code, output, errors, and each result by the defense's name."""

    def run(*defenses, canaries=80, more=()):
        options = [option for defense in defenses for option in ("--defense", defense)]
        small = ("--dataset", "synthetic-essays", "--limit", "30", "--max-length", "32", "--epochs", "20")
        where = ("--out", str(tmp_path / "runs"))
        code, out, err = typed("audit", *small, *where, "--canaries", str(canaries), *options, *more)
        files = (tmp_path / "runs" / "audits").glob("*.json")
        results = [json.loads(path.read_text(encoding="utf-8")) for path in files]
        return code, out, err, {result["defense"]: result for result in results}

    return run


@pytest.mark.slow
def test_an_undefended_model_audits_far_above_a_private_one_and_planted_bugs_are_caught(audit, bugs):
    defenses = [f"{name}:{CLAIM}" for name in ("dp-sgd", "no-noise", "no-clipping")]
    code, out, err, results = audit("none", *defenses, more=("--plugin", str(bugs)))
    bounds = {name: result["epsilon_lower_bound"] for name, result in results.items()}
    assert bounds["dp-sgd"] <= results["dp-sgd"]["claimed"]["epsilon"] <= 0.5
    assert bounds["none"] > 2 > 4 * bounds["dp-sgd"]
    assert bounds["no-noise"] > 0.5
    assert bounds["no-clipping"] > 0.5
    assert code == 1
    failed = [line for line in err.splitlines() if line.startswith("failed")]
    assert len(failed) == 2
    assert all("above the 0.50 that is claimed" in line for line in failed)
    assert "ε at least" in out


def test_a_defense_that_claims_nothing_is_bounded_and_passes(audit):
    code, out, _, results = audit("none", canaries=20, more=("--epochs", "1"))
    assert code == 0
    assert results["none"]["claimed"] is None
    assert results["none"]["exceeded"] is False
    assert results["none"]["epsilon_lower_bound"] <= results["none"]["ceiling"]
    assert "none" in out


def test_a_failing_defense_takes_down_its_own_audit_only(audit, bugs):
    code, out, err, results = audit(
        "broken", "none", canaries=20, more=("--epochs", "1", "--plugin", str(bugs))
    )
    assert code == 1
    assert list(results) == ["none"]
    assert "failed" in err
    assert "secret" not in out + err


def test_an_attack_is_refused(audit):
    code, _, err, _ = audit("none", more=("--attack", "loss"))
    assert (code, err.count("\n")) == (2, 1)
    assert "leave out --attack" in err


def test_coins_put_canaries_into_the_target_half_alone(tmp_path):
    from bench.audit import make_audits

    settings = settings_from({"dataset": "synthetic-essays", "limit": 30, "out": tmp_path, "defense": "none"})
    (audit,) = make_audits(settings, 200)
    canaries = audit.lab.splits["canaries"]
    inside = {canary.id for canary, coin in zip(canaries, audit.included, strict=True) if coin}
    assert 60 < len(inside) < 140
    assert len({canary.text for canary in canaries}) == 200
    for name, records in audit.lab.splits.items():
        held = {record.id for record in records} & {canary.id for canary in canaries}
        assert held == {"target": inside, "canaries": {canary.id for canary in canaries}}.get(name, set())
    (again,) = make_audits(settings, 200)
    assert again.included == audit.included


def test_another_seed_flips_other_coins(tmp_path):
    from bench.audit import make_audits

    given = {"dataset": "synthetic-essays", "limit": 30, "out": tmp_path, "defense": "none", "seed": [0, 1]}
    one, other = make_audits(settings_from(given), 50)
    assert one.included != other.included


def test_plugins_of_a_file_can_be_audited(bugs):
    load_plugin_file(bugs)
    assert "no-noise" in registry.defenses().names()
