"""A hash of what a folder holds, which does not depend on how it was packed."""

import hashlib
import os
from pathlib import Path


def content_sha256(folder: Path) -> str:
    """The SHA-256 of the names and bytes of all files in a folder, in lower-case hex.

    It is what a shell prints within the folder for
    `find * -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum`.
    A link, or what else is neither file nor folder, counts as itself, so that it never passes for the
    file that it leads to.
    """
    lines = {path.relative_to(folder).as_posix(): _sha256(path) for path in _files(folder)}
    listing = "".join(f"{lines[name]}  {name}\n" for name in sorted(lines, key=os.fsencode))
    return hashlib.sha256(os.fsencode(listing)).hexdigest()


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]


def _sha256(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return "no file"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
