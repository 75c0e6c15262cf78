"""The scope policy as a form, made from its schema: groups of fields, what is in force beside each, and what is wrong.

A draft need not be right yet, so whatever is typed is kept: what is no number goes into the draft as text, and the
check of the draft says so beside the field.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict

from admin_ui.components.policy_words import GROUPS, STRATEGIES, Words, help_of, label_of
from conversations.domain.policy_schema import EVICT, STALE, PolicyField, policy_fields
from kernel.json import JsonObject
from kernel.problems import Problem, Severity
from tenants.versioning.differences import Change, same

PAIR_BOUNDS = {"stale": STALE, "evict": EVICT}
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values of a setting. `label` is what people read, `value` what is stored."""

    value: str
    chosen: bool
    label: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Horizons of one type of entity, as typed; both are empty where the general ones hold."""

    key: str
    name: str
    stale: str
    evict: str
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One setting of the form. `kind` is how it is asked for: one, some, pairs, number or text."""

    path: str
    kind: str
    label: str
    help: str
    field: PolicyField
    value: str
    told: str
    default: str
    in_force: str
    differs: bool
    problems: tuple[Problem, ...]
    choices: tuple[Choice, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def wrong(self) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def anchor(self) -> str:
        """The id of what is filled in, or of the words above several of them."""
        return f"{'f' if self.kind in ('number', 'text') else 'l'}-{self.path}"

    @property
    def has_own(self) -> bool:
        """Whether any type of entity has horizons of its own."""
        return any(pair.stale or pair.evict for pair in self.pairs)

    @property
    def step(self) -> str:
        return "1" if self.field.kind == "integer" else "0.01"

    @property
    def bounds(self) -> str:
        """ "1 to 50 turns", or nothing where no bounds are known."""
        if self.field.minimum is None or self.field.maximum is None:
            return ""
        return f"{self.field.minimum:,} to {self.field.maximum:,}"


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    about: str
    fields: tuple[Shown, ...]

    @property
    def differing(self) -> int:
        return sum(field.differs for field in self.fields)


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A row of the comparison: values in words, and whether the number went up or down."""

    path: str
    label: str
    before: str
    after: str
    way: str = ""


def policy_groups(
    data: JsonObject, in_force: JsonObject, problems: Sequence[Problem] = ()
) -> tuple[Group, ...]:
    """Every setting with its value in `data`, in the order of the policy, those without a group first."""
    grouped: dict[str, list[Shown]] = {"": []}
    for field in policy_fields():
        group = field.path.rpartition(".")[0]
        grouped.setdefault(group, []).append(_shown(field, data, in_force, problems))
    return tuple(_group(group, fields) for group, fields in grouped.items())


def policy_data(posted: QueryDict) -> JsonObject:
    """What the form says. An empty field is left out: its default holds."""
    data: JsonObject = {}
    for field in policy_fields():
        value = _posted(field, posted)
        if value is not _MISSING:
            _put(data, field.path, value)
    return data


def policy_changes(changes: Iterable[Change]) -> tuple[ChangedSetting, ...]:
    return tuple(_changed(change) for change in changes)


def homeless(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that belong to no field of the form."""
    paths = [field.path for field in policy_fields()]
    return tuple(problem for problem in problems if not any(_is_of(problem, path) for path in paths))


def told(value: Any, unit: str = "") -> str:
    """A value in words, such as "6 turns", "place, date", "none" or "21,600 seconds (6 h)"."""
    if isinstance(value, dict):
        return "; ".join(f"{key} {told(inner)}" for key, inner in value.items()) or "none"
    if isinstance(value, list):
        numbers = all(isinstance(item, int | float) for item in value)
        return (" / " if numbers else ", ").join(map(str, value)) or "none"
    if value is None:
        return "as all types" if unit == "turns" else "not set"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    known = f" ({value / 3600:g} h)" if unit == "seconds" and value >= 3600 else ""
    if unit not in ("turns", "seconds", "tokens", "characters"):
        return f"{value:,}"
    return f"{value:,} {unit.removesuffix('s') if value == 1 else unit}{known}"


def _group(group: str, fields: list[Shown]) -> Group:
    words = GROUPS.get(group) or Words(group.capitalize())
    return Group(words.label, words.help, tuple(fields))


def _shown(field: PolicyField, data: JsonObject, in_force: JsonObject, problems: Sequence[Problem]) -> Shown:
    value, before = _at(data, field.path), _at(in_force, field.path)
    before = field.default if before is _MISSING else before
    now = field.default if value is _MISSING else value
    return Shown(
        path=field.path,
        kind=_kind(field),
        label=label_of(field.path),
        help=help_of(field.path),
        field=field,
        value=_typed(value),
        told=told(now, field.unit),
        default=told(field.default, field.unit),
        in_force=told(before, field.unit),
        differs=not same(before, now),
        problems=tuple(_placed(problem, field) for problem in problems if _is_of(problem, field.path)),
        choices=_choices(field, now),
        pairs=_pairs(field, now, problems),
    )


def _kind(field: PolicyField) -> str:
    by_kind = {"integer": "number", "number": "number", "array": "some", "object": "pairs"}
    return "one" if field.kind == "string" and field.choices else by_kind.get(field.kind, "text")


def _choices(field: PolicyField, value: Any) -> tuple[Choice, ...]:
    chosen = value if isinstance(value, list) else [value]
    words = {choice: STRATEGIES.get(choice) or Words(choice) for choice in field.choices}
    return tuple(Choice(name, name in chosen, told.label, told.help) for name, told in words.items())


def _pairs(field: PolicyField, value: Any, problems: Sequence[Problem]) -> tuple[Pair, ...]:
    if field.kind != "object":
        return ()
    given: Mapping[str, Any] = value if isinstance(value, dict) else {}
    return tuple(_pair(f"{field.path}.{name}", name, given.get(name), problems) for name in field.choices)


def _pair(path: str, name: str, value: Any, problems: Sequence[Problem]) -> Pair:
    numbers = value if isinstance(value, list) else [value]
    stale, evict = (*map(_typed, numbers[:2]), "", "")[:2]
    return Pair(path, name, stale, evict, any(_is_of(problem, path) for problem in problems))


def _placed(problem: Problem, field: PolicyField) -> Problem:
    """A problem of one of several values says which: "product, evicted after: This must be a whole number." """
    inner = problem.path.removeprefix(field.path).lstrip(".")
    if not inner or field.kind != "object":
        return problem
    where = inner.replace("[0]", ", stale after").replace("[1]", ", evicted after")
    return replace(problem, message=f"{where}: {problem.message}")


def _typed(value: Any) -> str:
    """A value as the form's field holds it."""
    if value is _MISSING or value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _posted(field: PolicyField, posted: QueryDict) -> Any:
    if field.kind == "array":
        return [value for value in field.choices if value in posted.getlist(field.path)]
    if field.kind == "object":
        pairs = {name: _posted_pair(f"{field.path}.{name}", posted) for name in field.choices}
        return {name: pair for name, pair in pairs.items() if pair != [None, None]}
    text = posted.get(field.path, "").strip()
    if not text:
        return _MISSING
    return _number(text) if field.kind in ("integer", "number") else text


def _posted_pair(path: str, posted: QueryDict) -> list[Any]:
    texts = (posted.get(f"{path}[{n}]", "").strip() for n in (0, 1))
    return [_number(text) if text else None for text in texts]


def _number(text: str) -> int | float | str:
    """The number that is meant; anything else stays as it is, for the check to find."""
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text


def _put(data: JsonObject, path: str, value: Any) -> None:
    *groups, key = path.split(".")
    for group in groups:
        data = data.setdefault(group, {})
    data[key] = value


def _at(data: Any, path: str) -> Any:
    for key in path.split("."):
        if not isinstance(data, dict) or key not in data:
            return _MISSING
        data = data[key]
    return data


def _is_of(problem: Problem, path: str) -> bool:
    return problem.path == path or problem.path.startswith((f"{path}.", f"{path}["))


def _changed(change: Change) -> ChangedSetting:
    field = next((one for one in policy_fields() if _is_of(Problem(change.path, ""), one.path)), None)
    unit = field.unit if field else ""
    label = label_of(change.path)
    if field and field.path != change.path:
        label = f"{label_of(field.path)}: {change.path.removeprefix(field.path).strip('.')}"
    return ChangedSetting(
        change.path,
        label,
        told(change.before, unit),
        told(change.after, unit),
        _way(change.before, change.after),
    )


def _way(before: Any, after: Any) -> str:
    numbers = [value for value in (before, after) if isinstance(value, int | float)]
    if len(numbers) < 2:
        return ""
    return "up" if numbers[1] > numbers[0] else "down"
