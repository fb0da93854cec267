import subprocess
import sys

import pytest

from bench.errors import InputError
from bench.records.readers import FORMATS, reader


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_reader(name):
    read = reader(name)
    assert read.__name__ == "read"
    assert read.__module__ == FORMATS[name]


def test_an_unknown_format_is_refused_with_a_suggestion():
    with pytest.raises(InputError, match=r"unknown format 'kaggle_pii', did you mean 'kaggle-pii'\?"):
        reader("kaggle_pii")
    with pytest.raises(
        InputError, match="known: aci-bench, brat, columns, ellipse, i2b2-xml, jsonl, kaggle-pii"
    ):
        reader("xyz")


def test_a_reader_is_loaded_only_when_asked_for():
    code = (
        "import sys, bench.records.readers as r; sys.exit(any(m in sys.modules for m in r.FORMATS.values()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
