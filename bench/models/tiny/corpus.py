"""English prose that every installation already has, to train the embedded base model on.

It is taken from the docstrings, long strings and comment blocks of

- the Python standard library (PSF-2.0), the language reference in `pydoc_data/topics.py` among them;
- numpy, scipy, scikit-learn, networkx, sympy and torch (BSD-3-Clause, parts under similar terms);
- pydantic (MIT), transformers and peft (Apache-2.0).

All of these licences permit use, modification and redistribution. Files are parsed, never imported; nothing
is downloaded, and the text itself is not kept. It holds no essays and no clinical cases.
"""

import ast
import importlib.util
import inspect
import re
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

PACKAGES = ("numpy", "scipy", "sklearn", "networkx", "sympy", "torch", "transformers", "peft", "pydantic")
SKIPPED = {"test", "tests", "testing", "site-packages", "dist-packages", "encodings", "lib2to3", "_vendor"}
MARKUP = re.compile(r":[\w:.+-]+:(?=`)|[`*|]+|<[^>]*>|_(?=\s|$)")
PLAIN = re.compile(r"[\"'(]?[A-Za-z][a-z]*(?:['-][A-Za-z]?[a-z]+)*[\"')]?[,.;:!?)]*")
COMMON = re.compile(r"\b(?:the|an?|of|to|is|are|and|in|that|this|for|it|be|with|as|by|if|can|will|on|or)\b")


def corpus() -> Iterator[list[str]]:
    """Yield the documents of each source file that has prose, a paragraph never twice."""
    seen: set[str] = set()
    for file in source_files():
        fresh = []
        for paragraph in paragraphs(file.read_text("utf-8", "replace")):
            key = re.sub(r"[\W\d_]", "", paragraph).lower()
            if key not in seen:
                seen.add(key)
                fresh.append(paragraph)
        if fresh:
            yield grouped(fresh)


def source_files() -> Iterator[Path]:
    """Yield the Python files of the standard library and of the packages in a fixed order, without tests."""
    folders = [sysconfig.get_path("stdlib")]
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        folders += list(spec.submodule_search_locations or []) if spec else []
    for folder in map(Path, folders):
        for file in sorted(folder.rglob("*.py")):
            if not SKIPPED.intersection(file.relative_to(folder).parts):
                yield file


def paragraphs(source: str) -> Iterator[str]:
    """Yield the paragraphs of prose in a file's strings and comment blocks, one line each, no markup."""
    for text in [*long_strings(source), *comment_blocks(source)]:
        for block in re.split(r"\n\s*\n", inspect.cleandoc(text)):
            line = " ".join(MARKUP.sub("", block).split())
            if is_prose(line):
                yield line


def long_strings(source: str) -> list[str]:
    """The string constants of a file, docstrings included; none where it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            nodes = ast.walk(ast.parse(source))
        except (SyntaxError, ValueError):
            return []
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return [value for value in constants if isinstance(value, str) and len(value) > 60]


def comment_blocks(source: str) -> list[str]:
    """The runs of whole-line comments of a file, without their number signs."""
    blocks = re.findall(r"(?:^[ \t]*#.*\n)+", source, re.MULTILINE)
    return [re.sub(r"^[ \t]*#+ ?", "", block, flags=re.MULTILINE) for block in blocks]


def is_prose(line: str) -> bool:
    """Whether a line is sentences: plain words, the common ones among them, from a capital to a full stop."""
    if not 60 <= len(line) <= 3000 or not line[0].isupper() or line[-1] not in ".!?:\"')":
        return False
    if ">>>" in line or "---" in line or "===" in line:
        return False
    words = line.split()
    plain = sum(PLAIN.fullmatch(word) is not None for word in words)
    return plain >= 0.88 * len(words) and len(COMMON.findall(line)) >= 0.22 * len(words)


def grouped(lines: list[str], size: int = 1000) -> list[str]:
    """Join consecutive paragraphs to documents of about `size` characters at most."""
    documents = [lines[0]]
    for line in lines[1:]:
        if len(documents[-1]) + len(line) < size:
            documents[-1] += "\n\n" + line
        else:
            documents.append(line)
    return documents
