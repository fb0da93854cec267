from dataclasses import replace

import pytest
from passports import passport, record, sound

from bench.passport import as_text
from bench.records.splits import SPLITS

FILLER = "seven words that no other record has"


def test_values_on_both_sides_are_warned_of_with_their_border():
    splits = sound()
    splits["population"].append(replace(splits["target"][0], id="again", text="target, once more"))
    lines = [line for line in passport(splits).warnings if "both sides" in line]
    assert lines == ["values on both sides of target-population: 1 of target's 1 (person 1)"]


def test_sound_splits_have_no_fault():
    assert passport(sound()).faults == ()


def test_a_group_in_two_splits_is_a_fault():
    splits = sound()
    splits["holdout"].append(replace(splits["holdout"][0], id="new", group="of target 0", text="Ann " * 9))
    shown = passport(splits)
    assert shown.across.groups == 1
    assert shown.faults == ("groups in more than one split: 1",)


def test_near_duplicates_are_counted_by_border_and_are_a_fault_across_one():
    splits = sound()
    for number, name in enumerate(["target", "target", "complement", "holdout"]):
        splits[name].append(
            record(f"copy {number}", f"{FILLER}{'!' * number}", (0, 5, "id"), group="g" * number)
        )
    shown = passport(splits)
    assert shown.near_duplicate_pairs == 6
    assert shown.across.near_duplicate_pairs == 5
    borders = {"complement-holdout": 1, "target-complement": 2, "target-holdout": 2}
    assert shown.across.near_duplicate_pairs_by_border == borders
    listed = "complement-holdout 1, target-complement 2, target-holdout 2"
    assert shown.faults == (f"near-duplicate pairs in two splits: 5 ({listed})",)


@pytest.mark.parametrize("name", SPLITS)
def test_a_split_without_spans_is_a_fault(name):
    bare = [replace(one, spans=()) for one in sound()[name]]
    shown = passport(sound(**{name: bare}))
    assert shown.faults == (f"{name} has no span at all",)
    assert shown.splits[name].share_without_spans == 1


def test_a_split_whose_spans_are_all_lost_is_a_fault():
    late = [record(n, f"{n} word " * 30, (200, 204, "date")) for n in range(2)]
    assert passport(sound(validation=late), 8).faults == ("validation has no span within 8 tokens",)
    assert passport(sound(validation=late), 256).faults == ()


@pytest.mark.parametrize(("nonmembers", "faulty"), [(19, True), (20, False)])
def test_one_non_member_too_few_is_a_fault(nonmembers, faulty):
    expected = ("non-members in holdout: 19, at least 20 are needed; raise its --share",) if faulty else ()
    assert passport(sound(nonmembers)).faults == expected


@pytest.mark.parametrize(
    ("nonmembers", "refused"), [(99, ["1", "0.1"]), (100, ["0.1"]), (999, ["0.1"]), (1000, [])]
)
def test_a_tpr_that_will_be_refused_is_warned_of(nonmembers, refused):
    lines = [line for line in passport(sound(nonmembers)).warnings if line.startswith("TPR")]
    assert [line.split()[2] for line in lines] == refused
    assert all(f"{nonmembers} non-members" in line for line in lines)


@pytest.mark.parametrize("value", [" Ann", "Ann\r", "\n", "Ann\u00a0"])
def test_spans_with_whitespace_at_an_edge_are_a_fault(value):
    shown = passport(sound(target=[record(1, f"by{value}\nleft", (2, 2 + len(value), "person"))]))
    assert shown.faults == ("spans that start or end with whitespace: 1 (person 1)",)


def test_records_that_state_no_group_are_warned_of():
    shown = passport(sound(target=[record(1, "Ann", (0, 3, "id"))]))
    assert "records that state no group: 1 of 27; each is a privacy unit" in shown.warnings
    assert not any("group" in line for line in passport(sound()).warnings)


def test_no_record_at_all_has_a_passport_full_of_faults():
    shown = passport({name: [] for name in SPLITS})
    assert len(shown.faults) == 6
    assert shown.total.characters is None
    assert shown.total.share_without_spans is None
    assert "target       " in as_text(shown)
