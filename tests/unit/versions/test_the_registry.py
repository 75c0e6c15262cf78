"""What may be versioned is registered by those who know it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import Invalid
from kernel.json import JsonObject
from kernel.problems import errors_in
from tenants.versioning.errors import VersionedUnknown
from tenants.versioning.registry import Versioned, all_versioned, versioned_of
from tenants.versioning.validation import DEEPEST, LARGEST_BYTES, check_storable, problems_of


def test_the_policy_and_the_three_prompts_are_versioned() -> None:
    known = [(one.kind, one.name) for one in all_versioned()]
    assert known == [
        ("policy", "scope"),
        ("prompt", "contextualize"),
        ("prompt", "answer"),
        ("prompt", "summarize"),
    ]


def test_what_is_built_in_is_right() -> None:
    for one in all_versioned():
        assert problems_of(one, one.builtin) == () and one.complete(one.builtin) == one.builtin
        assert one.title and one.about


def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    with pytest.raises(VersionedUnknown) as refusal:
        versioned_of("prompt", "greet")
    assert "contextualize, answer, summarize" in refusal.value.message and refusal.value.http_status == 404


@pytest.mark.parametrize(
    "data",
    [
        [],
        "text",
        None,
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": "\x00"},
        {"\x00": 1},
        {"a": "\ud800"},
        {"a": {1, 2}},
    ],
    ids=repr,
)
def test_what_the_database_cannot_store_is_refused_before(data: object) -> None:
    with pytest.raises(Invalid):
        check_storable(data)


def nested(levels: int) -> dict[str, object]:
    data: dict[str, object] = {}
    for _ in range(levels - 1):
        data = {"a": data}
    return data


def test_data_that_is_nested_without_end_is_refused_and_ends_no_request() -> None:
    assert check_storable(nested(DEEPEST))
    for levels in (DEEPEST + 1, 100_000):
        with pytest.raises(Invalid, match=str(DEEPEST)):
            check_storable(nested(levels))


def test_data_has_a_size() -> None:
    assert check_storable({"a": "x" * 1000})
    with pytest.raises(Invalid, match=str(LARGEST_BYTES)):
        check_storable({"a": "é" * LARGEST_BYTES})


KEYS = st.sampled_from(
    "strategy window horizons stale_after evict_after per_type place thresholds related unrelated space single_valued "
    "budgets exchanges_kept resume_after_seconds system user x".split()
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(0, 60)
    | st.floats()
    | st.floats(0, 1)
    | st.text(max_size=30)
    | st.sampled_from(
        ["liveness", "window", "place", "{message}", "{slots} {turns} {message}", "{kinds}", "{0}"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@pytest.mark.parametrize("versioned", all_versioned(), ids=lambda one: one.name)
@given(data=st.dictionaries(KEYS, JSON, max_size=5))
def test_whatever_is_written_is_judged_and_what_is_right_is_complete(
    versioned: Versioned, data: JsonObject
) -> None:
    if errors_in(problems_of(versioned, data)):
        return
    complete = versioned.complete(data)
    assert not errors_in(problems_of(versioned, complete)) and versioned.complete(complete) == complete
