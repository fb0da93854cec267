import gzip
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from archives import FILES, PARTS, TOP, WANTED, entry, held, packed
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import RunError
from bench.fetching.unpack import Limits, unpack

TRAIN = f"{TOP}/corpus/train/brat"
LINKS = (tarfile.SYMTYPE, tarfile.LNKTYPE)
ODD = (tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.CONTTYPE)


def unpacked(data, folder, parts=PARTS, **limits):
    (folder / "archive").write_bytes(data)
    unpack(folder / "archive", parts, folder / "new", Limits(**limits))
    return folder / "new"


def refused(data, folder, **more):
    """The message, after nothing was written outside of the new folder."""
    before = held(folder)
    with pytest.raises(RunError) as told:
        unpacked(data, folder, **more)
    after = {name: content for name, content in held(folder).items() if not name.startswith("new/")}
    assert after == before | {"archive": data}
    return str(told.value)


def test_what_is_wanted_is_written_and_nothing_else(tmp_path):
    folder = unpacked(packed(), tmp_path)
    assert held(folder) == WANTED


def test_files_are_their_owners_alone(tmp_path):
    folder = unpacked(packed(), tmp_path, parts={"corpus": "a/b"})
    modes = {path.is_dir(): path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
    assert modes == {True: 0o700, False: 0o600}


def test_a_part_may_be_one_file(tmp_path):
    folder = unpacked(packed(), tmp_path, parts={"README.md": "about/README", "corpus/dev": "dev"})
    assert held(folder) == {"about/README": FILES["README.md"], "dev/brat/c.txt": b""}


@pytest.mark.parametrize(
    "name",
    [
        f"{TRAIN}/../../../../../x",
        f"{TRAIN}/..",
        "../x",
        f"{TOP}/../../x",
        "/x",
        f"/{TRAIN}/x",
    ],
)
def test_a_path_that_leads_out_is_refused(tmp_path, name):
    assert "leads out of its folder" in refused(packed(FILES, (entry(name, size=1), b"x")), tmp_path)


@pytest.mark.parametrize("name", [r"..\..\x", "C:x", "a:stream", "a\x1b[2J", "a\nb", "a\udcff"])
def test_a_name_that_is_harmful_on_some_system_is_refused_in_one_line(tmp_path, name):
    said = refused(packed(FILES, (entry(f"{TRAIN}/{name}", size=1), b"x")), tmp_path)
    assert "not safe on every system" in said
    assert said.isprintable()


@pytest.mark.parametrize("kind", [*LINKS, *ODD])
@pytest.mark.parametrize("name", [f"{TRAIN}/x", TRAIN])
def test_links_and_devices_are_refused_among_what_is_wanted(tmp_path, kind, name):
    more = entry(name, kind, link="/etc/passwd")
    assert "no plain file" in refused(packed({}, (more, b"")), tmp_path)


@pytest.mark.parametrize("kind", [*LINKS, *ODD])
def test_links_and_devices_elsewhere_are_left(tmp_path, kind):
    more = entry(f"{TOP}/docs", kind, link="/etc/passwd")
    assert held(unpacked(packed(FILES, (more, b"")), tmp_path)) == WANTED


def test_a_file_is_never_written_through_a_link(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    link = entry(f"{TOP}/corpus/train", tarfile.SYMTYPE, link=str(outside))
    data = packed({}, (link, b""), (entry(f"{TRAIN}/x", size=1), b"x"))
    assert held(unpacked(data, tmp_path, {"corpus/train/brat": "train"})) == {"train/x": b"x"}
    assert not held(outside)


def test_a_sparse_file_is_refused(tmp_path):
    sparse = entry(f"{TRAIN}/x", size=1)
    sparse.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(10**6)}
    assert "no plain file" in refused(packed({}, (sparse, b"x")), tmp_path)


@pytest.mark.parametrize(
    "names",
    ["x x", "x X", "é e\u0301", "ß SS", "x x/y", "x/y x", "x/y X/z", "X x/y"],
)
def test_two_files_of_which_some_system_makes_one_are_refused(tmp_path, names):
    more = [(entry(f"{TRAIN}/{name}", size=1), b"x") for name in names.split()]
    assert "two files of one name" in refused(packed({}, *more), tmp_path)


def test_two_parts_may_share_a_folder_but_no_name(tmp_path):
    parts = {"corpus/train/brat": "all", "corpus/dev/brat": "all"}
    folder = unpacked(packed(), tmp_path, parts)
    assert set(held(folder)) == {"all/a.txt", "all/a.ann", "all/b.txt", "all/c.txt"}
    (tmp_path / "again").mkdir()
    said = refused(packed(FILES | {"corpus/dev/brat/A.txt": b""}), tmp_path / "again", parts=parts)
    assert "two files of one name" in said


def test_a_part_that_is_not_there_is_named(tmp_path):
    assert refused(packed({"corpus/train/brat/x": b""}), tmp_path) == "holds no corpus/dev/brat"


def test_a_bomb_is_stopped_before_it_goes_off(tmp_path):
    bomb = packed({"corpus/train/brat/x": bytes(50_000_000)})
    assert len(bomb) < 1_000_000
    assert "unpacks to more than 1 MB" in refused(bomb, tmp_path, bytes=1_000_000)
    assert sum(map(len, held(tmp_path / "new").values())) <= 1_000_000


def test_a_bomb_among_what_is_not_wanted_or_in_a_header_is_stopped_too(tmp_path):
    (tmp_path / "other").mkdir()
    other = packed(FILES | {"README.md": bytes(50_000_000)})
    assert "unpacks to more than 1 MB" in refused(other, tmp_path / "other", bytes=1_000_000)
    (tmp_path / "header").mkdir()
    member = entry(f"{TRAIN}/x")
    member.pax_headers = {"comment": "x" * 20_000_000}
    assert "more than 1 MB" in refused(packed({}, (member, b"")), tmp_path / "header", bytes=1_000_000)


def test_too_many_files_are_refused(tmp_path):
    many = packed({f"docs/{number}": b"" for number in range(60)})
    assert refused(many, tmp_path, members=50) == "holds more than 50 files"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>not found</html>",
        gzip.compress(b"no tar"),
        packed()[:100_000],
        packed()[:5],
        packed()[:1000] + b"\xff" * 50 + packed()[1050:],
        gzip.compress(gzip.decompress(packed())[:100_000]),
    ],
    ids=["empty", "a page", "no tar", "cut", "cut early", "damaged", "cut within"],
)
def test_what_is_no_archive_or_a_broken_one_is_refused(tmp_path, data):
    said = refused(data, tmp_path)
    assert said.startswith(("is no .tar.gz, or is broken", "holds no corpus"))


NAMES = st.lists(
    st.sampled_from(
        ["..", ".", "", "/", "a", "A", "é", "e\u0301", "\\", "C:", "corpus", "train", "brat", TOP]
    ),
    min_size=1,
    max_size=7,
).map("/".join)
KINDS = st.sampled_from([tarfile.REGTYPE, tarfile.REGTYPE, tarfile.DIRTYPE, *LINKS, *ODD])


@given(members=st.lists(st.tuples(st.booleans(), NAMES, KINDS), max_size=6))
@settings(max_examples=150, deadline=None)
def test_no_archive_writes_anywhere_but_into_the_new_folder(members):
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        more = [
            (entry(f"{TRAIN}/{name}" if inside else name, kind, link="../../x", size=kind == b"0"), b"x")
            for inside, name, kind in members
        ]
        (folder / "archive").write_bytes(packed({}, *more))
        with suppress(RunError):
            unpack(folder / "archive", {"corpus/train/brat": "train"}, folder / "new")
        assert {path.name for path in folder.iterdir()} == {"archive", "new"}
        assert not any(path.is_symlink() for path in folder.rglob("*"))
        assert {name.split("/")[0] for name in held(folder / "new")} <= {"train"}


@given(position=st.integers(0, len(packed()) - 1), damage=st.binary(min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_damage_ends_in_a_line_or_in_whole_files(position, damage):
    data = packed()
    data = data[:position] + damage + data[position + len(damage) :]
    with tempfile.TemporaryDirectory() as made, suppress(RunError):
        folder = unpacked(data, Path(made))
        assert all((folder / part).is_dir() for part in PARTS.values())
