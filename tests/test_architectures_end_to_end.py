"""Every architecture goes through the whole: training under each kind of hook, scoring, attacks."""

import pytest

import bench

DEFENSES = ["none", "dropout", "dp-sgd:accountant=rdp", "trap"]


@pytest.mark.slow
@pytest.mark.parametrize("tuning", ["full", "lora"])
def test_the_matrix_runs_on_every_architecture(folders, architecture, tuning, tmp_path):
    results = bench.run(
        dataset="synthetic-clinical",
        model=str(folders[architecture]),
        tuning=tuning,
        limit=24,
        max_length=32,
        epochs=2,
        learning_rate=1e-2,
        defense=DEFENSES,
        attack=["tra", "extraction"],
        out=tmp_path / "runs",
    )
    rows = {row.spec: row for row in results.leaderboard.rows}
    assert rows.keys() == {"base", "reference", *DEFENSES}
    assert rows["none"].utility.nll < rows["base"].utility.nll
    assert len({row.utility.nll for row in rows.values()}) == len(rows)
    assert rows["dp-sgd:accountant=rdp"].privacy.epsilon <= 8
    assert rows["trap"].memorization.tra_pii < rows["none"].memorization.tra_pii
