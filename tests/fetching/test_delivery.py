import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from archives import FILES, TOP, WANTED, entry, held, packed, sha256_by_hand
from filelock import FileLock

from bench.errors import InputError, RunError
from bench.fetching import delivery
from bench.fetching.delivery import deliver
from bench.records.cards import load_card

# Kills a process at the first, second, ... change that it makes to a folder's names or files, until one
# comes through; after each kill a call that nobody kills has to come through, too.
KILLED = """
import json, os, signal, sys
from pathlib import Path
from bench.fetching.delivery import deliver
from bench.fetching.download import Watch
from bench.records.cards import load_card

card, folder = load_card(sys.argv[1]), Path(sys.argv[2])
watch = Watch(lambda size, total: None, lambda line: None)
CHANGES = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree"}

def call(changes):
    child = os.fork()
    if child == 0:
        left = changes
        def count(event, arguments):
            nonlocal left
            if event in CHANGES and str(folder.parent) in str(arguments[0]):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        if changes:
            sys.addaudithook(count)
        try:
            deliver(card, folder, watch)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def held(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

seen = []
for changes in range(1, 1000):
    root = Path(sys.argv[2]) / str(changes)
    folder = root / "data" / "letters"
    root.mkdir()
    ended = call(changes)
    after_kill = held(folder)
    call(0)
    seen.append([ended, after_kill, held(folder), held(root)])
    if ended == 0:
        break
print(json.dumps(seen))
"""


@pytest.fixture
def target(tmp_path):
    return tmp_path / "data" / "letters"


@pytest.fixture
def fill(server, card_for, target, watch):
    """`fill()` delivers the letters that the server serves to `target`."""

    def run(**stated):
        return deliver(load_card(card_for(server.url, **stated)), target, watch)

    return run


def one_line(told):
    message = str(told.value)
    assert len(message.splitlines()) == 1
    assert "Zebediah" not in message
    return message


def test_a_folder_is_filled_with_what_is_pinned_private_and_nothing_stays_beside_it(fill, target):
    assert fill()
    assert held(target) == WANTED
    assert list(target.parent.iterdir()) == [target]
    for path in (target.parent, target, *target.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_what_is_there_already_is_not_asked_for(fill, server, target):
    assert fill()
    assert not fill()
    assert len(server.asked) == 1
    assert held(target) == WANTED


def test_an_empty_folder_is_filled(fill, target):
    target.mkdir(parents=True)
    assert fill()
    assert held(target) == WANTED


def test_a_folder_is_filled_where_a_link_leads(fill, target, tmp_path):
    elsewhere = tmp_path / "disk" / "letters"
    elsewhere.mkdir(parents=True)
    target.parent.mkdir()
    target.symlink_to(elsewhere)
    assert fill()
    assert target.is_symlink()
    assert held(elsewhere) == WANTED


@pytest.mark.parametrize("change", ["another", "a missing", "a changed", "a file in its place"])
def test_files_of_ones_own_are_never_touched(fill, server, target, change):
    if change == "a file in its place":
        target.parent.mkdir()
        target.write_bytes(b"mine")
    else:
        fill()
        {
            "another": lambda: (target / "notes.txt").write_bytes(b"mine"),
            "a missing": (target / "train/a.txt").unlink,
            "a changed": lambda: (target / "train/a.txt").write_bytes(b"mine"),
        }[change]()
    asked, before = len(server.asked), held(target.parent)
    with pytest.raises(InputError, match=r"holds something else .* is left as it is; give another") as told:
        fill()
    assert str(target) in one_line(told)
    assert held(target.parent) == before
    assert len(server.asked) == asked


def test_a_folder_that_somebody_fills_meanwhile_is_not_touched(fill, server, target, monkeypatch):
    def unpack_slowly(*arguments):
        unpack(*arguments)
        target.mkdir()
        (target / "mine.txt").write_bytes(b"mine")

    unpack = delivery.unpack
    monkeypatch.setattr(delivery, "unpack", unpack_slowly)
    with pytest.raises(OSError, match="cannot be filled") as told:
        fill()
    one_line(told)
    assert held(target) == {"mine.txt": b"mine"}


def test_two_at_once_do_not_mix(fill, server, target):
    work = target.parent / ".letters.part"
    work.mkdir(parents=True)
    with FileLock(work / "lock"), pytest.raises(InputError, match="another process is filling") as told:
        fill()
    assert str(target) in one_line(told)
    assert server.asked == []
    assert fill()
    assert list(target.parent.iterdir()) == [target]


def test_what_another_process_works_in_is_left_to_it(fill, target):
    assert fill()
    work = target.parent / ".letters.part"
    work.mkdir()
    with FileLock(work / "lock"):
        assert not fill()
        assert work.is_dir()
    assert not fill()
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize(
    "tampered",
    [
        FILES | {"corpus/train/brat/a.ann": b"T1\tNAME 8 16\tZebediaX\n"},
        FILES | {"corpus/train/brat/more.txt": b""},
        {name: content for name, content in FILES.items() if not name.endswith("c.txt")}
        | {"corpus/dev/brat/C.txt": b""},
    ],
    ids=["a changed byte", "one more", "another name"],
)
def test_a_tampered_file_is_found_and_nothing_is_kept(fill, server, target, tampered, tmp_path):
    server.content = packed(tampered)
    with pytest.raises(RunError, match="nothing of it was kept") as told:
        fill(sha256="ab" * 32)
    with pytest.raises(RunError, match="nothing of it was kept") as told:
        fill()
    message = one_line(told)
    expected, found = message.split("sha256 ")[1].split(" expected, ")
    assert expected == load_card(str(tmp_path / "letters.yaml")).source.fetch.sha256
    assert len(found.split(" found")[0]) == 64 != expected
    assert server.url in message
    assert not target.parent.exists()
    server.content = packed()
    assert fill()
    assert held(target) == WANTED


def test_what_the_archive_holds_besides_or_how_it_is_packed_does_not_matter(fill, server, target):
    server.content = packed(dict(reversed(FILES.items())) | {"README.md": b"new"}, top="renamed-456")
    assert fill()
    assert held(target) == WANTED


@pytest.mark.parametrize(
    "content",
    [
        packed(FILES, (entry(f"{TOP}/corpus/train/brat/../../../../../x", size=1), b"x")),
        packed()[:1000],
        b"<html>",
    ],
    ids=["path traversal", "cut", "a page"],
)
def test_of_an_archive_that_is_harmful_or_broken_nothing_is_kept(fill, server, target, content, tmp_path):
    server.content = content
    with pytest.raises(RunError, match=r"letters\.tar\.gz .* nothing of it was kept") as told:
        fill()
    one_line(told)
    assert {path.name for path in tmp_path.iterdir()} == {"letters.yaml"}


def test_a_missing_file_is_told_with_how_to_obtain_it_by_hand(fill, server, target, tmp_path):
    server.statuses = [404]
    with pytest.raises(OSError, match=r"answers 404 .* How to obtain letters: .*Write to") as told:
        fill()
    one_line(told)
    assert {path.name for path in tmp_path.iterdir()} == {"letters.yaml"}


def test_a_broken_download_goes_on_at_the_next_call(fill, server, target):
    server.drops = [100_000, 10, 10, 10]
    with pytest.raises(OSError, match="run again to go on where it stopped"):
        fill()
    assert not target.exists()
    asked = len(server.asked)
    assert fill()
    assert server.asked[asked:] == ["bytes=100030-"]
    assert held(target) == WANTED
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("name", ["essays", "synthetic-essays"])
def test_a_dataset_that_cannot_be_fetched_says_how_to_obtain_it(target, watch, name):
    card = load_card(name)
    with pytest.raises(InputError, match=r"cannot be fetched\. How to obtain it: ") as told:
        deliver(card, target, watch)
    assert card.obtain in one_line(told)
    assert not target.parent.exists()


def test_a_folder_that_may_not_be_written_is_told(fill, target):
    target.parent.write_bytes(b"a file")
    with pytest.raises(OSError, match="cannot be filled: ") as told:
        fill()
    one_line(told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_change_it_leaves_no_half_folder_and_the_next_call_goes_on(card_for, server, tmp_path):
    files = {"corpus/train/brat/a.txt": b"a", "corpus/dev/brat/b.txt": b"b"}
    server.content = packed(files)
    whole = ["dev/b.txt", "train/a.txt"]
    card = card_for(server.url, sha256_by_hand({"train/a.txt": b"a", "dev/b.txt": b"b"}))
    (tmp_path / "runs").mkdir()
    command = [sys.executable, "-W", "ignore", "-c", KILLED, card, str(tmp_path / "runs")]
    seen = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    assert len(seen) > 15
    assert [ended for ended, *_ in seen] == [-9] * (len(seen) - 1) + [0]
    assert all(after_kill in ([], whole) for _, after_kill, _, _ in seen)
    assert [] in [after_kill for _, after_kill, _, _ in seen]
    for _, _, after_call, everything in seen:
        assert after_call == whole
        assert everything == [f"data/letters/{name}" for name in whole]


def test_killed_while_it_downloads_it_goes_on_where_it_stopped(card_for, server, tmp_path):
    server.stalled, server.drops = threading.Event(), [150_000]
    command = [sys.executable, "-m", "bench", "data", "get", card_for(server.url), "--data-dir", "new"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        while not (parts := list(tmp_path.glob(".new.part/*.part"))) or parts[0].stat().st_size < 100_000:
            assert process.poll() is None, process.stderr.read()
    finally:
        process.kill()
        process.communicate()
        server.stalled.set()
    (part,) = parts
    size = part.stat().st_size
    assert not (tmp_path / "new").exists()
    subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)
    assert server.asked == [None, f"bytes={size}-"]
    assert held(tmp_path / "new") == WANTED
    assert not part.exists()


def small_disk(command, folder):
    """Run a command with a disk of 200 kB mounted on `folder`, and list what it leaves there."""
    shell = 'mount -t tmpfs -o size=200k none "$0" && cd "$0" && { "$@"; echo "code $?"; ls -AR; }'
    made = subprocess.run(
        ["unshare", "-rm", "sh", "-c", shell, str(folder), *command], capture_output=True, text=True
    )
    if "code " not in made.stdout:
        pytest.skip("no disk can be mounted here")
    return made


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare, to mount a small disk")
@pytest.mark.parametrize(
    ("states_length", "unpacks", "reason"),
    [(True, False, "left on its disk"), (False, False, "No space left"), (True, True, "No space left")],
    ids=["known before", "while it downloads", "while it unpacks"],
)
def test_a_full_disk_is_told_in_one_line(card_for, server, tmp_path, states_length, unpacks, reason):
    server.states_length = states_length
    if unpacks:
        server.content = packed({"corpus/train/brat/a.txt": bytes(1_000_000), "corpus/dev/brat/c.txt": b""})
    (tmp_path / "disk").mkdir()
    command = [sys.executable, "-m", "bench", "data", "get", card_for(server.url), "--data-dir", "new"]
    made = small_disk(command, tmp_path / "disk")
    assert made.stdout.startswith("code 1\n")
    assert made.stderr.startswith("bench: ")
    assert made.stderr.count("\n") == 1
    assert reason in made.stderr
    assert "unpacked" not in made.stdout
    assert "\nnew" not in made.stdout


def test_files_kept_by_a_killed_call_of_another_card_are_not_mixed_in(fill, server, target):
    server.drops = [1000] * 4
    with pytest.raises(OSError, match="run again"):
        fill()
    server.content = packed(FILES | {"README.md": b"another archive"})
    server.origin += "/moved"
    assert fill()
    assert server.asked[-1] is None
    assert Path(target / "train/a.txt").read_bytes() == WANTED["train/a.txt"]
    assert list(target.parent.iterdir()) == [target]
