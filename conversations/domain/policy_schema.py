"""Describes the scope policy for those who write one: every setting with its range, its unit and what it does.

The schema is made from the policy itself, so names, kinds of value and defaults cannot drift apart; what the code
cannot know, ranges and words, stands in one table here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from conversations.domain.policy import SLOT_TYPES, BadPolicy, ScopePolicy, Strategy
from kernel.json import JsonObject
from kernel.problems import Problem, Severity


@dataclass(frozen=True, slots=True)
class Described:
    """What a setting does, and within which bounds; `unit` is in the plural."""

    about: str
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""


STALE = (1, 50)
EVICT = (2, 200)
SETTINGS: Mapping[str, Described] = MappingProxyType(
    {
        "strategy": Described(
            "What the rewrite may see of the conversation: the last turns (`window`), the turns since the last change"
            " of subject (`segment`), what is still alive (`liveness`), or what is alive within the segment (`hybrid`)."
        ),
        "window": Described(
            "How many of the last turns the strategy `window` shows. Others ignore it.", 1, 50, "turns"
        ),
        "horizons": Described(
            "How long things stay alive in silence, counted from each one's own last mention."
        ),
        "horizons.stale_after": Described(
            "Silence after which a live entity turns stale: no longer carried, and live again at any mention.",
            *STALE,
            "turns",
        ),
        "horizons.evict_after": Described(
            "Silence after which a stale or an offered entity is gone. Must be larger than `stale_after`.",
            *EVICT,
            "turns",
        ),
        "horizons.per_type": Described(
            "Horizons of their own for types of entity: the type, with `[stale_after, evict_after]`.",
            unit="turns",
        ),
        "thresholds": Described(
            "How sure to be. They belong to one embedding model: `manage.py calibrate` finds them."
        ),
        "thresholds.space": Described(
            "The embedding space the thresholds were calibrated for. In another space the known ones of that space count."
        ),
        "thresholds.related": Described(
            "Affinity from which an unmarked message depends on an earlier exchange.", 0, 1, "affinity"
        ),
        "thresholds.unrelated": Described(
            "Affinity under which a message changes the subject. Must not exceed `related`.", 0, 1, "affinity"
        ),
        "thresholds.boundary": Described(
            "Similarity to the centre of the running segment under which a new segment begins.",
            0,
            1,
            "cosine",
        ),
        "thresholds.diverged": Described(
            "Similarity of rewrite and message under which the rewrite counts as another question.",
            0,
            1,
            "cosine",
        ),
        "thresholds.returned": Described(
            "Affinity to an earlier topic from which a message counts as a return to it.", 0, 1, "affinity"
        ),
        "thresholds.answered": Described(
            "Similarity of a message to its best passage from which the documents count as knowing it as it stands: "
            "the closer they come, the nearer must an exchange be for an unmarked message to lean on it. 0: not asked.",
            0,
            1,
            "cosine",
        ),
        "thresholds.elsewhere": Described(
            "How much closer a message's best passage must be than the passages that earlier questions were answered "
            "from, before the message is taken to be about something else. 0: not asked.",
            0,
            1,
            "cosine",
        ),
        "single_valued": Described(
            "Types of which a question has one at a time: a new one takes the old one's place. All others live together."
        ),
        "budgets": Described("Bounds that keep a turn's cost flat, however long the conversation."),
        "budgets.assistant_tokens": Described(
            "How much of an earlier answer a rewrite may see.", 50, 1000, "tokens"
        ),
        "budgets.query_characters": Described(
            "Longest rewrite that is believed; a longer one is malformed.", 100, 2000, "characters"
        ),
        "budgets.exchanges_kept": Described(
            "How many of the last exchanges the session holds ready. Older ones come back from the archive.",
            4,
            50,
            "exchanges",
        ),
        "budgets.sentences_kept": Described(
            "How many sentences of an answer are remembered for what they say.", 1, 40, "sentences"
        ),
        "budgets.closed_slots_kept": Described(
            "How many superseded and evicted entities the session holds, for the guard to keep out of the search.",
            0,
            200,
            "slots",
        ),
        "resume_after_seconds": Described(
            "Rest after which a session starts clean of what was asked before it.", 60, 2_592_000, "seconds"
        ),
    }
)
_KINDS = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True, slots=True)
class PolicyField:
    """One setting as a form or a table shows it. `choices` are its values, or the values of its list or its keys."""

    path: str
    kind: str
    default: Any
    about: str
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()


def policy_schema() -> JsonObject:
    """JSON Schema 2020-12 of a scope policy. Nothing is required: what is missing keeps its default."""
    schema = _group(ScopePolicy().to_json(), "")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Scope policy", **schema}


def policy_fields() -> tuple[PolicyField, ...]:
    """Every setting in the order of the policy, groups left out."""
    return tuple(_fields(policy_schema(), ""))


def policy_problems(data: JsonObject) -> tuple[Problem, ...]:
    """What is wrong with settings that the schema allows one by one: those that contradict each other."""
    try:
        policy = ScopePolicy.from_json(data)
    except BadPolicy as error:
        found = error.conflicts
        return tuple(Problem(c.path, f"{c.reason[0].upper()}{c.reason[1:]}.") for c in found) or (
            Problem("", str(error)),
        )
    return tuple(_warnings(policy))


def policy_completed(data: JsonObject) -> JsonObject:
    """The policy with every default written out. Raises `BadPolicy`."""
    return ScopePolicy.from_json(data).to_json()


def _warnings(policy: ScopePolicy) -> Iterator[Problem]:
    kept = policy.budgets.exchanges_kept
    if policy.strategy is Strategy.WINDOW and policy.window > kept:
        told = f"The session holds {kept} exchanges ready, so a window of {policy.window} shows no more than those."
        yield Problem("window", told, severity=Severity.WARNING)


def _group(values: JsonObject, under: str) -> JsonObject:
    properties = {key: _setting(value, f"{under}{key}") for key, value in values.items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _setting(value: Any, path: str) -> JsonObject:
    described = SETTINGS[path]
    words = {"description": described.about, "default": value}
    if path == "horizons.per_type":
        return words | _per_type()
    if isinstance(value, dict):
        return {"description": described.about, **_group(value, f"{path}.")}
    if isinstance(value, list):
        return words | {"type": "array", "uniqueItems": True, "items": {"enum": list(SLOT_TYPES)}}
    if path == "strategy":
        return words | {"type": "string", "enum": [strategy.value for strategy in Strategy]}
    if isinstance(value, str):
        return words | {"type": "string", "minLength": 1, "maxLength": 200}
    bounds = {"minimum": described.minimum, "maximum": described.maximum, "x-unit": described.unit}
    return words | {"type": _KINDS[type(value)], **bounds}


def _per_type() -> JsonObject:
    pair = [
        {"type": "integer", "minimum": low, "maximum": high, "x-unit": "turns"}
        for low, high in (STALE, EVICT)
    ]
    return {
        "type": "object",
        "propertyNames": {"enum": list(SLOT_TYPES)},
        "additionalProperties": {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2},
    }


def _fields(schema: JsonObject, under: str) -> Iterator[PolicyField]:
    for key, inner in schema["properties"].items():
        path = f"{under}{key}"
        if "properties" in inner:
            yield from _fields(inner, f"{path}.")
            continue
        choices = inner.get("enum") or inner.get("items", inner.get("propertyNames", {})).get("enum", ())
        yield PolicyField(
            path,
            inner["type"],
            inner["default"],
            inner["description"],
            inner.get("minimum"),
            inner.get("maximum"),
            SETTINGS[path].unit,
            tuple(choices),
        )
