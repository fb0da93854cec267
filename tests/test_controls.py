"""The controls on real clinical cases: what is trained to the end memorizes, the base model does not."""

from pathlib import Path

import pytest

import bench

MEDDOCAN = Path(__file__).parents[2] / "shared" / "data" / "meddocan"


@pytest.mark.slow
@pytest.mark.skipif(not MEDDOCAN.is_dir(), reason="the MEDDOCAN corpus is not at ../shared/data/meddocan")
def test_undefended_training_memorizes_and_the_base_model_looks_like_chance(tmp_path):
    results = bench.run(
        dataset="clinical",
        data_dir=MEDDOCAN,
        limit=120,
        max_length=128,
        epochs=20,
        defense=["none", "trap"],
        attack=["loss", "tra", "extraction"],
        out=tmp_path / "runs",
    )
    rows = {(row.spec, row.attack, row.unit): row for row in results.leaderboard.rows}
    undefended = rows["none", "extraction", "span"]
    assert undefended.memorization.tra_pii > 2
    assert undefended.extraction.rate > 0.4
    assert undefended.extraction.rate > undefended.extraction.reference_rate + 0.3
    for attack in ("loss", "tra"):
        low, high = rows["base", attack, "record"].auc_ci
        assert low <= 0.5 <= high
        assert rows["none", attack, "record"].auc > 0.9
    penalized = rows["trap", "extraction", "span"]
    assert abs(penalized.memorization.remaining_pii) < 0.15
    assert penalized.extraction.rate < undefended.extraction.rate / 4
