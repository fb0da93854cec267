import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.models.finding import EMBEDDED

# What has to be in place for some of the mistakes; `{}` in an argument is the folder that it lies in.
PLUGIN = """
from bench import MembershipAttack

class Curious(MembershipAttack):
    name = "{name}"
    @property
    def knowledge(self):
        return "{knowledge}"
    @property
    def sources(self):
        return ("target", "{source}")
    def scores(self, passages):
        return [0.0 for passage in passages]
"""

OWN_CARD = """
name: {name}
title: Letters
family: clinical
language: en
licence: internal
citation: none
obtain: ask for it
source: {{reader: jsonl, files: [letters.jsonl], group_from_id: '{group}'}}
labels: {{}}
"""

PLACED = {
    "empty/": "",
    "essays/train.json": "[",
    "list.yaml": "- a\n",
    "broken.yaml": "a: [",
    "unknown.yaml": "dataset: synthetic-essays\nepoch: 3\n",
    "value.yaml": "epochs: many\n",
    "card.yaml": "name: mine\n",
    "plugin.py": "x = 1\n",
    "raises.py": "raise KeyError('x')\n",
    "knows.py": PLUGIN.format(name="knows", knowledge="everything", source="base"),
    "reads.py": PLUGIN.format(name="reads", knowledge="base", source="holdout"),
    "broken-config/config.json": "{",
    "broken-config/tokenizer.json": "{}",
    "broken-config/model.safetensors": "",
    "path.yaml": OWN_CARD.format(name="../path", group="(x)"),
    "ungrouped.yaml": OWN_CARD.format(name="ungrouped", group="^x([0-9])"),
    "letters.jsonl": '{"text": "one", "spans": []}\n',
    "broken/cells/x.json": "{",
    "foreign/cells/x.json": "{}",
    "older/cells/x.json": '{"schema": "trap-bench-cell/1"}',
}

MISTAKES = {
    "run --defense trapp": "unknown defense 'trapp', did you mean 'trap'?",
    "run --attack los": "unknown attack 'los', did you mean 'loss'?",
    "run --dataset synthetic-essay": "unknown dataset 'synthetic-essay', did you mean 'synthetic-essays'?",
    "run --model tny": "unknown model 'tny', did you mean 'tiny'?",
    "run --model ./absent": "./absent: there is no such folder",
    "run --model {}/no-tokenizer": "no tokenizer",
    "run --model {}/empty": "no configuration",
    "run --defense trap:strenght=2": "no parameter 'strenght', did you mean 'strength'?",
    "run --defense trap:strength=-1": "strength=-1 is not allowed",
    "run --defense trap:strength=much": "strength=much is not allowed",
    "run --defense trap:strength": "not of the form parameter=value",
    "status --defense dp-sgd:delta=2": "delta=2",
    "run --attack tra:against=holdout": "against=holdout is not allowed",
    "run --attack reference:against={}/absent": "absent: there is no such folder",
    "run --plugin {}/knows.py --attack knows": "knowledge 'everything' is not one of target, base",
    "run --plugin {}/reads.py --attack reads": "source 'holdout' is not one of target, base",
    "run --model {}/broken-config": "config.json cannot be read",
    "run --dataset {}/path.yaml": "path.yaml: name: ",
    "run --dataset {}/ungrouped.yaml --data-dir {}": "matches no record's id",
    "run --out {}/plugin.py/run": "plugin.py is a file",
    "run --defense dp-sgd:epsilon=0.001": "epsilon=0.001 is not allowed",
    "run --defense dp-sgd:epsilon=8,noise_multiplier=1": "give epsilon or noise_multiplier, not both",
    "run --defense dp-sgd:unit=group,clipping=ghost": "with unit=group give clipping=per-record",
    "leaderboard {}/broken -o {}/absent/x.md": "there is no folder",
    "run --limit 0": "limit=0 is not allowed",
    "run --limit many": "'--limit'",
    "run --epochs 0": "epochs=0 is not allowed",
    "run --batch-size 0": "batch_size=0 is not allowed",
    "run --max-length 2": "max_length=2 is not allowed",
    "run --learning-rate nan": "learning_rate=nan is not allowed",
    "run --learning-rate 0": "learning_rate=0.0 is not allowed",
    "run --tuning qlora": "tuning='qlora' is not allowed",
    "run --split-seed -1": "split_seed=-1 is not allowed",
    "status --seed -1": "-1 is not allowed",
    "run --epoch 3": "--epoch",
    "run --dataset clinical": "needs --data-dir",
    "run --dataset clinical --data-dir {}/absent": "absent is not a folder",
    "run --dataset clinical --data-dir {}/empty": "empty",
    "run --dataset essays --data-dir {}/empty": "holds no train.json or train.jsonl",
    "run --dataset essays --data-dir {}/essays": "train.json",
    "run --dataset {}/card.yaml": "card.yaml: title: ",
    "run --dataset {}/absent.yaml": "absent.yaml cannot be read",
    "run --limit 3": "too few",
    "run --share holdout=0.3": "must sum to 1, not 1.125",
    "run --share holdot=0.175": "holdot",
    "run --share holdout=half": "holdout='half' is not allowed",
    "run --share holdout": "such as holdout=0.3",
    "run --config {}/absent.yaml": "absent.yaml cannot be read",
    "run --config {}/broken.yaml": "broken.yaml cannot be read",
    "run --config {}/list.yaml": "list.yaml must map setting names to values",
    "run --config {}/unknown.yaml": "unknown setting 'epoch', did you mean 'epochs'?",
    "run --config {}/value.yaml": "epochs='many' is not allowed",
    "run --plugin {}/absent.py": "absent.py: there is no such file",
    "run --plugin {}/plugin.py": "defines no subclass of bench.Defense or bench.Attack",
    "run --plugin {}/raises.py": "raises.py fails to load: KeyError",
    "status --defense trapp": "did you mean 'trap'?",
    "plan --defense trapp": "did you mean 'trap'?",
    "plan --device H1000": "--device H1000: unknown, did you mean 'H100'? (known: cpu-core, M2,",
    "plan --flops 0": "--flops 0: it must be above 0",
    "plan --flops fast": "'--flops'",
    "plan --utilization 35": "--utilization 35: it is a share, above 0 and at most 1",
    "plan --devices 0": "'--devices'",
    "plan --model {}/no-tokenizer": "no tokenizer",
    "plan --model {}/empty": "no configuration",
    "leaderboard {}/absent": "absent is no folder of results",
    "leaderboard {}/empty": "empty holds no results",
    "leaderboard {}/broken": "x.json cannot be read",
    "leaderboard {}/foreign": "x.json is not a trap-bench cell",
    "leaderboard {}/empty --format html": "--format html: known are md, json, csv",
    "leaderboard {}/empty --frontier insider": "--frontier insider: known are target, base, population",
    "leaderboard {}/older": "x.json: schema: ",
    "run --protocol quarter": "protocol='quarter' is not allowed",
    "cache ls {}/absent": "absent is no folder of results",
    "cache gc {}/empty": "empty is no folder of results",
    "cache rm {}/empty --all": "empty is no folder of results",
    "cache rm {}/foreign": "say what to remove: --models, --signals or --all",
    "cache gc {}/foreign": "x.json is not a trap-bench cell",
    "leaderboard {}/empty --publish --to {}/public": "empty holds no results",
    "ls defence": "nothing is called 'defence', did you mean 'defenses'?",
    "runn": "runn",
}

# One interpreter for all mistakes, since only a fresh one can tell what was imported for them.
EACH = """
import contextlib, io, json, sys
from bench import registry
from bench.cli import main
ended = {}
for line in json.loads(sys.argv[1]):
    sys.argv = ["bench", *line.replace("{}", ".").split()]
    before = "torch" in sys.modules
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as error:
            code = error.code
        except BaseException as error:
            code = repr(error)
    registry.defenses().forget()
    registry.attacks().forget()
    ended[line] = [code, out.getvalue(), err.getvalue(), "torch" in sys.modules and not before]
print(json.dumps(ended))
"""


def run_python(code: str, *arguments: str, folder: Path) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """By each mistake: the exit code, stdout, stderr, and whether torch was imported for it."""
    folder = tmp_path_factory.mktemp("mistakes")
    for name, text in PLACED.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith("/") else path.write_text(text, encoding="utf-8")
    shutil.copytree(EMBEDDED["tiny"], folder / "no-tokenizer", ignore=shutil.ignore_patterns("tokenizer*"))
    results = json.loads(run_python(EACH, json.dumps(list(MISTAKES)), folder=folder))
    return results | {"left behind": [str(path) for path in folder.glob("runs")]}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_before_torch_is_loaded(ended, mistake):
    code, out, err, torch_loaded = ended[mistake]
    assert code == 2, err
    assert out == ""
    assert err.startswith("bench: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert MISTAKES[mistake].replace("{}", ".") in err
    assert not torch_loaded


def test_a_mistake_leaves_no_folder_behind(ended):
    assert ended["left behind"] == []


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("defenses", {"none", "dropout", "weight-decay", "early-stopping", "dp-sgd", "trap"}),
        ("attacks", {"loss", "zlib", "reference", "tra", "extraction"}),
        ("datasets", {"synthetic-essays", "synthetic-clinical", "essays", "clinical", "ellipse"}),
        ("models", {"tiny"}),
    ],
)
def test_ls_names_every_one_of_a_kind_with_a_line_about_it(typed, kind, names):
    code, shown, said = typed("ls", kind)
    listed = dict(line.split(maxsplit=1) for line in shown.splitlines())
    assert (code, said) == (0, "")
    assert names <= set(listed)
    assert all(len(about) > 10 for about in listed.values())
    assert shown in typed("ls")[1]


def test_ls_of_one_plugin_lists_its_parameters_and_defaults(typed):
    code, shown, said = typed("ls", "trap")
    assert (code, said) == (0, "")
    assert "strength=2.0" in shown
    assert "cross_fit=False" in shown
    assert "against=complement" in typed("ls", "tra")[1]


def test_ls_and_help_load_no_torch(tmp_path):
    lines = ["ls", "--help", "run --help", "plan --help", "status --help", "leaderboard --help"]
    ended = json.loads(run_python(EACH, json.dumps(lines), folder=tmp_path))
    for line, (code, _, _, torch_loaded) in ended.items():
        assert code == 0, line
        assert not torch_loaded, line


def test_help_names_the_commands_and_the_options_with_their_defaults(typed, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, shown, _ = typed("--help")
    assert code == 0
    assert all(command in shown for command in ("run", "ls", "plan", "status", "leaderboard"))
    for command in ("run", "plan", "status"):
        shown = typed(command, "--help")[1]
        options = "dataset data-dir model tuning defense attack plugin seed split-seed protocol out limit "
        options += "max-length epochs batch-size learning-rate share strict config"
        for option in options.split():
            assert f"--{option} " in shown
        assert "default 10" in shown


def test_without_a_command_the_help_is_shown_and_nothing_else(typed):
    _, shown, said = typed()
    assert "Usage: " in shown + said
    assert not any(line.startswith("bench:") for line in (shown + said).splitlines())


def test_status_tells_done_from_to_do_and_changes_nothing(typed, tmp_path):
    from bench.experiment import settings_from
    from bench.plan import make_plan
    from bench.store import Store

    out = tmp_path / "run"
    options = ["--dataset", "synthetic-essays", "--limit", "40", "--attack", "loss", "--defense", "none"]
    code, shown, said = typed("status", *options, "--out", str(out))
    assert (code, said) == (0, "")
    assert shown.splitlines()[-1].startswith(
        "0 of 3 cells done; a run would do 2 trainings, 4 scorings, 3 cells"
    )
    assert not out.exists()
    given = {"dataset": "synthetic-essays", "limit": 40, "attack": "loss", "defense": "none"}
    first = make_plan(settings_from(given)).cells[0]
    Store(out).save_cell(first.name, {"schema": "trap-bench-cell/3", "key": first.key})
    *cells, total = typed("status", *options, "--out", str(out))[1].splitlines()
    assert [line.split()[0] for line in cells] == ["done", "to", "to"]
    assert "base" in cells[0]
    assert total.startswith("1 of 3 cells done")
