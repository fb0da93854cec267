"""A server on this machine that serves one archive, well or badly."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Server:
    """What is served, how, and what was asked.

    Attributes:
        mark: its ETag.
        ranges: whether it sends the rest alone to one who asks for the rest,
        checks_mark: and whether it compares If-Range before, as it should,
        most: and how many bytes of the rest it sends at once,
        misplaced_by: and by how many bytes it is wrong about where the rest starts.
        states_length: else the body comes in chunks, as from GitHub,
        longer_by: and by how many bytes the length is wrong.
        drops: after so many bytes of each body in turn the line drops; `None` for not at all,
        stalled: but not before this is set.
        statuses: answered in turn before anything else is.
        location: where everything is redirected to.
        asked: the Range header of each request, `None` where there was none; `paths`: what was asked for.
    """

    content: bytes = b""
    mark: str | None = '"one"'
    ranges: bool = True
    checks_mark: bool = True
    most: int | None = None
    misplaced_by: int = 0
    states_length: bool = True
    longer_by: int = 0
    drops: list[int | None] = field(default_factory=list)
    stalled: threading.Event | None = None
    statuses: list[int] = field(default_factory=list)
    location: str | None = None
    asked: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    origin: str = ""

    @property
    def url(self):
        return f"{self.origin}/letters.tar.gz"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        served = self.server.served
        served.asked.append(self.headers["Range"])
        served.paths.append(self.path)
        if served.statuses:
            return self._answer(served.statuses.pop(0))
        if served.location:
            return self._answer(302, Location=served.location)
        start, size, headers = 0, len(served.content), {"ETag": served.mark} if served.mark else {}
        end = size
        same = not served.checks_mark or self.headers["If-Range"] == served.mark
        if served.ranges and self.headers["Range"] and same:
            start = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
            if start >= size:
                return self._answer(416)
            start += served.misplaced_by
            end = start + (served.most or size)
            headers["Content-Range"] = f"bytes {start}-{min(end, size) - 1}/{size}"
        return self._send(206 if start else 200, served.content[start:end], headers)

    def _answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, status, body, headers):
        served = self.server.served
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if served.states_length:
            self.send_header("Content-Length", str(len(body) + served.longer_by))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        drop = served.drops.pop(0) if served.drops else None
        sent = body if drop is None else body[:drop]
        if served.states_length:
            self.wfile.write(sent)
        else:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent) if sent else b"")
        if drop is None and not served.states_length:
            self.wfile.write(b"0\r\n\r\n")
        if drop is not None or served.longer_by:
            self.wfile.flush()
            if served.stalled is not None:
                served.stalled.wait(30)
            self.close_connection = True

    def log_message(self, *_):
        """Nothing: what was asked is kept in `asked`."""


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Nothing: clients that go away are part of these tests."""


@contextmanager
def serving(**how):
    """A server at work: what it serves and how may be changed meanwhile."""
    server = QuietServer(("127.0.0.1", 0), Handler)
    server.served = Server(**how, origin=f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
