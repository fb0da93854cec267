import json
import shlex
from pathlib import Path

import pytest
import yaml
from archives import FILES, WANTED, held, packed

from bench.records.cards import card_folder, load_card

CORPORA = Path(__file__).parents[2].parent / "shared" / "data"
needs_corpora = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing"
)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_it_says_where_the_files_are_whose_they_are_and_how_to_go_on(typed, server, card_for):
    code, shown, said = typed("data", "get", card_for(server.url))
    assert (code, said) == (0, "")
    first, licence, citation, further = shown.splitlines()
    assert first == "data/letters: Letters of ours"
    assert (licence, citation) == ("licence: CC0", "to cite: none")
    assert further == f"go on with: bench data check {card_for(server.url)} --data-dir data/letters"
    assert held(Path("data/letters")) == WANTED


def test_a_second_time_it_says_that_nothing_was_downloaded(typed, server, card_for):
    typed("data", "get", card_for(server.url))
    code, shown, said = typed("data", "get", card_for(server.url))
    assert (code, said) == (0, "")
    assert "nothing was downloaded" in shown
    assert len(server.asked) == 1


def test_the_line_to_go_on_with_can_be_typed_as_it_stands(typed, server, card_for):
    shown = typed("data", "get", card_for(server.url), "--data-dir", "my data/$new")[1]
    line = shlex.split(shown.splitlines()[-1].partition("bench ")[2])
    assert line == ["data", "check", card_for(server.url), "--data-dir", "my data/$new"]
    assert held(Path("my data/$new")) == WANTED


def test_what_is_tried_again_is_told_as_it_happens(typed, server, card_for):
    server.drops = [1000]
    code, _, said = typed("data", "get", card_for(server.url))
    assert code == 0
    assert said.count("\n") == 1
    assert "trying again in 0 s" in said


@pytest.mark.parametrize(
    ("how", "code", "reason"),
    [
        ({"statuses": [404]}, 1, "answers 404"),
        ({"location": "http://example.org/letters.tar.gz"}, 1, "not https"),
        ({"content": packed()[:5000]}, 1, "broken"),
        ({"content": packed(FILES | {"corpus/dev/brat/c.txt": b"x"})}, 1, "found; nothing of it was kept"),
    ],
)
def test_what_goes_wrong_is_told_in_one_line(typed, server, card_for, how, code, reason):
    for name, value in how.items():
        setattr(server, name, value)
    ended, shown, said = typed("data", "get", card_for(server.url))
    assert (ended, shown) == (code, "")
    assert said.startswith("bench: ")
    assert said.count("\n") == 1
    assert reason in said
    assert [path.name for path in Path().iterdir()] == ["letters.yaml"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["clinicl"], "did you mean 'clinical'?"),
        (["synthetic-essays"], "synthetic-essays cannot be fetched. How to obtain it: "),
        (["absent.yaml"], "absent.yaml cannot be read"),
        (["clinical", "--data-dir", "full"], "full holds something else"),
        ([], "Missing argument 'name'"),
    ],
)
def test_bad_input_is_told_in_one_line(typed, arguments, reason):
    Path("full").mkdir()
    Path("full/mine.txt").touch()
    code, shown, said = typed("data", "get", *arguments)
    assert (code, shown) == (2, "")
    assert said.startswith("bench: ")
    assert said.count("\n") == 1
    assert reason in said
    assert not Path("data").exists()


@needs_corpora
def test_meddocan_is_fetched_as_github_serves_it_and_can_be_checked(typed, server, tmp_path):
    stated = yaml.safe_load((card_folder() / "clinical.yaml").read_text(encoding="utf-8"))
    fetch = load_card("clinical").source.fetch
    files = {"README.md": b"About.", "corpus/test/brat/x.txt": b"not pinned"}
    for source, place in fetch.parts.items():
        for path in sorted((CORPORA / "meddocan" / place).iterdir()):
            files[f"{source}/{path.name}"] = path.read_bytes()
    commit = fetch.url.rpartition("/")[2].removesuffix(".tar.gz")
    server.content = packed(files, top=f"SPACCC_MEDDOCAN-{commit}")
    stated["source"]["fetch"]["url"] = server.url
    card = tmp_path / "clinical.yaml"
    card.write_text(yaml.safe_dump(stated), encoding="utf-8")

    code, shown, said = typed("data", "get", str(card))
    assert (code, said) == (0, "")
    assert "licence: CC BY 4.0" in shown
    folder = Path("data/clinical")
    assert len(held(folder)) == 1500
    # Files that are there are known for what the built-in card pins, wherever they came from.
    assert "nothing was downloaded" in typed("data", "get", "clinical")[1]
    arguments = ["data", "check", "clinical", "--data-dir", str(folder), "--limit", "150", "--strict"]
    code, shown, said = typed(*arguments, "--format", "json")
    assert (code, said) == (0, "")
    assert json.loads(shown)["total"]["records"] == 150
