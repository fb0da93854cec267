"""Makes a passport: records, splits and tokens in; figures and findings out."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bench.passport.counts import labels, part
from bench.passport.findings import faults, warnings
from bench.passport.format import About, Borders, Figures, Passport, Setting, Shared
from bench.records.borders import Splits, groups_across, near_duplicate_pairs, values_by_label
from bench.records.cards import Card, FileSource, GeneratorSource
from bench.records.record import Record
from bench.store import digest
from bench.tokens import Tokens

BORDERS = (("target", "complement"), ("target", "holdout"), ("target", "population"))
"""Who has a member's value as well: the references, the non-members, an adversary of the population."""


def make_passport(
    card: Card, setting: Setting, splits: Splits, tokens: Mapping[str, Sequence[Tokens]]
) -> Passport:
    """What there is to know about a dataset before a run, without any of its text.

    splits: the records of each of the five splits; tokens: the same records, tokenized whole.
    """
    records = [record for name in splits for record in splits[name]]
    whole = [one for name in splits for one in tokens[name]]
    pairs = near_duplicate_pairs(splits)
    figures = Figures(
        dataset=_about(card),
        setting=setting,
        content=content_digest(records),
        total=part(records, whole, setting.max_length),
        splits={name: part(splits[name], tokens[name], setting.max_length) for name in splits},
        labels=labels(records, whole, setting.max_length),
        near_duplicate_pairs=pairs.total(),
        across=_across(splits, pairs),
    )
    return Passport(**dict(figures), faults=faults(figures), warnings=warnings(figures))


def content_digest(records: Sequence[Record]) -> str:
    """A hash of records and their spans that depends neither on their order nor on their splits."""
    return digest(
        [
            [record.id, record.text, record.group, [[s.start, s.end, s.label] for s in record.spans]]
            for record in sorted(records, key=lambda record: record.id)
        ]
    )


def _about(card: Card) -> About:
    source = card.source
    return About(
        name=card.name,
        title=card.title,
        family=card.family,
        language=card.language,
        licence=card.licence,
        reader=source.reader if isinstance(source, FileSource) else None,
        generator=source.generator if isinstance(source, GeneratorSource) else None,
    )


def _across(splits: Splits, pairs: Counter[tuple[str, str]]) -> Borders:
    across = {f"{one}-{other}": count for (one, other), count in sorted(pairs.items()) if one != other}
    values = {name: values_by_label(records) for name, records in splits.items()}
    found = sorted(set().union(*values.values()))
    return Borders(
        groups=groups_across(splits),
        near_duplicate_pairs=sum(across.values()),
        near_duplicate_pairs_by_border=across,
        values={
            f"{one}-{other}": {label: _shared(values[one][label], values[other][label]) for label in found}
            for one, other in BORDERS
        },
    )


def _shared(first: set[str], second: set[str]) -> Shared:
    return Shared(both=len(first & second), first=len(first))
