"""Unpacks what is wanted of an archive, and trusts nothing in it."""

import gzip
import io
import shutil
import tarfile
import unicodedata
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from bench.errors import RunError
from bench.fetching.statement import is_plain
from bench.quantities import amount

CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """What an archive may come to, wanted or not; one that comes to more is taken for a bomb."""

    members: int = 200_000
    bytes: int = 4 * 10**9


LIMITS: Final = Limits()


def unpack(archive: Path, parts: Mapping[str, str], folder: Path, limits: Limits = LIMITS) -> None:
    """Write the parts of a .tar.gz that are wanted into a new folder, readable by its owner only.

    parts: paths below the archive's top folder, and where each goes in `folder`.

    Raises:
        RunError: the archive is broken, is a bomb, lacks a part, or holds what could do harm: a path
            that leads elsewhere, or, among what is wanted, a link, a device, or two files of which some
            systems would make one. Then what `folder` holds is to be thrown away.
    """
    folder.mkdir(mode=0o700)
    names: dict[str, str] = {}
    found = set()
    try:
        with gzip.open(archive) as plain, _opened(_Bounded(plain, limits.bytes)) as tar:
            for count, member in enumerate(tar, start=1):
                if count > limits.members:
                    raise RunError(f"holds more than {limits.members:,} files")
                wanted = _wanted(member, parts)
                if wanted is not None:
                    part, path = wanted
                    _claim(path, names)
                    _write(tar, member, folder, path)
                    found.add(part)
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RunError(f"is no .tar.gz, or is broken ({error})") from None
    if missing := parts.keys() - found:
        raise RunError(f"holds no {min(missing)}")


class _Bounded(io.RawIOBase):
    """A stream that refuses to yield more bytes than it may."""

    def __init__(self, plain: gzip.GzipFile, most: int) -> None:
        self._plain = plain
        self._left = self._most = most

    def read(self, size: int = -1) -> bytes:
        data = self._plain.read(min(size, CHUNK) if size >= 0 else CHUNK)
        self._left -= len(data)
        if self._left < 0:
            raise RunError(f"unpacks to more than {amount(self._most, 'B')}")
        return data


def _opened(stream: _Bounded) -> tarfile.TarFile:
    # As a stream, members come one by one: nothing is looked up by an index that the archive states.
    return tarfile.open(fileobj=stream, mode="r|")


def _wanted(member: tarfile.TarInfo, parts: Mapping[str, str]) -> tuple[str, str] | None:
    """The part that a member belongs to, and the path that it gets; `None` for what is left."""
    whole = PurePosixPath(member.name)
    if whole.is_absolute() or ".." in whole.parts:
        raise RunError(f"holds a path that leads out of its folder: {member.name!r}")
    inner = PurePosixPath(*whole.parts[1:])
    for part, place in parts.items():
        if inner == PurePosixPath(part) or PurePosixPath(part) in inner.parents:
            if member.isdir():
                return None
            if not is_plain(str(inner)):
                raise RunError(f"holds a name that is not safe on every system: {member.name!r}")
            if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                raise RunError(f"holds a link, or something else that is no plain file: {member.name!r}")
            return part, str(PurePosixPath(place) / inner.relative_to(part))
    return None


def _claim(path: str, names: dict[str, str]) -> None:
    """Enter a file and the folders above it into `names`, by what any system takes for one name."""
    folders = [f"{above}/" for above in PurePosixPath(path).parents][:-1]
    clash = any(names.setdefault(_folded(folder), folder) != folder for folder in folders)
    if clash or _folded(path) in names:
        raise RunError(f"holds two files of one name, or nearly so: {path!r}")
    names[_folded(path)] = path


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.rstrip("/")).casefold())


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, path: str) -> None:
    for above in reversed(PurePosixPath(path).parents):
        (folder / above).mkdir(mode=0o700, exist_ok=True)
    place = folder / path
    place.touch(mode=0o600, exist_ok=False)
    content = tar.extractfile(member)
    assert content is not None
    with content, place.open("wb") as file:
        shutil.copyfileobj(content, file, CHUNK)
