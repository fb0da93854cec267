import pytest
import yaml
from archives import PARTS, WANTED, packed, sha256_by_hand
from servers import serving

from bench.fetching import download
from bench.fetching.download import Watch

OBTAIN = "Never bundled. Write to the archive for the letters."


@pytest.fixture(autouse=True)
def direct_and_quick(monkeypatch):
    """No proxy of the environment's stands between, and tries follow at once."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def server():
    """Serves the letters, well; a test may change how."""
    with serving(content=packed()) as served:
        yield served


@pytest.fixture
def said():
    """The lines that a watch was told."""
    return []


@pytest.fixture
def watch(said):
    return Watch(lambda size, total: None, said.append)


@pytest.fixture
def card_for(tmp_path):
    """`card_for(url)`: the path of a card that pins the letters, as served at that address."""

    def write(url, sha256=None, parts=PARTS, **more):
        stated = {
            "name": "letters",
            "title": "Letters of ours",
            "family": "clinical",
            "language": "en",
            "licence": "CC0",
            "citation": "none",
            "obtain": OBTAIN,
            "source": {
                "reader": "brat",
                "files": ["."],
                "fetch": {"url": url, "parts": parts, "sha256": sha256 or sha256_by_hand(WANTED)} | more,
            },
            "labels": {"NAME": "person"},
        }
        path = tmp_path / "letters.yaml"
        path.write_text(yaml.safe_dump(stated), encoding="utf-8")
        return str(path)

    return write
