"""Where text alone tells members from non-members, no membership figure means anything, and it is said."""

import json

import numpy as np
import pytest

import bench
from bench.errors import RunError
from bench.records import Record
from bench.records.splits import Shares, split

CARD = """
name: letters
title: Letters
family: clinical
language: en
licence: internal
citation: none
obtain: made by the test
source: {reader: jsonl, files: [letters.jsonl]}
labels: {NAME: person}
"""
SMALL = {"max_length": 24, "epochs": 1, "defense": "none", "attack": ["loss", "extraction"]}
COUNT = 160


def letters(folder, shifted: bool) -> dict:
    """Settings for a corpus of random words; if shifted, non-members have other words than all others."""
    rng = np.random.default_rng(0)
    words = [["".join(rng.choice(list("aeioubdfgklmnprst"), 5)) for _ in range(60)] for _ in range(2)]
    texts = [" ".join(rng.choice(words[0], 12)) for _ in range(COUNT)]
    records = [Record(str(number), text, (), None) for number, text in enumerate(texts)]
    for record in split(records, Shares(), 0)["holdout"]:
        if shifted:
            texts[int(record.id)] = " ".join(rng.choice(words[1], 12))
    folder.mkdir()
    lines = [
        json.dumps({"id": str(n), "text": text, "spans": [{"start": 0, "end": 5, "label": "NAME"}]})
        for n, text in enumerate(texts)
    ]
    (folder / "letters.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "letters.yaml").write_text(CARD, encoding="utf-8")
    return SMALL | {"dataset": str(folder / "letters.yaml"), "data_dir": folder, "out": folder / "run"}


def options(settings: dict) -> list[str]:
    named = {name.replace("_", "-"): value for name, value in settings.items()}
    pairs = [
        (n, one) for n, value in named.items() for one in (value if isinstance(value, list) else [value])
    ]
    return [part for name, value in pairs for part in (f"--{name}", str(value))]


def test_a_shift_is_shown_on_top_and_strict_makes_it_a_failure(tmp_path, typed):
    settings = letters(tmp_path / "data", shifted=True)
    code, shown, said = typed("run", *options(settings))
    assert (code, "failed" in said) == (0, False)
    assert "distribution-shift: text alone tells members from non-members (blind AUC " in shown
    page = (tmp_path / "data" / "run" / "leaderboard.md").read_text(encoding="utf-8")
    assert page.index("**distribution-shift: ") < page.index("| base")
    code, _, said = typed("run", *options(settings), "--strict")
    assert code == 1
    (complaint,) = [line for line in said.splitlines() if line.startswith("failed: ")]
    assert complaint == "failed: letters: distribution-shift: text alone tells members from non-members"
    with pytest.raises(RunError, match="letters: distribution-shift"):
        bench.run(**settings, strict=True)
    rows = bench.run(**settings).leaderboard.rows
    assert {row.attack for row in rows if "distribution-shift" in row.flags} == {"loss"}


def test_random_splits_of_like_records_show_no_shift_and_pass_strict(tmp_path):
    results = bench.run(**letters(tmp_path / "data", shifted=False), strict=True)
    blind = {row.blind for row in results.leaderboard.rows}.pop()
    assert blind.auc_ci[0] <= 0.5 <= blind.auc_ci[1]
    assert (blind.n_members, blind.n_nonmembers) == (48, 28)
