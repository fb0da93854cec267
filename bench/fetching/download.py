"""Downloads a file: goes on where it stopped, and tries again where the line drops."""

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import httpx2

from bench.errors import RunError
from bench.fetching.part import Part
from bench.fetching.statement import may_ask
from bench.quantities import amount

PAUSES: Final = (1.0, 2.0, 4.0)
"""Seconds before each further try."""

MOST_BYTES: Final = 2 * 10**9
"""Of an archive; a server that sends more is taken for broken."""

TIMEOUT: Final = httpx2.Timeout(30, connect=10)
"""Seconds of silence after which the line counts as dropped."""

BUSY: Final = (429, 500, 502, 503, 504)


class NotServedError(OSError):
    """The server answers, but not with the file."""


class _AgainError(Exception):
    """This try came to nothing; the next one may not."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how a download goes.

    Attributes:
        received: takes the bytes that are there, and those in all where the server says so.
        say: takes a line about what is done next, and why.
    """

    received: Callable[[int, int | None], None]
    say: Callable[[str], None]


def download(url: str, folder: Path, watch: Watch) -> Path:
    """The file at `url`, in `folder`, where a later call finds what an earlier one left.

    Raises:
        NotServedError: the server says that there is no such file.
        OSError: it cannot be reached, keeps dropping the line, or leads to where others can read
            along; the disk is full.
        RunError: it sends more than `MOST_BYTES`.
    """
    name = hashlib.sha256(url.encode()).hexdigest()[:16]
    whole, part = folder / f"{name}.tar.gz", Part(folder / f"{name}.part")
    if whole.exists():
        return whole
    with _client(url) as client:
        for pause in (*PAUSES, None):
            try:
                _receive(client, url, part, watch)
                break
            except (httpx2.HTTPError, _AgainError) as error:
                reason = _reason(error)
            except httpx2.InvalidURL as error:
                raise NotServedError(f"{url} is no address, or leads to none: {error}") from None
            if pause is None:
                raise OSError(f"{url} cannot be fetched: {reason}; run again to go on where it stopped")
            watch.say(f"{reason}; trying again in {pause:g} s")
            time.sleep(pause)
    part.finish(whole)
    return whole


@contextmanager
def _client(url: str) -> Iterator[httpx2.Client]:
    def check(request: httpx2.Request) -> None:
        if not may_ask(str(request.url), url):
            raise NotServedError(f"{url} leads to {request.url}, which is not https; nothing was fetched")

    try:
        client = httpx2.Client(
            follow_redirects=True,
            max_redirects=5,
            timeout=TIMEOUT,
            headers={"Accept-Encoding": "identity", "User-Agent": f"trap-bench/{version('trap-bench')}"},
            event_hooks={"request": [check]},
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise OSError(f"the proxy that the environment names cannot be used: {error}") from None
    with client:
        yield client


def _receive(client: httpx2.Client, url: str, part: Part, watch: Watch) -> None:
    """Append what is missing of the file, or as much of it as comes."""
    rest = part.request()
    with client.stream("GET", url, headers=rest) as response:
        status = response.status_code
        if rest and (status == 416 or (status == 206 and not part.goes_on_with(response.headers))):
            part.forget()
            raise _AgainError("the file has changed since its first part came")
        if status in BUSY:
            raise _AgainError(f"{response.url.host} answers {status} {response.reason_phrase}")
        if status != 200 and not (rest and status == 206):
            raise NotServedError(f"{url} answers {status} {response.reason_phrase}")
        if status == 200:
            part.start(response.headers.get("etag"))
        total = _total(response)
        _require_room(part, total)
        with part.path.open("ab") as file:
            for chunk in response.iter_raw():
                file.write(chunk)
                _require_bounded(file.tell())
                watch.received(file.tell(), total)
    if total is not None and part.size < total:
        raise _AgainError(f"{amount(part.size, 'B')} of {amount(total, 'B')} came")


def _total(response: httpx2.Response) -> int | None:
    """The bytes of the whole file, where the server says how many."""
    if response.status_code == 206:
        stated = response.headers["content-range"].rpartition("/")[2]
    else:
        stated = response.headers.get("content-length", "")
    return int(stated) if stated.isdecimal() else None


def _require_room(part: Part, total: int | None) -> None:
    missing = (total or 0) - part.size
    _require_bounded(total or 0)
    free = shutil.disk_usage(part.path.parent).free
    if free < missing:
        raise OSError(
            f"{part.path.parent.parent} has {amount(free, 'B')} left on its disk, and {amount(missing, 'B')} "
            "are to come; make room and run again"
        )


def _require_bounded(size: int) -> None:
    if size > MOST_BYTES:
        raise RunError(f"is larger than {amount(MOST_BYTES, 'B')}")


def _reason(error: Exception) -> str:
    said = str(error) or type(error).__name__
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return f"{error.request.url.host} cannot be reached ({said})"
    return said
