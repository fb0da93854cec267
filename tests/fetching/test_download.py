import shutil
import stat
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import serving

from bench.errors import RunError
from bench.fetching import download as module
from bench.fetching.download import NotServedError, Watch, download


@pytest.fixture
def fetched(server, watch, tmp_path):
    """`fetched()` downloads what the server serves, as a new call of the command would."""
    return lambda: download(server.url, tmp_path, watch).read_bytes()


def one_line(told):
    message = str(told.value)
    assert len(message.splitlines()) == 1
    return message


def test_a_file_comes_whole_and_private_and_nothing_stays_beside_it(server, watch, tmp_path):
    path = download(server.url, tmp_path, watch)
    assert path.read_bytes() == server.content
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_is_there_whole_is_not_asked_for_again(server, fetched):
    assert fetched() == fetched() == server.content
    assert server.asked == [None]


@pytest.mark.parametrize("states_length", [True, False])
def test_a_dropped_line_is_taken_up_where_it_dropped(server, fetched, said, states_length):
    server.states_length = states_length
    server.drops = [1000, 500]
    assert fetched() == server.content
    assert server.asked == [None, "bytes=1000-", "bytes=1500-"]
    assert len(said) == 2
    assert all("trying again in" in line and line.isprintable() for line in said)


def test_a_later_call_asks_for_the_rest_alone(server, fetched):
    server.drops = [1000, 1000, 1000, 1000]
    with pytest.raises(OSError, match="run again to go on where it stopped") as told:
        fetched()
    assert server.url in one_line(told)
    assert len(server.asked) == 4
    del server.asked[:]
    assert fetched() == server.content
    assert server.asked == ["bytes=4000-"]


def test_a_line_that_always_drops_is_given_up_after_a_few_tries(server, fetched):
    server.drops = [0] * 100
    with pytest.raises(OSError, match="cannot be fetched"):
        fetched()
    assert len(server.asked) == 4


def test_a_server_that_sends_all_again_is_believed(server, fetched):
    server.ranges = False
    server.drops = [1000]
    assert fetched() == server.content
    assert server.asked == [None, "bytes=1000-"]


@pytest.mark.parametrize("mark", [None, 'W/"weak"'])
def test_without_a_mark_that_tells_versions_apart_all_is_asked_for_again(server, fetched, mark):
    server.mark, server.drops = mark, [1000]
    assert fetched() == server.content
    assert server.asked == [None, None]


@pytest.mark.parametrize("checks_mark", [True, False])
def test_two_versions_of_a_file_are_never_mixed(server, fetched, checks_mark):
    server.drops = [1000] * 4
    with pytest.raises(OSError, match="run again"):
        fetched()
    server.content, server.mark, server.checks_mark = server.content[::-1], '"two"', checks_mark
    assert fetched() == server.content


def test_a_file_that_has_become_shorter_is_fetched_anew(server, fetched):
    server.drops = [1000] * 4
    with pytest.raises(OSError, match="run again"):
        fetched()
    server.content = b"short"
    assert fetched() == b"short"


def test_a_rest_that_starts_elsewhere_is_not_appended(server, fetched):
    server.drops, server.misplaced_by = [1000], 1
    assert fetched() == server.content
    assert server.asked == [None, "bytes=1000-", None]


def test_a_server_that_sends_less_than_the_rest_is_asked_again(server, fetched):
    server.drops, server.most = [1000], len(server.content) - 1500
    assert fetched() == server.content
    assert server.asked == [None, "bytes=1000-", f"bytes={len(server.content) - 500}-"]


def test_a_body_shorter_than_stated_is_no_whole_file(server, fetched):
    server.longer_by = 10
    with pytest.raises(OSError, match="cannot be fetched"):
        fetched()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(server, fetched, said, status):
    server.statuses = [status, status]
    assert fetched() == server.content
    assert all(str(status) in line for line in said)


@pytest.mark.parametrize("status", [403, 404, 410, 204, 206, 416])
def test_a_server_that_says_no_is_asked_once_and_its_answer_told(server, fetched, tmp_path, status):
    server.statuses = [status] * 9
    with pytest.raises(NotServedError, match=f"answers {status}") as told:
        fetched()
    assert server.url in one_line(told)
    assert len(server.asked) == 1
    assert not any(tmp_path.iterdir())


def test_a_redirect_is_followed_with_what_is_asked_for(server, watch, tmp_path):
    with serving(location=server.url, content=b"") as first:
        server.drops = [1000]
        assert download(first.url, tmp_path, watch).read_bytes() == server.content
    assert first.asked == server.asked == [None, "bytes=1000-"]


@pytest.mark.parametrize(
    "location", ["http://example.org/x", "ftp://example.org/x", "http://127.0.0.1.example.org/"]
)
def test_a_redirect_to_where_others_can_read_along_is_refused(server, fetched, location):
    server.location = location
    with pytest.raises(NotServedError, match="not https") as told:
        fetched()
    assert location in one_line(told)
    assert len(server.asked) == 1


@pytest.mark.parametrize("location", ["https://[::1", "http://:99999999/", "//"])
def test_a_redirect_to_nowhere_is_told(server, fetched, location):
    server.location = location
    with pytest.raises(OSError, match=r"letters\.tar\.gz") as told:
        fetched()
    one_line(told)


def test_what_is_no_address_is_told(watch, tmp_path):
    with pytest.raises(NotServedError, match="is no address") as told:
        download("http://127.0.0.1/\x01", tmp_path, watch)
    one_line(told)


def test_redirects_in_a_circle_end(server, fetched):
    server.location = server.url
    with pytest.raises(OSError, match="redirect"):
        fetched()


def test_a_host_that_cannot_be_reached_is_named(watch, tmp_path):
    with serving() as gone:
        url = gone.url
    with pytest.raises(OSError, match=r"127\.0\.0\.1 cannot be reached") as told:
        download(url, tmp_path, watch)
    assert url in one_line(told)


def test_a_server_without_a_certificate_is_refused(server, watch, tmp_path):
    url = server.url.replace("http:", "https:")
    with pytest.raises(OSError, match="cannot be reached") as told:
        download(url, tmp_path, watch)
    one_line(told)
    assert server.asked == []


def test_a_silent_server_is_given_up(server, fetched, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", httpx2.Timeout(0.2))
    server.stalled = threading.Event()
    server.drops = [10] * 4
    try:
        with pytest.raises(OSError, match="timed out") as told:
            fetched()
    finally:
        server.stalled.set()
    one_line(told)


@pytest.mark.parametrize("states_length", [True, False])
def test_a_server_that_sends_without_end_is_stopped(server, fetched, monkeypatch, states_length):
    monkeypatch.setattr(module, "MOST_BYTES", 100_000)
    server.states_length = states_length
    with pytest.raises(RunError, match="is larger than 100 kB"):
        fetched()


def test_what_finds_no_room_is_told_before_it_is_written(server, fetched, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(OSError, match=r"1 kB left on its disk.*make room and run again"):
        fetched()
    assert sum(path.stat().st_size for path in tmp_path.iterdir() if path.suffix == ".part") == 0


def test_the_proxy_of_the_environment_is_asked(watch, tmp_path, monkeypatch):
    with serving(content=b"from the proxy") as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.setenv("no_proxy", "")
        got = download("http://localhost:1/letters.tar.gz", tmp_path, watch).read_bytes()
    assert got == b"from the proxy"
    assert proxy.paths == ["http://localhost:1/letters.tar.gz"]


@pytest.mark.parametrize("proxy", ["ftp://proxy:1", "socks9://x", "http://[::1"])
def test_a_proxy_that_cannot_be_used_is_told(server, fetched, monkeypatch, proxy):
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(OSError, match="the proxy that the environment names") as told:
        fetched()
    one_line(told)


def test_progress_counts_up_to_the_whole(server, tmp_path):
    seen = []
    server.drops = [1000]
    download(server.url, tmp_path, Watch(lambda size, total: seen.append((size, total)), lambda line: None))
    assert seen == sorted(seen)
    assert seen[-1] == (len(server.content), len(server.content))
    assert {total for _, total in seen} == {len(server.content)}


DROPS = st.lists(st.integers(0, 40), max_size=12)


@given(content=st.binary(max_size=100), drops=DROPS, ranges=st.booleans(), states_length=st.booleans())
@settings(max_examples=40, deadline=None)
def test_wherever_the_line_drops_the_file_is_the_served_one(content, drops, ranges, states_length):
    watch = Watch(lambda size, total: None, lambda line: None)
    drops = [min(drop, max(len(content) - 1, 0)) for drop in drops]
    with (
        serving(content=content, drops=drops, ranges=ranges, states_length=states_length) as server,
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(module, "PAUSES", (0.0,) * 20)
        assert download(server.url, Path(folder), watch).read_bytes() == content
