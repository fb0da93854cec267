"""The data passport as text: for the terminal, and as its JSON file."""

from collections.abc import Mapping, Sequence

from tabulate import tabulate

from bench.passport.format import Label, Length, Part, Passport
from bench.records.splits import SPLITS
from bench.store import to_json


def as_json(passport: Passport) -> str:
    """The passport file."""
    return to_json(passport.model_dump(mode="json", by_alias=True))


def as_text(passport: Passport) -> str:
    """What a terminal shows: a few lines and tables, then faults and warnings."""
    parts = {name: passport.splits[name] for name in SPLITS} | {"all": passport.total}
    tables = [
        _splits(parts),
        _lengths("characters", {name: part.characters for name, part in parts.items()}),
        _lengths("tokens", {name: part.tokens for name, part in parts.items()}),
        _labels(passport.labels),
        _spans(passport),
        _values(passport),
    ]
    findings = [_findings("faults", passport.faults), _findings("warnings", passport.warnings)]
    paragraphs = [_head(passport), *(table for table in tables if table), _across(passport), *findings]
    return "\n\n".join(paragraphs) + "\n"


def _head(passport: Passport) -> str:
    about, setting, total = passport.dataset, passport.setting, passport.total
    source = f"reader {about.reader}" if about.reader else f"generator {about.generator}"
    shares = ", ".join(f"{name} {setting.shares[name]:g}" for name in SPLITS)
    limit = "no limit" if setting.limit is None else f"limit {setting.limit}"
    lines = [
        f"{about.name}: {about.title}",
        f"family {about.family} · language {about.language} · licence {about.licence} · {source}",
        f"content {passport.content} · groups stated by {total.records - total.ungrouped} of {total.records}",
        f"{limit} · split seed {setting.split_seed} · shares {shares}",
        f"tokens of {setting.model}, at most {setting.max_length} of a record are kept",
    ]
    return "\n".join(" ".join(line.split()) for line in lines)


def _splits(parts: Mapping[str, Part]) -> str:
    headers = ["split", "records", "groups", "spans", "lost by truncation", "records without spans"]
    body = []
    for name, part in parts.items():
        share = part.share_without_spans
        without = "n/a" if share is None else f"{100 * share:.1f} %"
        counts = [part.records, part.groups, part.spans, part.spans_lost_by_truncation]
        body.append([name, *map(str, counts), without])
    return _table(headers, body)


def _lengths(unit: str, lengths: Mapping[str, Length | None]) -> str:
    body = [
        [name, *(f"{value:.0f}" for value in (length.min, length.median, length.p95, length.max))]
        for name, length in lengths.items()
        if length is not None
    ]
    return _table([unit, "min", "median", "95th percentile", "max"], body)


def _labels(labels: Mapping[str, Label]) -> str:
    headers = ["label", "records", "groups", "spans", "lost by truncation", "whitespace at an edge"]
    body = []
    for name, label in labels.items():
        counts = [label.records, label.groups, label.spans]
        counts += [label.spans_lost_by_truncation, label.whitespace_edges]
        body.append([name, *map(str, counts)])
    return _table(headers, body)


def _spans(passport: Passport) -> str:
    body = [
        [name, *(str(passport.splits[split].spans_by_label.get(name, 0)) for split in SPLITS)]
        for name in passport.labels
    ]
    return _table(["spans", *SPLITS], body)


def _values(passport: Passport) -> str:
    values = passport.across.values
    body = [
        [name, *(f"{shared[name].both} of {shared[name].first}" for shared in values.values())]
        for name in passport.labels
    ]
    return _table(["values in both", *values], body)


def _across(passport: Passport) -> str:
    across = passport.across
    return (
        f"groups in more than one split: {across.groups}\n"
        f"near-duplicate pairs: {passport.near_duplicate_pairs}, in two splits: {across.near_duplicate_pairs}"
    )


def _findings(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{heading}:" if lines else f"{heading}: none", *(f"- {line}" for line in lines)])


def _table(headers: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Nothing where there is no line."""
    if not body:
        return ""
    aligned = ("left",) + ("right",) * (len(headers) - 1)
    return tabulate(body, headers, tablefmt="simple", disable_numparse=True, colalign=aligned)
