import json
from pathlib import Path

import jsonschema
import pytest
from boards import floors, full_board

from bench.rendering import as_json
from bench.results import CellFile, Leaderboard
from bench.studies.file import StudyFile

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize(
    ("model", "name"), [(Leaderboard, "leaderboard"), (CellFile, "cell"), (StudyFile, "study")]
)
def test_the_published_schema_is_that_of_the_code(model, name):
    path = DOCS / f"{name}.schema.json"
    expected = json.dumps(model.model_json_schema(by_alias=True), indent=2, sort_keys=True) + "\n"
    assert path.read_text(encoding="utf-8") == expected, (
        f"docs/{path.name} is out of date; write json.dumps({model.__name__}"
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
    "": "dataset model tuning protocol setting defense params spec seeds attack attack_params attack_spec "
    "knowledge unit n_members n_nonmembers n_excluded auc auc_ci tpr_at_fpr epsilon_lower_bound leakage "
    "extraction refused utility memorization privacy cost blind frontier flags",
    "leakage": "value calibration evaluation evaluation_ci",
    "extraction": "rate rate_ci base_rate reference_rate above_reference above_reference_ci n_spans "
    "not_in_prefix first_mention base_fails without_cue by_label sampled",
    "utility": "nll perplexity bits_per_byte accuracy gain_kept",
    "memorization": "tra_pii tra_pii_ci tra_other remaining_pii remaining_other share_above_1_nat "
    "n_pii_tokens by_label pii_by_rarity other_by_rarity",
    "privacy": "epsilon delta noise_multiplier max_grad_norm sample_rate expected_batch_size steps "
    "accountant unit clipping notes",
    "cost": "train_seconds peak_memory_mb trainings",
    "blind": "auc auc_ci n_members n_nonmembers shifted",
}


def test_a_row_of_the_leaderboard_file_has_what_the_contract_names():
    file = json.loads(as_json(full_board()))
    assert (file["schema"], file["level"]) == ("trap-bench/3", "population")
    for part, names in CONTRACT.items():
        there = [row[part] if part else row for row in file["rows"] if not part or row[part]]
        assert there, part
        assert all(set(names.split()) == set(one) for one in there), part


def test_a_cell_file_holds_its_evidence_and_the_version_of_the_code():
    names = set(floors()[0].model_dump(mode="json", by_alias=True))
    assert {"audited", "evidence", "memorization_evidence", "code", "blind", "key", "setting"} <= names
