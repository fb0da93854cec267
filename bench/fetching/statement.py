"""What a card states so that its files can be fetched: where they are, which are wanted, what they hold."""

from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class Fetch(BaseModel):
    """An archive that a server serves, and what of it is wanted.

    Attributes:
        url: of a .tar.gz with one top folder, as GitHub serves any commit; https.
        parts: files and folders of the archive, named from below its top folder, and where in the
            dataset's folder each goes. The rest of the archive is left.
        sha256: the hash of what is wanted (`bench.fetching.content`), as archives of one commit may differ.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    parts: dict[str, str] = Field(min_length=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @field_validator("url")
    @classmethod
    def _is_safe(cls, url: str) -> str:
        if not may_ask(url, url):
            raise ValueError("must be an https address")
        if "@" in urlsplit(url).netloc:
            raise ValueError("must hold no user name")
        return url

    @field_validator("parts")
    @classmethod
    def _lie_apart(cls, parts: dict[str, str]) -> dict[str, str]:
        for path in (*parts, *parts.values()):
            if not is_plain(path):
                raise ValueError(f"{path!r} must be a relative path such as corpus/train")
        for path in parts:
            if inner := [other for other in parts if other.startswith(f"{path}/")]:
                raise ValueError(f"{inner[0]} lies within {path}")
        return parts


def may_ask(url: str, origin: str) -> bool:
    """Whether `url`, which `origin` may have led to, cannot be read along: https, or this machine itself."""
    try:
        asked, first = urlsplit(url), urlsplit(origin)
        if asked.port != 0 and asked.scheme == "https":
            return bool(asked.hostname)
        return asked.scheme == "http" and asked.hostname in LOOPBACK and first.hostname in LOOPBACK
    except ValueError:
        return False


def is_plain(path: str) -> bool:
    r"""Whether a path leads into the folder that it starts from, and nowhere else, on any system.

    >>> [is_plain(path) for path in ("train/a.txt", "../a", "/a", "a//b", "C:a", r"a\b", ".", "")]
    [True, False, False, False, False, False, False, False]
    """
    whole = path.isprintable() and not set(path) & set("\\:")
    return whole and path == str(PurePosixPath(path)) and not set(path.split("/")) & {"", ".", ".."}
