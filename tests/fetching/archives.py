"""Archives as servers serve them, and as they should not."""

import hashlib
import io
import random
import tarfile

TOP = "letters-0123abc"
FILES = {
    "corpus/train/brat/a.txt": "Año 1: \ufeffZebediah came.\r\n".encode(),
    "corpus/train/brat/a.ann": b"T1\tNAME 8 16\tZebediah\n",
    "corpus/train/brat/b.txt": random.Random(0).randbytes(300_000),
    "corpus/dev/brat/c.txt": b"",
    "corpus/test/brat/d.txt": b"not wanted",
    "README.md": b"not wanted either",
}
PARTS = {"corpus/train/brat": "train", "corpus/dev/brat": "dev"}
WANTED = {
    "train/a.txt": FILES["corpus/train/brat/a.txt"],
    "train/a.ann": FILES["corpus/train/brat/a.ann"],
    "train/b.txt": FILES["corpus/train/brat/b.txt"],
    "dev/c.txt": b"",
}


def entry(name, kind=tarfile.REGTYPE, link="", size=0):
    member = tarfile.TarInfo(name)
    member.type, member.linkname, member.size, member.mode = kind, link, size, 0o777
    return member


def packed(files=FILES, *more, top=TOP):
    """A .tar.gz of files (name below the top folder to bytes), then of more `(member, content)`."""
    holder = io.BytesIO()
    with tarfile.open(
        fileobj=holder, mode="w:gz", pax_headers={"comment": "0123abc"}, compresslevel=1
    ) as tar:
        tar.addfile(entry(top, tarfile.DIRTYPE))
        for name, content in files.items():
            tar.addfile(entry(f"{top}/{name}", size=len(content)), io.BytesIO(content))
        for member, content in more:
            tar.addfile(member, io.BytesIO(content))
    return holder.getvalue()


def sha256_by_hand(files):
    """The content hash, as `sha256sum` in a shell would make it."""
    lines = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n".encode()
        for name in sorted(files, key=str.encode)
    ]
    return hashlib.sha256(b"".join(lines)).hexdigest()


def held(folder):
    """What a folder holds: names to bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
