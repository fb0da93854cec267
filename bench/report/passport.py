"""The data passport of a group, where it lies beside the cells or the records can still be found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from bench.pages import Section, as_table
from bench.passport import Passport
from bench.passport.finding import find_passports, subject_of
from bench.records.splits import SPLITS
from bench.report.groups import Group
from bench.report.prose import bullets, facts, paragraph, reading
from bench.store import Store


def passports_of(store: Store, groups: Sequence[Group]) -> dict[str, Passport | str]:
    """By a group's name its passport, or why there is none.

    Raises:
        InputError: a passport beside the cells cannot be read.
    """
    found = find_passports(store, (group.cells[0] for group in groups))
    return {group.name: found[subject_of(group.cells[0])] for group in groups}


def passport_section(group: Group, passport: Passport | str) -> Section:
    """What the data are, split by split, and what is wrong with them; never a word of theirs."""
    body = reading(
        "What the records are, and what a run on them can show. Nothing here is text of theirs.",
        "datasets.md",
        "The data passport",
    )
    name = f"{group.name}-passport"
    if isinstance(passport, str):
        counts = group.cells[0].counts
        body += paragraph("There is no passport: {}.", passport)
        body += facts(
            [
                ("records, by split", _named(group.cells[0].setting.records)),
                ("people judged", f"{counts.member_units} members, {counts.nonmember_units} non-members"),
                (
                    "members' spans",
                    f"{counts.spans}, and {counts.spans_lost_by_truncation} lost by truncation",
                ),
            ]
        )
        return Section(name, "Data passport", body)
    return Section(name, "Data passport", body + _known(name, passport))


def _named(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{split} {count}" for split, count in counts.items())


def _known(name: str, passport: Passport) -> Markup:
    about, total, across = passport.dataset, passport.total, passport.across.near_duplicate_pairs
    body = facts(
        [
            ("dataset", f"{about.name}: {about.title}"),
            ("family, language", f"{about.family}, {about.language}"),
            ("licence", about.licence),
            ("groups", f"stated by {total.records - total.ungrouped} of {total.records} records"),
            (
                "near-duplicates",
                f"{passport.near_duplicate_pairs} pairs, {across} in two splits",
            ),
            ("content", passport.content),
        ]
    )
    body += as_table(f"{name}-splits", "Splits", *_splits(passport))
    body += as_table(f"{name}-labels", "Labels: spans in each split", *_labels(passport))
    for heading, lines in (
        ("Faults, which break the protocol", passport.faults),
        ("Warnings", passport.warnings),
    ):
        body += paragraph("{}: {}", heading, "none" if not lines else "") + bullets(lines)
    return body


def _splits(passport: Passport) -> tuple[list[str], list[list[str]]]:
    parts = {split: passport.splits[split] for split in SPLITS} | {"all": passport.total}
    headings = ["split", "records", "groups", "spans", "lost by truncation", "median tokens", "longest"]
    lines = []
    for split, part in parts.items():
        counts = [part.records, part.groups, part.spans, part.spans_lost_by_truncation]
        length = ["n/a"] * 2 if part.tokens is None else [f"{part.tokens.median:.0f}", str(part.tokens.max)]
        lines.append([split, *map(str, counts), *length])
    return headings, lines


def _labels(passport: Passport) -> tuple[list[str], list[list[str]]]:
    borders = passport.across.values
    headings = ["label", *SPLITS, *(f"values in {border.replace('-', ' and ')}" for border in borders)]
    lines = []
    for label in passport.labels:
        spans = [str(passport.splits[split].spans_by_label.get(label, 0)) for split in SPLITS]
        shared = [f"{values[label].both} of {values[label].first}" for values in borders.values()]
        lines.append([label, *spans, *shared])
    return headings, lines
