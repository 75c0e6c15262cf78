"""What changed between two versions, for people and for the log."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenants.versioning.differences import (
    Change,
    ChangeKind,
    changes_between,
    path_of,
    same,
    summary_of,
    text_difference,
)

LIBRARY = "You answer for the library.\nBe brief.\nNever guess.\nThank the reader."
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab c", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from(["one", "two", "a b", "x.y"]), VALUES, max_size=4)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"window": 4}, {"window": 6}, [("window", "changed", 4, 6)]),
        (
            {"horizons": {"stale_after": 3}},
            {"horizons": {"stale_after": 5}},
            [("horizons.stale_after", "changed", 3, 5)],
        ),
        ({"per_type": {}}, {"per_type": {"place": [1, 4]}}, [("per_type.place", "added", None, [1, 4])]),
        ({"a": 1, "b": 2}, {"b": 2}, [("a", "removed", 1, None)]),
        (
            {"single_valued": ["place"]},
            {"single_valued": ["date"]},
            [("single_valued", "changed", ["place"], ["date"])],
        ),
        ({"on": 1}, {"on": True}, [("on", "changed", 1, True)]),
        ({"share": 1}, {"share": 1.0}, []),
        ({"a": {"x": 1}}, {"a": 3}, [("a", "changed", {"x": 1}, 3)]),
        ({}, {}, []),
    ],
)
def test_it_names_each_value_that_differs(before: Any, after: Any, expected: list[Any]) -> None:
    found = [(c.path, c.kind.value, c.before, c.after) for c in changes_between(before, after)]
    assert found == expected


@given(OBJECTS, OBJECTS)
def test_there_is_a_change_exactly_where_the_data_is_not_the_same(before: Any, after: Any) -> None:
    assert (changes_between(before, after) == ()) is same(before, after)
    assert changes_between(before, before) == ()


@given(OBJECTS, OBJECTS)
def test_the_way_back_is_the_same_changes_the_other_way_round(before: Any, after: Any) -> None:
    there = {c.path: (c.before, c.after) for c in changes_between(before, after)}
    back = {c.path: (c.after, c.before) for c in changes_between(after, before)}
    assert there == back


def test_a_text_is_compared_line_by_line() -> None:
    (change,) = changes_between({"system": LIBRARY}, {"system": LIBRARY.replace("Be brief.", "Be kind.")})
    assert [line for line in change.lines if line[0] in "+-"] == ["-Be brief.", "+Be kind."]
    assert change.lines[0].startswith("@@")


def test_equal_texts_have_no_difference() -> None:
    assert text_difference(LIBRARY, LIBRARY) == ()


def test_a_summary_tells_numbers_and_choices() -> None:
    changes = changes_between({"window": 4, "strategy": "liveness"}, {"window": 6, "strategy": "window"})
    assert summary_of(changes) == [
        {"path": "window", "kind": "changed", "before": 4, "after": 6},
        {"path": "strategy", "kind": "changed", "before": "liveness", "after": "window"},
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"system": LIBRARY}, {"system": "The code word is swordfish."}),
        ({}, {"system": "The code word is swordfish."}),
        ({"system": "The code word is swordfish."}, {}),
        ({"list": ["The code word is swordfish."]}, {"list": []}),
        ({"group": {"a": "The code word is swordfish."}}, {"group": 3}),
        ({"system": "swordfish"}, {"system": "The code word is swordfish."}),
    ],
)
def test_a_summary_never_holds_a_text(before: Any, after: Any) -> None:
    told = json.dumps(summary_of(changes_between(before, after)))
    assert "code word" not in told and "library" not in told
    assert json.loads(told)


def test_a_summary_counts_the_lines_of_a_text() -> None:
    changed = changes_between({"system": LIBRARY}, {"system": LIBRARY + "\nSmile.\nAgain."})
    assert summary_of(changed) == [
        {"path": "system", "kind": "changed", "lines_added": 2, "lines_removed": 0}
    ]


def test_a_path_reads_like_the_data() -> None:
    assert path_of(["horizons", "per_type", "place", 0]) == "horizons.per_type.place[0]"
    assert path_of(["a", "b c"]) == 'a["b c"]'


def test_a_change_is_a_value() -> None:
    assert Change("a", ChangeKind.ADDED, after=1) == Change("a", ChangeKind.ADDED, after=1)
