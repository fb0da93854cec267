"""The controls come out as they must, and one that does not is a failure."""

import pytest

from bench.registry import attacks
from bench.selftest import Control


def test_a_control_that_fails_is_named_and_fails_the_selftest(monkeypatch, typed):
    outcomes = [
        Control("chance looks like chance", True, "AUC 0.50"),
        Control("it is caught", False, "AUC 0.51"),
    ]
    monkeypatch.setattr("bench.selftest.controls", lambda folder, watcher: iter(outcomes))
    code, shown, said = typed("selftest")
    assert code == 1
    assert shown == "ok    chance looks like chance (AUC 0.50)\nFAIL  it is caught (AUC 0.51)\n"
    assert said.startswith("failed: 1 controls")
    assert said.count("\n") == 1
    outcomes.pop()
    assert typed("selftest") == (0, "ok    chance looks like chance (AUC 0.50)\n", "")


@pytest.mark.slow
def test_every_control_comes_out_as_it_must(typed):
    code, shown, said = typed("selftest")
    lines = shown.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == []
    assert code == 0
    names = attacks().names()
    to_catch = [name for name in names if not attacks().parse(name).adaptive]
    # Extraction gives no AUC that could be mirrored.
    expected = {"is caught by": len(to_catch), "like chance to": len(names), "the AUC of": len(names) - 1}
    for claim, count in expected.items():
        assert sum(claim in line for line in lines) == count
    assert sum("secret" in line for line in lines) == 2
    assert "failed" not in said
