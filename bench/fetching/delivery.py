"""From a card to a folder with its files: downloaded, unpacked, checked, and only then put in place."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.errors import InputError, RunError
from bench.fetching.content import content_sha256
from bench.fetching.download import NotServedError, Watch, download
from bench.fetching.statement import Fetch
from bench.fetching.unpack import unpack
from bench.fetching.workplace import clear, discard, workplace
from bench.records.cards import Card, FileSource


def deliver(card: Card, folder: Path, watch: Watch) -> bool:
    """Fill `folder` with the files that a card pins; says whether anything had to be fetched for that.

    The folder is there whole or not at all, whenever the process is killed, and files that it holds
    are never changed.

    Raises:
        InputError: the card does not say where its files are, or the folder holds something else.
        OSError: they cannot be fetched, or not be written; a later call goes on where this one stopped.
        RunError: what was fetched is not what the card pins, or not safe to unpack; none of it is kept.
    """
    fetch = _stated(card)
    target = folder.resolve()
    with _told(folder):
        if _is_delivered(target, fetch):
            discard(target)
            return False
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise InputError(
                f"{folder} holds something else than what the card {card.name} pins, and is left as it is; "
                "give another --data-dir"
            )
        with workplace(target) as work:
            try:
                _fill(target, fetch, work, watch)
            except RunError as error:
                clear(work)
                raise RunError(f"{fetch.url} {error}; nothing of it was kept") from None
            except NotServedError as error:
                raise OSError(f"{error}. How to obtain {card.name}: {card.obtain}") from None
            clear(work)
    return True


def _stated(card: Card) -> Fetch:
    fetch = card.source.fetch if isinstance(card.source, FileSource) else None
    if fetch is None:
        raise InputError(f"{card.name} cannot be fetched. How to obtain it: {card.obtain}")
    return fetch


def _is_delivered(target: Path, fetch: Fetch) -> bool:
    """Whether the files are there; of a folder with other names in it no file is read."""
    if not target.is_dir() or {path.name for path in target.iterdir()} != {
        place.split("/")[0] for place in fetch.parts.values()
    }:
        return False
    return content_sha256(target) == fetch.sha256


def _fill(target: Path, fetch: Fetch, work: Path, watch: Watch) -> None:
    archive = download(fetch.url, work, watch)
    unpacked = work / "unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    try:
        unpack(archive, fetch.parts, unpacked)
        found = content_sha256(unpacked)
        if found != fetch.sha256:
            raise RunError(
                f"holds other files than the card pins: sha256 {fetch.sha256} expected, {found} found"
            )
        if target.exists():
            target.rmdir()
        unpacked.replace(target)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """What the system says of a file, in a line of ours; a full disk above all."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        raise OSError(f"{folder} cannot be filled: {error.strerror}; mend that and run again") from None
