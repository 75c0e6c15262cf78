"""A policy that cannot be meant is refused with the place, the reason and what would be right."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conversations.domain.entities import TYPES
from conversations.domain.policy import SLOT_TYPES, ScopePolicy
from conversations.domain.policy_schema import (
    SETTINGS,
    policy_completed,
    policy_fields,
    policy_problems,
    policy_schema,
)
from kernel.problems import Problem, Severity, errors_in
from tenants.versioning.registry import Versioned
from tenants.versioning.validation import problems_of

POLICY = Versioned(
    kind="policy",
    name="scope",
    title="",
    about="",
    schema=policy_schema(),
    builtin=ScopePolicy().to_json(),
    check=policy_problems,
    complete=policy_completed,
)


def problems(data: Any) -> tuple[Problem, ...]:
    return problems_of(POLICY, data)


def paths_of(policy: Any, under: str = "") -> set[str]:
    """Paths of every setting, read off the dataclasses themselves."""
    found: set[str] = set()
    for item in fields(policy):
        if (under, item.name) == ("", "version"):
            continue
        value, path = getattr(policy, item.name), f"{under}{item.name}"
        found |= {path} | (paths_of(value, f"{path}.") if is_dataclass(value) else set())
    return found


def test_it_describes_every_setting_of_the_policy_and_no_other() -> None:
    assert set(SETTINGS) == paths_of(ScopePolicy())


def test_it_is_a_schema_of_its_own_defaults() -> None:
    Draft202012Validator.check_schema(policy_schema())
    assert problems(ScopePolicy().to_json()) == () == problems({})
    assert policy_completed({}) == ScopePolicy().to_json()


@pytest.mark.parametrize("field", policy_fields(), ids=lambda field: field.path)
def test_every_default_lies_within_its_bounds_and_every_bound_is_accepted(field: Any) -> None:
    if field.minimum is None:
        assert field.kind not in ("integer", "number")
        return
    assert field.minimum <= field.default <= field.maximum and field.unit
    for value in (field.minimum, field.maximum):
        whole = int(value) if field.kind == "integer" else value
        assert not [p for p in problems(nested(field.path, whole)) if p.allowed]
    for value in (field.minimum - 1, field.maximum + 1):
        (problem,) = problems(nested(field.path, value))
        assert problem.path == field.path and str(field.maximum) in problem.allowed


def nested(path: str, value: Any) -> dict[str, Any]:
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)


def test_it_knows_every_type_that_a_slot_can_have() -> None:
    assert set(TYPES.values()) | {"topic", "identifier", "activity"} == set(SLOT_TYPES)


@pytest.mark.parametrize(
    ("data", "path", "message", "allowed"),
    [
        ({"window": 0}, "window", "0 is too small.", "1 to 50 turns"),
        ({"window": "four"}, "window", "This must be a whole number.", "1 to 50 turns"),
        ({"window": True}, "window", "This must be a whole number.", "1 to 50 turns"),
        ({"window": 2.5}, "window", "This must be a whole number.", "1 to 50 turns"),
        (
            {"strategy": "all"},
            "strategy",
            '"all" is not one of the choices.',
            "window, segment, liveness, hybrid",
        ),
        (
            {"horizons": {"stale": 3}},
            "horizons.stale",
            "There is no such setting.",
            "stale_after, evict_after, per_type",
        ),
        ({"windw": 3}, "windw", "There is no such setting. Did you mean window?", "strategy, window"),
        ({"horizons": 3}, "horizons", "This must be a group of settings.", ""),
        ({"thresholds": {"related": 1.5}}, "thresholds.related", "1.5 is too large.", "0 to 1 affinity"),
        ({"single_valued": ["plcae"]}, "single_valued[0]", '"plcae" is not one of the choices.', "person, "),
        ({"single_valued": ["place", "place"]}, "single_valued", "The list names something twice.", ""),
        (
            {"horizons": {"per_type": {"plcae": [1, 4]}}},
            "horizons.per_type.plcae",
            "There is no such setting. Did you mean place?",
            "person, ",
        ),
        (
            {"horizons": {"per_type": {"place": [1]}}},
            "horizons.per_type.place",
            "The list has the wrong length: 1.",
            "2 to 2",
        ),
        (
            {"horizons": {"per_type": {"place": [0, 4]}}},
            "horizons.per_type.place[0]",
            "0 is too small.",
            "1 to 50 turns",
        ),
        ({"thresholds": {"space": ""}}, "thresholds.space", "This must not be empty.", "1 to 200 characters"),
    ],
)
def test_it_says_where_what_and_what_would_be_right(data: Any, path: str, message: str, allowed: str) -> None:
    (problem,) = problems(data)
    assert (problem.path, problem.severity) == (path, Severity.ERROR)
    assert problem.message.startswith(message) and problem.allowed.startswith(allowed)


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"horizons": {"stale_after": 8}}, "horizons.stale_after"),
        ({"horizons": {"per_type": {"place": [4, 4]}}}, "horizons.per_type.place"),
        ({"thresholds": {"unrelated": 0.5, "related": 0.4}}, "thresholds.unrelated"),
    ],
)
def test_it_finds_settings_that_contradict_each_other(data: Any, path: str) -> None:
    (problem,) = problems(data)
    assert problem.path == path and errors_in([problem])


def test_it_tells_everything_that_is_wrong_at_once() -> None:
    found = problems({"window": 0, "strategy": "all", "budgets": {"sentences_kept": -1}})
    assert {problem.path for problem in found} == {"window", "strategy", "budgets.sentences_kept"}


def test_it_warns_of_a_window_that_reaches_further_than_the_session_keeps() -> None:
    (problem,) = problems({"strategy": "window", "window": 40})
    assert problem.severity is Severity.WARNING and "12" in problem.message


def test_a_policy_carries_its_version_without_being_another_policy() -> None:
    stored = ScopePolicy.from_json(ScopePolicy().to_json(), version=7)
    assert stored.version == 7 and stored == ScopePolicy() and "version" not in stored.to_json()
