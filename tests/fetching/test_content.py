import os
import shutil
import subprocess
from pathlib import Path

import pytest
from archives import sha256_by_hand

from bench.fetching.content import content_sha256
from bench.records.cards import load_card

CORPORA = Path(__file__).parents[2].parent / "shared" / "data"
FILES = {
    "b.txt": b"two",
    "a/c.txt": b"three",
    "a.txt": b"one",
    "é.txt": b"",
    "a-b.txt": b"\0",
    "a b.txt": b"\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(content)
    return tmp_path / "data"


def test_it_is_the_hash_of_names_and_bytes(folder):
    assert content_sha256(folder) == sha256_by_hand(FILES)
    (folder / "empty").mkdir()
    assert content_sha256(folder) == sha256_by_hand(FILES)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_it_is_what_the_line_in_its_docstring_prints(folder):
    (line,) = [part for part in content_sha256.__doc__.split("`") if part.startswith("find")]
    shown = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=True).stdout
    assert shown.split()[0] == content_sha256(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.txt").write_bytes(b"One"),
        lambda folder: (folder / "a.txt").rename(folder / "A.txt"),
        lambda folder: (folder / "a.txt").unlink(),
        lambda folder: (folder / ".hidden").touch(),
        lambda folder: (folder / "a/c.txt").rename(folder / "c.txt"),
        lambda folder: os.mkfifo(folder / "pipe"),
    ],
)
def test_any_change_changes_it(folder, change):
    change(folder)
    assert content_sha256(folder) != sha256_by_hand(FILES)


def test_a_link_does_not_pass_for_the_file_it_leads_to(folder, tmp_path):
    (folder / "a.txt").rename(tmp_path / "a.txt")
    (folder / "a.txt").symlink_to(tmp_path / "a.txt")
    assert content_sha256(folder) != sha256_by_hand(FILES)


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the real corpora (../shared/data) are missing")
def test_the_card_of_meddocan_pins_what_its_authors_published(tmp_path):
    fetch = load_card("clinical").source.fetch
    for part in fetch.parts.values():
        shutil.copytree(CORPORA / "meddocan" / part, tmp_path / part)
    assert content_sha256(tmp_path) == fetch.sha256
