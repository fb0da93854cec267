import csv
import io
import json
import re

import pytest
from boards import (
    NEEDS,
    SHIFTED,
    cell,
    extraction,
    floors,
    full_board,
    leakage,
    membership,
    undefended_by_loss,
)

from bench.leaderboard import leaderboard
from bench.rendering import as_csv, as_json, as_markdown, as_terminal
from bench.tables import defense_table, strongest_table


def test_markdown_shows_every_table_and_no_python_value():
    text = as_markdown(full_board())
    for heading in (
        "Strongest attack",
        "AUC",
        "TPR at 1 % FPR",
        "TPR at 0.1 % FPR",
        "spans",
        "Extraction by label",
        "Memorization: TRA",
        "Memorization by how often",
        "budget",
        "Cost",
    ):
        assert re.search(rf"^### .*{re.escape(heading)}", text, re.MULTILINE), heading
    columns = ("gain kept", "leak: target", "leak: complement", "above reference (95 % interval)")
    for column in (*columns, "remaining", "unit"):
        assert re.search(rf"^\|.* {re.escape(column)} +\|", text, re.MULTILINE), column
    assert not re.search(r"None|\bnan\b|\binf\b|\bTrue\b|\bFalse\b", text + as_terminal(full_board()))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_a_tpr_stands_under_its_false_positive_rate_and_too_few_nonmembers_are_named():
    resolved = {"tpr_at_fpr": {"0.001": None, "0.01": 0.625}, "n_nonmembers": 500}
    needs = {"tpr_at_fpr.0.001": NEEDS["tpr_at_fpr.0.001"]}
    text = as_markdown(
        leaderboard([*floors(), cell("mine", 3.0, membership(0.8, refused=needs, **resolved))])
    )
    parts = {part.partition("\n")[0]: part for part in re.split(r"^### ", text, flags=re.MULTILINE)}
    at_1 = parts["Attacks on records: TPR at 1 % FPR"]
    assert re.search(r"^\| mine +\| +62.5 %", at_1, re.MULTILINE)
    assert re.search(r"^\| base +\| +n/a \(needs >= 100 non-members\)", at_1, re.MULTILINE)
    at_01 = parts["Attacks on records: TPR at 0.1 % FPR"]
    assert at_01.partition("\n")[2].strip() == "n/a (needs >= 1000 non-members)"


def test_what_a_refused_figure_needs_stands_in_markdown_csv_and_json():
    few = {"auc_ci": "needs >= 20 members and 20 non-members"}
    thin = membership(0.8, auc_ci=None, refused=NEEDS | few)
    cells = [*floors(), cell("mine", 3.0, thin)]
    cells += [cell("mine", 3.0, extraction(0.5, 0.25, 0.0), attack="extraction")]
    board = leaderboard(cells)
    text = as_markdown(board)
    for needs in (*few.values(), "needs >= 20 spans", *NEEDS.values()):
        assert f"n/a ({needs})" in text or f"({needs})" in text
    assert f"0.80 (n/a ({few['auc_ci']}))" in text
    lines = {line["attack"]: line for line in csv.DictReader(io.StringIO(as_csv(board)))}
    assert lines["loss"]["refused.auc_ci"] == few["auc_ci"]
    assert lines["loss"]["refused.tpr_at_fpr.0.01"] == "needs >= 100 non-members"
    assert lines["extraction"]["refused.extraction.without_cue.rate"] == "needs >= 20 spans"
    rows = {row["attack"]: row for row in json.loads(as_json(board))["rows"] if row["spec"] == "mine"}
    assert rows["loss"]["refused"] == NEEDS | few
    assert rows["extraction"]["refused"]["extraction.by_label.city.rate"] == "needs >= 20 spans"


def test_no_name_breaks_a_table():
    text = as_markdown(leaderboard([*floors(), cell("mine", 3.0, spec="mine:a=x|y")]))
    bars = [line.replace("\\|", "").count("|") for line in text.splitlines() if "mine:a" in line]
    assert bars[0] == next(line.count("|") for line in text.splitlines() if line.startswith("| base"))


def test_csv_reads_back_one_line_a_row():
    board = full_board()
    lines = list(csv.DictReader(io.StringIO(as_csv(board))))
    assert [line["spec"] for line in lines] == [row.spec for row in board.rows]
    for line, row in zip(lines, board.rows, strict=True):
        assert None not in line
        assert float(line["utility.nll"]) == row.utility.nll
        assert line["auc"] == ("" if row.auc is None else str(row.auc))
        assert float(line["leakage.evaluation"]) == row.leakage.evaluation
    (private,) = [line for line in lines if (line["defense"], line["attack"]) == ("dp-sgd", "extraction")]
    named = [private[name] for name in ("params", "privacy.epsilon", "extraction.not_in_prefix.rate")]
    assert named == ["epsilon=4.0", "7.9", "0.25"]


@pytest.mark.parametrize("render", [as_markdown, as_terminal])
def test_a_shift_stands_on_top_of_the_table(render):
    cells = [*floors(), undefended_by_loss(), cell("mine", 3.0, membership(0.9))]
    sound = render(leaderboard(cells))
    assert "distribution-shift" not in sound
    blind = cell("mine", 3.0, blind=SHIFTED).blind
    text = render(leaderboard([one.model_copy(update={"blind": blind}) for one in cells]))
    section = text[text.index("notes · tiny") :]
    warning = "distribution-shift: text alone tells members from non-members (blind AUC 0.90 (0.80-0.97))"
    assert section.index(warning) < section.index("30 members") < section.index("defense")
    assert "No membership figure here means anything" in section


def test_the_blind_control_and_the_protocol_stand_above_every_table():
    text = as_markdown(full_board())
    assert "30 members and 20 non-members · blind control AUC 0.50 (0.40-0.60) · protocol half · " in text


def defenses(level: str) -> dict[str, dict[str, str]]:
    """Of each defense, the cells of the table of defenses by their headers."""
    leaks = {"open": {"loss": 0.1, "tra": 0.9}, "closed": {"loss": 0.3, "tra": 0.3}}
    cells = [
        cell(spec, 2.5, membership(0.5, leakage=leakage(leak)), attack=attack)
        for spec, by_attack in leaks.items()
        for attack, leak in by_attack.items()
    ]
    board = leaderboard([*floors(), undefended_by_loss(), *cells], level)
    headers, body = defense_table(board.rows, board.level)
    return {line[0].split()[0]: dict(zip(headers, line, strict=True)) for line in body}


def test_every_level_has_its_leak_with_its_interval_and_the_best_is_marked_where_the_frontier_is():
    # No attack here is of the level `population`: what it knows at most is the column of `target`.
    table = defenses("population")
    assert [name for name in table["open"] if name.startswith("leak")] == ["leak: target", "leak: complement"]
    assert table["open"]["leak: target"].startswith("10 % (0-20) ≈")
    assert table["open"]["leak: complement"] == "90 % (80-100)"
    table = defenses("complement")
    assert "≈" not in table["open"]["leak: target"]
    assert table["closed"]["leak: complement"].startswith("30 % (20-40) ≈")


def test_the_strongest_attack_of_every_level_is_named():
    headers, body = strongest_table(full_board().rows)
    assert headers == ["defense", "target", "complement"]
    assert ["mine", "loss on records", "loss on records"] in body


@pytest.mark.parametrize("level", ["base", "complement"])
@pytest.mark.parametrize("render", [as_markdown, as_terminal])
def test_the_legend_names_the_level_of_the_frontier(render, level):
    text = render(leaderboard(floors(), level)).replace("`", "")
    assert f"(to the level {level})" in text
    assert "{" not in text


def test_a_defense_below_the_reference_is_marked_and_explained():
    text = as_markdown(leaderboard([*floors(), cell("mine", 5.0)]))
    assert re.search(r"^\| mine ▼", text, re.MULTILINE)
    assert "- `below-reference` (mine): " in text
