"""Chains and schedules that can be checked by hand."""

from bench.estimates.timeline import Step, critical_path, time_on

# a 3 ── b 2 ── d 4        c 6 ── e 1, which also waits for something that is done already
STEPS = [
    Step("a", (), 3.0),
    Step("b", ("a",), 2.0),
    Step("c", (), 6.0),
    Step("d", ("b",), 4.0),
    Step("e", ("c", "done before"), 1.0),
]


def test_the_critical_path_is_the_chain_that_takes_longest():
    assert [step.key for step in critical_path(STEPS)] == ["a", "b", "d"]


def test_a_step_waits_for_the_last_of_its_needs():
    both = [*STEPS, Step("f", ("d", "e"), 1.0), Step("g", ("c", "b"), 2.0)]
    assert [step.key for step in critical_path(both)] == ["a", "b", "d", "f"]
    assert time_on(both, 5) == 10.0


def test_one_device_takes_the_sum_and_enough_devices_the_critical_path():
    assert time_on(STEPS, 1) == 16.0
    assert time_on(STEPS, 2) == 9.0
    assert time_on(STEPS, 100) == 9.0


def test_a_free_device_takes_the_first_that_is_ready():
    assert time_on([Step("a", (), 1.0), Step("b", (), 1.0), Step("c", (), 2.0)], 2) == 3.0
    assert time_on([Step("c", (), 2.0), Step("a", (), 1.0), Step("b", (), 1.0)], 2) == 2.0


def test_nothing_to_do_takes_no_time():
    assert critical_path([]) == []
    assert time_on([], 3) == 0.0
