"""What there is of a file that is being downloaded, as it lies on the disk."""

from collections.abc import Mapping
from pathlib import Path


class Part:
    """The first bytes of a file, and the server's mark (ETag) of the version that they are from.

    A process may be killed between any two steps: bytes are only ever there beside their own mark.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mark = path.with_suffix(".etag")

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return self.path.stat().st_size if self.path.exists() else 0

    def request(self) -> dict[str, str]:
        """The headers that ask for the rest; none where there is nothing to go on from.

        Source: RFC 9110, sections 13.1.5 (If-Range, which takes strong marks alone) and 14.2 (Range).
        """
        if not (self.size and self._mark.exists()):
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": self._mark.read_text(encoding="ascii")}

    def goes_on_with(self, headers: Mapping[str, str]) -> bool:
        """Whether an answer with these headers brings the bytes that come next, of the same version."""
        begins = headers.get("content-range", "").startswith(f"bytes {self.size}-")
        mark = self._mark.read_text(encoding="ascii")
        return begins and headers.get("etag", mark) == mark

    def start(self, mark: str | None) -> None:
        """Forget what there is; what is written next is of the version `mark`."""
        self.forget()
        if mark and mark.isascii() and not mark.startswith("W/"):
            self._mark.touch(mode=0o600)
            self._mark.write_text(mark, encoding="ascii")
        self.path.touch(mode=0o600)

    def forget(self) -> None:
        """Remove what there is."""
        self.path.unlink(missing_ok=True)
        self._mark.unlink(missing_ok=True)

    def finish(self, whole: Path) -> None:
        """Nothing is missing any more: let it be the file `whole`."""
        self.path.replace(whole)
        self._mark.unlink(missing_ok=True)
