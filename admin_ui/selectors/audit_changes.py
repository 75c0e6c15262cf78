"""What an entry of the audit log says has changed, in the words of the pages where it is changed: before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.components import policy_form, prompt_form
from admin_ui.components.policy_words import STRATEGIES
from tenants.models import VersionKind
from tenants.quotas import QUOTAS
from tenants.versioning.differences import Change, ChangeKind

MOST_TEXT = 300
MOST_LISTED = 5
UNSET = "not set"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an entry holds. `before` is set where it says what it was until then."""

    name: str
    value: str
    before: str = ""


def version_changes(changes: Sequence[Any], target: str) -> Iterator[Fact]:
    """One for each of the first values of a version that changed, and how many more there are."""
    is_policy = target.startswith(f"{VersionKind.POLICY}/")
    yield from (_version_change(one, is_policy=is_policy) for one in changes[:MOST_LISTED])
    if (more := len(changes) - MOST_LISTED) > 0:
        yield Fact("and", f"{more:,} more")


def quota_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Fact]:
    """Only those that differ; what is not agreed on is the platform's default."""
    for name in (*QUOTAS, *sorted({*before, *after} - QUOTAS.keys())):
        was, now = _quota(before, name), _quota(after, name)
        if was != now:
            yield Fact(QUOTAS[name].what if name in QUOTAS else name.replace("_", " "), now, was)


def told(value: Any) -> str:
    """A value of an entry for reading, at most `MOST_TEXT` characters."""
    text = _told(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def _version_change(change: Any, *, is_policy: bool) -> Fact:
    """As `tenants.versioning.differences.summary_of` writes it: with both values, or of a text with its lines."""
    match change:
        case {"path": str(path), "before": before, "after": after} if is_policy:
            return _setting(Change(path, ChangeKind.CHANGED, before, after))
        case {"path": path, "before": before, "after": after}:
            return Fact(_part(path), told(after) or "nothing", told(before) or "nothing")
        case {"path": path, "lines_added": added, "lines_removed": removed}:
            return Fact(_part(path), f"{_lines(added)} added, {_lines(removed)} taken out")
        case {"path": str(path), "kind": kind} if is_policy:
            return Fact(_setting(Change(path, ChangeKind.CHANGED)).name, told(kind))
        case {"path": path, "kind": kind}:
            return Fact(_part(path), told(kind))
    return Fact("changes", told(change))


def _setting(change: Change) -> Fact:
    """A setting of a policy, as its own page calls it and its values."""
    [row] = policy_form.policy_changes([change])
    before, after = (
        STRATEGIES[text].label if text in STRATEGIES else text for text in (row.before, row.after)
    )
    return Fact(row.label, told(after) or UNSET, told(before) or UNSET)


def _part(path: Any) -> str:
    """A text of a prompt, as its own page calls it."""
    name = str(path)
    return prompt_form.TITLES.get(name.rpartition(".")[2], name)


def _lines(number: Any) -> str:
    return f"{number} line{'' if number == 1 else 's'}"


def _quota(agreed: Mapping[str, Any], name: str) -> str:
    if name not in agreed:
        return "the platform’s default"
    limit = agreed[name]
    return "no limit" if limit is None else f"{limit:,}" if isinstance(limit, int) else told(limit)


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{str(name).replace('_', ' ')}: {_told(one)}" for name, one in value.items())
    if isinstance(value, list):
        more = [f"and {len(value) - MOST_LISTED:,} more"] if len(value) > MOST_LISTED else []
        return ", ".join([*(_told(one) for one in value[:MOST_LISTED]), *more])
    return "none" if value is None else str(value)
