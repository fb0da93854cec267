import os
import re
import subprocess
import sys
from collections import defaultdict
from itertools import combinations

import pytest

from bench.errors import InputError
from bench.records.record import Record
from bench.records.surrogates import FIRST_NAMES, SURNAMES
from bench.records.synthetic import FAMILIES, family

ANY_FAMILY = pytest.mark.parametrize("name", FAMILIES)
SEEDS = (0, 1, 7)

EMAIL = re.compile(r"\b[\w.]+@[\w.]+\w")
PHONE = re.compile(r"\(?\b\d{3}\)?[- ]555[- ]01\d\d\b")
URL = re.compile(r"https://[\w./]+\w")
FULL_NAME = re.compile(rf"\b(?:{'|'.join(FIRST_NAMES)}) (?:{'|'.join(SURNAMES)})\b")
NAMES = {"essays": {"STUDENT", "TEACHER", "FRIEND"}, "clinical": {"PATIENT", "CLINICIAN"}}
OWNER = {"essays": "STUDENT", "clinical": "PATIENT"}


def values(record: Record, *labels: str) -> list[str]:
    return [record.text[span.start : span.end] for span in record.spans if span.label in labels]


def by_group(records: list[Record]) -> dict[str, list[Record]]:
    groups = defaultdict(list)
    for record in records:
        groups[record.unit].append(record)
    return groups


@ANY_FAMILY
def test_every_address_number_and_full_name_in_a_text_is_a_span(name: str) -> None:
    for record in family(name)(300, 3):
        assert values(record, "EMAIL") == EMAIL.findall(record.text)
        assert values(record, "PHONE") == PHONE.findall(record.text)
        assert values(record, "URL") == URL.findall(record.text)
        named = [value for value in values(record, *NAMES[name]) if " " in value]
        assert named == FULL_NAME.findall(record.text)


@ANY_FAMILY
def test_each_occurrence_of_a_surname_is_a_span(name: str) -> None:
    for record in family(name)(300, 4):
        surnames = re.findall(rf"\b(?:{'|'.join(SURNAMES)})\b", record.text)
        spans = [value for value in values(record, *NAMES[name]) if value.split()[-1] in SURNAMES]
        assert [value.split()[-1] for value in spans] == surnames


@ANY_FAMILY
def test_no_slot_is_left_unfilled(name: str) -> None:
    assert not any(re.search(r"[{}|]{2}|[{}]", record.text) for record in family(name)(400, 5))


@ANY_FAMILY
def test_mail_and_web_addresses_lie_in_domains_kept_for_examples(name: str) -> None:
    kept = re.compile(r"(\.example|example\.(com|org|net))$")
    for record in family(name)(200, 6):
        hosts = [mail.split("@")[1] for mail in values(record, "EMAIL")]
        hosts += [url.split("/")[2] for url in values(record, "URL")]
        assert all(kept.search(host) for host in hosts)


@ANY_FAMILY
@pytest.mark.parametrize("seed", SEEDS)
def test_records_are_short_with_enough_spans_mostly_near_the_front(name: str, seed: int) -> None:
    records = family(name)(160, seed)
    spans = [span for record in records for span in record.spans]
    assert all(350 <= len(record.text) <= 650 for record in records)
    assert all(2 <= len(record.text.split("\n\n")) <= 4 for record in records)
    assert all(len(record.spans) >= 4 for record in records)
    assert sum(span.end <= 450 for span in spans) > 0.9 * len(spans)


@ANY_FAMILY
def test_a_small_collection_already_holds_many_kinds_of_identifiers(name: str) -> None:
    records = family(name)(50, 0)
    assert len({span.label for record in records for span in record.spans}) >= 11


@ANY_FAMILY
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_records_share_a_paragraph(name: str, seed: int) -> None:
    paragraphs = [part for record in family(name)(400, seed) for part in record.text.split("\n\n")]
    assert len(paragraphs) == len(set(paragraphs))


@ANY_FAMILY
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_records_are_near_copies(name: str, seed: int) -> None:
    def five_grams(text: str) -> set[tuple[str, ...]]:
        words = text.lower().split()
        return {tuple(words[i : i + 5]) for i in range(len(words) - 4)}

    grams = [five_grams(record.text) for record in family(name)(200, seed)]
    assert max(len(a & b) / len(a | b) for a, b in combinations(grams, 2)) < 0.4


@ANY_FAMILY
def test_no_full_name_occurs_in_two_groups(name: str) -> None:
    groups_of = defaultdict(set)
    for record in family(name)(400, 2):
        for value in FULL_NAME.findall(record.text):
            groups_of[value].add(record.group)
    assert all(len(groups) == 1 for groups in groups_of.values())


@ANY_FAMILY
def test_a_group_keeps_its_identifiers_throughout(name: str) -> None:
    changing = {"DATE", "ADMISSION_DATE", "DISCHARGE_DATE", "AGE", *NAMES[name]}
    for records in by_group(family(name)(200, 8)).values():
        owners = {value for record in records for value in values(record, OWNER[name]) if " " in value}
        assert len(owners) == 1
        for label in {span.label for record in records for span in record.spans} - changing:
            assert len({value for record in records for value in values(record, label)}) == 1


@ANY_FAMILY
def test_most_people_have_one_record_and_some_have_two(name: str) -> None:
    for n in range(1, 60):
        assert sum(len(records) for records in by_group(family(name)(n, 0)).values()) == n
    sizes = [len(records) for records in by_group(family(name)(200, 0)).values()]
    assert set(sizes) == {1, 2}
    assert sizes.count(1) > 3 * sizes.count(2)


@ANY_FAMILY
def test_ids_are_numbered_and_do_not_follow_the_groups(name: str) -> None:
    records = family(name)(160, 0)
    prefix = {"essays": "essay", "clinical": "case"}[name]
    assert [record.id for record in records] == [f"{prefix}-{i:04d}" for i in range(1, 161)]
    assert sorted(record.unit for record in records) != [record.unit for record in records]


@ANY_FAMILY
def test_a_seed_gives_the_same_records_whatever_ran_before_and_in_any_process(name: str) -> None:
    first = family(name)(30, 11)
    family(name)(5, 12)
    assert family(name)(30, 11) == first
    assert family(name)(30, 12) != first
    program = f"from bench.records.synthetic import family; print(repr(family({name!r})(30, 11)))"
    for hash_seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        printed = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert printed.stdout.strip() == repr(first)


@ANY_FAMILY
def test_a_large_collection_can_be_generated(name: str) -> None:
    assert len(family(name)(5000, 0)) == 5000


@ANY_FAMILY
@pytest.mark.parametrize("n", [0, -3])
def test_fewer_than_one_record_is_refused(name: str, n: int) -> None:
    with pytest.raises(InputError, match=str(n)):
        family(name)(n, 0)


@ANY_FAMILY
def test_more_people_than_there_are_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="names; ask for less"):
        family(name)(300_000, 0)


@ANY_FAMILY
def test_one_record_can_be_had(name: str) -> None:
    assert len(family(name)(1, 0)) == 1


def test_an_unknown_family_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean 'essays'"):
        family("esays")
