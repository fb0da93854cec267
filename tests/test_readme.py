"""The README keeps its word: its commands are those of CI, and its snippets run as they stand."""

import re
from pathlib import Path

import pytest

import bench
from bench import registry

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLUGINS = {"label_smoothing.py": "label-smoothing", "min_k.py": "min-k"}


def snippet(name):
    found = re.search(rf"`{re.escape(name)}`:\n\n```python\n(.*?)```", README, re.DOTALL)
    assert found, f"the README shows no {name}"
    return found.group(1)


@pytest.fixture
def plugins(tmp_path):
    paths = []
    for name in PLUGINS:
        path = tmp_path / name
        path.write_text(snippet(name), encoding="utf-8")
        paths.append(path)
    yield paths
    registry.defenses().forget()
    registry.attacks().forget()


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_is_complete_in_under_thirty_lines(name):
    assert len(snippet(name).splitlines()) < 30


def test_the_plugins_of_the_readme_run_together_with_ours(plugins, tmp_path):
    results = bench.run(
        dataset="synthetic-clinical",
        limit=20,
        max_length=48,
        epochs=2,
        plugin=plugins,
        defense=["none", "label-smoothing:amount=0.2"],
        attack=["loss", "min-k", "min-k:share=1"],
        out=tmp_path / "runs",
    )
    aucs = {(row.spec, row.attack_spec): row.auc for row in results.leaderboard.rows if row.unit == "record"}
    assert {spec for spec, _ in aucs} == {"base", "reference", "none", "label-smoothing:amount=0.2"}
    for spec in ("base", "reference", "none", "label-smoothing:amount=0.2"):
        assert aucs[spec, "min-k:share=1"] == aucs[spec, "loss"]
    nll = {row.spec: row.utility.nll for row in results.leaderboard.rows}
    assert nll["label-smoothing:amount=0.2"] != nll["none"]
    frame = results.to_frame()
    assert len(frame) == len(results.leaderboard.rows)
    assert {"spec", "attack", "leakage.evaluation", "utility.gain_kept"} <= set(frame.columns)


def test_the_readme_names_every_plugin_and_the_two_commands():
    for name in (*registry.defenses().names(), *registry.attacks().names()):
        assert f"| `{name}` |" in README
    assert "pip install -e . && bench run\n" in README
    assert "pip install -e '.[test]' && pytest\n" in README


@pytest.mark.parametrize(
    "page", ["README.md", *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
)
def test_every_link_within_the_project_leads_somewhere(page):
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{page} links to {target}"
