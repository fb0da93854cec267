"""What stands on both sides of a border between splits: groups, near-duplicates, values of identifiers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from bench.records.duplicates import near_duplicates
from bench.records.record import Record

Splits = Mapping[str, Sequence[Record]]


def groups_across(splits: Splits) -> int:
    """How many groups have records in more than one split."""
    homes: dict[str, set[str]] = defaultdict(set)
    for name, records in splits.items():
        for record in records:
            homes[record.unit].add(name)
    return sum(len(names) > 1 for names in homes.values())


def near_duplicate_pairs(splits: Splits) -> Counter[tuple[str, str]]:
    """How many near-duplicates lie in each pair of splits, a split and itself among them.

    The two names of a pair come in the order of the splits.
    """
    homes = [name for name, records in splits.items() for _ in records]
    texts = [record.text for records in splits.values() for record in records]
    return Counter((homes[one], homes[other]) for one, other in near_duplicates(texts))


def values_by_label(records: Iterable[Record]) -> defaultdict[str, set[str]]:
    """The distinct values of each label's spans, whatever their case and the kind and width of blanks."""
    values: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        for span in record.spans:
            words = record.text[span.start : span.end].casefold().split()
            values[span.label] |= {" ".join(words)} if words else set()
    return values
