"""Which tests begin first, and which stay together, where several workers share them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.workers import longer_timeouts, longest_first, scope_of, workers_for


@dataclass
class Item:
    nodeid: str
    seconds: int = 0

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return pytest.Mark(name, (self.seconds,), {}, _ispytest=True) if self.seconds else None


def ordered(*items: Item) -> list[str]:
    given = list(items)
    longest_first(given)  # type: ignore[arg-type]
    return [item.nodeid for item in given]


def test_the_browsers_come_first_then_the_longest_then_the_largest():
    assert ordered(
        Item("tests/api/test_small.py::test_one"),
        Item("tests/api/test_large.py::test_one"),
        Item("tests/api/test_large.py::test_two"),
        Item("tests/unit/test_long.py::test_quick"),
        Item("tests/unit/test_long.py::test_slow", seconds=30),
        Item("tests/unit/test_longer.py::test_slow", seconds=40),
        Item("tests/browser/test_page.py::test_one"),
    ) == [
        "tests/browser/test_page.py::test_one",
        "tests/unit/test_longer.py::test_slow",
        "tests/unit/test_long.py::test_quick",
        "tests/unit/test_long.py::test_slow",
        "tests/api/test_large.py::test_one",
        "tests/api/test_large.py::test_two",
        "tests/api/test_small.py::test_one",
    ]


def test_a_long_test_may_take_in_proportion_and_keeps_a_timeout_of_its_own(request):
    long, short, own = (
        pytest.Function.from_parent(request.node.parent, name=name, callobj=lambda: None)
        for name in ("test_long", "test_short", "test_own")
    )
    long.add_marker(pytest.mark.takes(80))
    short.add_marker(pytest.mark.takes(10))
    own.add_marker(pytest.mark.takes(80))
    own.add_marker(pytest.mark.timeout(900))
    longer_timeouts([long, short, own], usual=300)
    limits = [[mark.args[0] for mark in item.iter_markers("timeout")] for item in (long, short, own)]
    assert limits == [[1200], [], [900]]


def test_a_file_stays_together_and_the_browsers_all_do():
    assert scope_of("tests/api/test_a.py::test_x[a::b]") == "tests/api/test_a.py"
    assert scope_of("tests/browser/test_a.py::test_x") == scope_of("tests/browser/test_b.py::test_y")


def test_one_worker_more_than_cores_of_which_four_count():
    assert [workers_for(cores) for cores in (1, 2, 4, 32)] == [2, 3, 5, 5]
