import csv
import io
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from bench.errors import InputError
from bench.leaderboard import checked_cell, leaderboard
from bench.rendering import as_csv, as_json, as_markdown, as_terminal
from bench.results import CellFile, Leaderboard, Row

DOCS = Path(__file__).parents[1] / "docs"
TPR_REFUSED = {"0.001": None, "0.01": None}  # in the order in which a cell file holds them

CELL = """
{schema: trap-bench-cell/1, key: k, dataset: notes, model: tiny, tuning: full, seed: 0, params: {},
 setting: {protocol: half, records: {target: 30, holdout: 20}, data: d, weights: w, max_length: 64, epochs: 2,
           batch_size: 8, learning_rate: 0.001, device: cpu, dtype: float32, attention: sdpa},
 trained_on: [target], attack_params: {}, memorization: null, privacy: null, training: null,
 utility: {perplexity: 2.0, bits_per_byte: 1.5, accuracy: 0.25, best_nll: null},
 cost: {train_seconds: 1.0, peak_memory_mb: 10.0, trainings: 1},
 counts: {members: 30, nonmembers: 20, member_units: 30, nonmember_units: 20, spans: 50,
          spans_lost_by_truncation: 0}}
"""
PRIVACY = yaml.safe_load("""
{epsilon: 7.9, delta: 0.0001, noise_multiplier: 0.7, max_grad_norm: 1.0, sample_rate: 0.25, steps: 8,
 expected_batch_size: 7.5, accountant: prv, unit: record, clipping: per-record, notes: [not covered]}
""")


def cell(defense: str, nll: float, *results, attack="loss", best_nll=None, **changed) -> CellFile:
    """Under a membership attack at chance, unless results are given."""
    knowledge = "complement" if attack == "tra" else "target"
    stated = yaml.safe_load(CELL) | {"defense": defense, "spec": defense, "undefended": defense == "none"}
    stated |= {"attack": attack, "attack_spec": attack, "knowledge": knowledge}
    stated["results"] = results or [membership(0.5)]
    stated["utility"] |= {"nll": nll, "best_nll": best_nll}
    for name, value in changed.items():
        stated[name] = stated[name] | value if isinstance(stated[name], dict) else value
    return CellFile.model_validate(stated)


def membership(auc: float | None, unit: str = "record", **changed) -> dict:
    ends = None if auc is None else [auc - 0.1, min(1.0, auc + 0.1)]
    result = {"unit": unit, "n_members": 30, "n_nonmembers": 20, "n_excluded": 0, "auc": auc, "auc_ci": ends}
    return result | {"tpr_at_fpr": TPR_REFUSED, "epsilon_lower_bound": None, "extraction": None} | changed


def rates(rate: float | None, base: float = 0.0, reference: float = 0.0, n: int = 10) -> dict:
    return {"n_spans": n, "rate": rate, "base_rate": base, "reference_rate": reference}


def extraction(rate: float, fresh: float, fresh_reference: float) -> dict:
    got = rates(rate) | {"rate_ci": [0.0, 0.5], "rate_not_in_prefix": fresh, "base_fails": rates(None, n=0)}
    got |= {"not_in_prefix": rates(fresh, 0.05, fresh_reference), "by_label": {"person": rates(rate)}}
    return membership(None, "span", n_nonmembers=0, extraction=got)


def memory(tra_pii: float, tra_other: float = 0.2) -> dict:
    means = {"tra_pii": tra_pii, "tra_pii_ci": [tra_pii - 0.1, tra_pii + 0.1], "tra_other": tra_other}
    by_label = {"person": {"tra": tra_pii, "n_tokens": 100}}
    return means | {"share_above_1_nat": 0.25, "n_pii_tokens": 100, "by_label": by_label}


def floors() -> list[CellFile]:
    """Base at 6 nats, the reference at 4, the undefended run at 3 with its minimum at 2."""
    none = cell("none", 3.0, membership(1.0), best_nll=2.0, memorization=memory(2.0, 0.5), attack="tra")
    return [cell("base", 6.0), cell("reference", 4.0), none]


def undefended_by_loss() -> CellFile:
    return cell("none", 3.0, membership(1.0), best_nll=2.0)


def rows(*cells: CellFile) -> dict[str, Row]:
    return {row.spec: row for row in leaderboard(cells).rows}


def test_gain_kept_is_measured_from_the_base_to_the_best_of_the_undefended_run():
    gains = {spec: row.utility.gain_kept for spec, row in rows(*floors(), cell("mine", 3.5)).items()}
    assert gains == {"base": 0.0, "reference": 0.5, "none": 0.75, "mine": 0.625}


def test_gain_kept_is_refused_where_there_is_no_gain_or_no_yardstick():
    assert rows(cell("base", 2.0), cell("none", 2.5, best_nll=2.0))["none"].utility.gain_kept is None
    assert rows(cell("base", 6.0), cell("mine", 3.0))["mine"].utility.gain_kept is None
    assert rows(cell("none", 3.0), cell("mine", 3.0))["mine"].utility.gain_kept is None


def test_remaining_memorization_is_the_share_of_the_undefended_runs():
    mine = cell("mine", 3.5, attack="tra", memorization=memory(-0.5, 0.1))
    kept = {(row.spec, row.attack): row for row in leaderboard([*floors(), mine, cell("mine", 3.5)]).rows}
    assert kept["none", "tra"].memorization.remaining_pii == 1.0
    for attack in ("tra", "loss"):
        assert kept["mine", attack].memorization.remaining_pii == -0.25
        assert kept["mine", attack].memorization.remaining_other == pytest.approx(0.2)
    forgetful = cell("none", 3.0, attack="tra", memorization=memory(-1.0))
    assert rows(cell("base", 6.0), forgetful, mine)["mine"].memorization.remaining_pii is None


def test_leakage_is_membership_above_chance_and_extraction_above_the_reference():
    results = {"a": membership(0.75), "b": membership(0.3), "c": membership(None)}
    results |= {
        "d": extraction(0.9, 0.5, fresh_reference=0.125),
        "e": extraction(0.9, 0.1, fresh_reference=0.3),
    }
    leakage = {
        spec: row.leakage for spec, row in rows(*[cell(s, 3.0, r) for s, r in results.items()]).items()
    }
    assert leakage == {"a": 0.5, "b": 0.0, "c": None, "d": 0.375, "e": 0.0}


def test_the_frontier_holds_who_is_not_beaten_and_ties_stay_on_it():
    points = {"best": (2.5, 0.75), "same": (2.5, 0.75), "keeps-less": (3.0, 0.75), "leaks-more": (2.5, 0.8)}
    points |= {"tight": (5.0, 0.55), "unmeasured": (2.0, None), "worse-elsewhere": (2.4, 0.6)}
    cells = [cell(spec, nll, membership(auc)) for spec, (nll, auc) in points.items()]
    by_tra = {"unmeasured": None}
    cells += [
        cell(spec, nll, membership(by_tra.get(spec, 0.5)), attack="tra") for spec, (nll, _) in points.items()
    ]
    cells[-1] = cell("worse-elsewhere", 2.4, membership(0.8), attack="tra")
    frontier = {spec for spec, row in rows(*floors(), undefended_by_loss(), *cells).items() if row.frontier}
    assert frontier == {"best", "same", "tight", "worse-elsewhere"}


def test_only_attacks_that_every_defense_was_put_to_decide_about_the_frontier():
    hard = [cell("hard", 2.5, membership(0.6)), cell("hard", 2.5, membership(0.9), attack="tra")]
    easy = cell("easy", 2.4, membership(0.7))
    found = rows(*floors(), undefended_by_loss(), *hard, easy)
    assert {spec for spec, row in found.items() if row.frontier} == {"hard", "easy"}
    assert not any(row.frontier for row in rows(*floors(), *hard, easy).values())


def test_floors_come_first_then_the_frontier_then_who_keeps_more():
    a, b, c = cell("a", 5.0), cell("b", 3.5, membership(1.0)), cell("c", 4.5)
    assert list(rows(a, b, c, *floors(), undefended_by_loss())) == [
        "base",
        "reference",
        "none",
        "c",
        "b",
        "a",
    ]
    assert leaderboard([a, b, c, *floors()]) == leaderboard([*floors(), c, b, a])


def flags(*cells: CellFile) -> dict[str, set[str]]:
    return {spec: set(row.flags) for spec, row in rows(*cells).items()}


def test_who_falls_short_of_the_reference_is_flagged_but_not_for_a_hair():
    found = flags(*floors(), cell("at", 4.0), cell("hair", 4.019), cell("below", 4.021))
    assert {spec for spec, named in found.items() if "below-reference" in named} == {"below"}


def test_a_row_says_what_is_missing_or_special_about_it():
    whole = cell("whole", 3.0, trained_on=["target", "complement"], memorization=memory(0.1), attack="tra")
    private = cell("dp", 3.0, privacy=PRIVACY)
    grouped = cell("dp-grouped", 3.0, privacy=PRIVACY, counts={"member_units": 12})
    found = flags(*floors(), whole, private, grouped)
    assert (found["none"], found["whole"]) == (set(), {"trained-on-both-halves"})
    assert found["dp"] == {"no-auditor-reference"}
    assert found["dp-grouped"] == {"no-auditor-reference", "record-level"}
    alone = flags(cell("base", 6.0), cell("mine", 3.0))
    assert alone["mine"] == {"no-undefended-run", "no-auditor-reference"}


def test_seeds_are_averaged_and_their_intervals_joined():
    cells = [cell("base", 6.0, seed=0), cell("none", 2.0, best_nll=2.0, seed=0)]
    cells += [cell("base", 7.0, seed=1), cell("none", 3.0, best_nll=3.0, seed=1)]
    cells += [cell("mine", 4.0, membership(auc), seed=seed) for seed, auc in ((0, 0.5), (1, 0.875))]
    mine = rows(*cells)["mine"]
    assert (mine.seeds, mine.auc) == ((0, 1), 0.6875)
    assert mine.auc_ci == (0.4, pytest.approx(0.975))
    # Each seed against its own yardsticks: leakage 0 and 0.75, gain 2/4 and 3/4.
    assert (mine.leakage, mine.utility.gain_kept) == (0.375, 0.625)
    assert mine.tpr_at_fpr == TPR_REFUSED
    refused = [cell("mine", 4.0, membership(auc), seed=seed) for seed, auc in ((0, 0.5), (1, None))]
    assert rows(*refused)["mine"].auc is None


def test_seeds_are_joined_by_what_was_attacked_and_a_copied_cell_is_refused():
    both = cell("mine", 4.0, membership(0.5), membership(0.8, "span"), seed=0)
    swapped = cell("mine", 4.0, membership(0.7, "span"), membership(0.6), seed=1)
    joined = {row.unit: row.auc for row in leaderboard([both, swapped]).rows}
    assert joined == pytest.approx({"record": 0.55, "span": 0.75})
    lacking = cell("mine", 4.0, membership(0.6), seed=1)
    assert {row.unit: row.seeds for row in leaderboard([both, lacking]).rows}["record"] == (0, 1)
    with pytest.raises(InputError, match="two cell files"):
        leaderboard([*floors(), *floors()])


def test_different_settings_never_share_a_table_or_a_yardstick():
    for changed in ({"dataset": "x"}, {"model": "x"}, {"tuning": "lora"}, {"setting": {"epochs": 3}}):
        board = leaderboard([*floors(), cell("mine", 3.0, **changed)])
        assert [row.utility.gain_kept for row in board.rows if row.spec == "mine"] == [None]
        tables = as_markdown(board).split("\n## ")[1:]
        assert len(tables) == 2
        assert not any("| mine" in table and "| none" in table for table in tables)


def test_an_invalid_cell_is_refused_with_its_file_and_field():
    stated = cell("none", 3.0).model_dump(mode="json", by_alias=True)
    for broken, field in (
        (stated | {"seed": "x"}, "seed"),
        (stated | {"utility": stated["utility"] | {"nll": float("nan")}}, r"utility\.nll"),
        (stated | {"results": [membership(0.5) | {"auc": 1.5}]}, r"results\.0\.auc"),
        (stated | {"added": 1}, "added"),
        ({name: value for name, value in stated.items() if name != "cost"}, "cost"),
    ):
        with pytest.raises(InputError, match=rf"cell cells/one\.json: {field}: ") as error:
            checked_cell(broken, "cells/one.json")
        assert len(str(error.value).splitlines()) == 1
    assert checked_cell(json.loads(json.dumps(stated)), "x") == cell("none", 3.0)


def full_board() -> Leaderboard:
    cells = [*floors(), cell("mine", 3.0, membership(0.75), membership(0.6, "span"))]
    dp = {"privacy": PRIVACY, "spec": "dp-sgd:epsilon=4", "params": {"epsilon": 4.0}}
    cells += [undefended_by_loss(), cell("mine", 3.0, membership(0.75), attack="tra")]
    cells += [cell("dp-sgd", 4.5, membership(0.7), attack=attack, **dp) for attack in ("loss", "tra")]
    return leaderboard([*cells, cell("dp-sgd", 4.5, extraction(0.5, 0.25, 0.0), attack="extraction", **dp)])


def test_markdown_shows_every_table_and_no_python_value():
    text = as_markdown(full_board())
    for heading in (
        "AUC",
        "TPR at 1 % FPR",
        "TPR at 0.1 % FPR",
        "spans",
        "Extr",
        "Memorization",
        "budget",
        "Cost",
    ):
        assert re.search(rf"^### .*{re.escape(heading)}", text, re.MULTILINE), heading
    for column in ("gain kept", "leak: target", "leak: complement", "not in prefix", "remaining", "unit"):
        assert re.search(rf"^\|.* {column} +\|", text, re.MULTILINE), column
    assert not re.search(r"None|\bnan\b|\binf\b|\bTrue\b|\bFalse\b", text + as_terminal(full_board()))
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_a_tpr_stands_under_its_false_positive_rate_and_too_few_nonmembers_are_named():
    known = membership(0.8, n_nonmembers=500, tpr_at_fpr={"0.001": None, "0.01": 0.625})
    text = as_markdown(leaderboard([*floors(), cell("mine", 3.0, known)]))
    at_1, at_01 = (re.split(r"^### ", text, flags=re.MULTILINE)[part] for part in (2, 3))
    assert at_1.startswith("Attacks on records: TPR at 1 % FPR")
    assert re.search(r"^\| mine +\| +62.5 %", at_1, re.MULTILINE)
    assert re.search(r"^\| base +\| +n/a \(needs >= 100 non-members\)", at_1, re.MULTILINE)
    assert at_01.startswith("Attacks on records: TPR at 0.1 % FPR\n\nn/a (needs >= 1000 non-members)")


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
    (private,) = [line for line in lines if (line["defense"], line["attack"]) == ("dp-sgd", "extraction")]
    named = [private[name] for name in ("params", "privacy.epsilon", "extraction.rate")]
    assert named == ["epsilon=4.0", "7.9", "0.5"]


@pytest.mark.parametrize(("model", "name"), [(Leaderboard, "leaderboard"), (CellFile, "cell")])
def test_the_published_schema_is_that_of_the_code(model, name):
    path = DOCS / f"{name}.schema.json"
    expected = json.dumps(model.model_json_schema(by_alias=True), indent=2, sort_keys=True) + "\n"
    assert path.read_text(encoding="utf-8") == expected, (
        f"docs/{path.name} is out of date; write json.dumps(bench.results.{model.__name__}"
        ".model_json_schema(by_alias=True), indent=2, sort_keys=True) and a line end to it"
    )


def test_files_fit_their_schemas_and_read_back():
    board, (one, *_) = full_board(), floors()
    cell_text = json.dumps(one.model_dump(mode="json", by_alias=True))
    for name, text in (("leaderboard", as_json(board)), ("cell", cell_text)):
        schema = json.loads((DOCS / f"{name}.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(json.loads(text), schema)
    assert Leaderboard.model_validate_json(as_json(board)) == board
    assert CellFile.model_validate_json(cell_text) == one


CONTRACT = {
    "": "dataset model tuning defense params seeds attack knowledge unit n_members n_nonmembers auc auc_ci "
    "tpr_at_fpr extraction utility memorization privacy cost flags",
    "extraction": "rate rate_ci rate_not_in_prefix base_rate reference_rate n_spans",
    "utility": "nll perplexity bits_per_byte accuracy gain_kept",
    "memorization": "tra_pii tra_other remaining_pii remaining_other share_above_1_nat",
    "privacy": "epsilon delta noise_multiplier max_grad_norm sample_rate expected_batch_size steps "
    "accountant unit clipping notes",
    "cost": "train_seconds peak_memory_mb trainings",
}


def test_a_row_of_the_leaderboard_file_has_what_the_contract_names():
    file = json.loads(as_json(full_board()))
    assert file["schema"] == "trap-bench/1"
    for part, names in CONTRACT.items():
        there = [row[part] if part else row for row in file["rows"] if not part or row[part]]
        assert there, part
        assert all(set(names.split()) <= set(one) for one in there), part
