"""What changed between two versions: by path for settings, line by line for texts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from kernel.json import JsonObject


class ChangeKind(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One value that differs. `before` is None where it was added, `after` where it was removed.

    `lines` is the unified difference of a text, without a header and with three lines around each change.
    """

    path: str
    kind: ChangeKind
    before: Any = None
    after: Any = None
    lines: tuple[str, ...] = ()


def changes_between(before: JsonObject, after: JsonObject) -> tuple[Change, ...]:
    """Every value that differs, in the order of `before`, then what is new. A list counts as one value."""
    return tuple(_changes(before, after, ""))


def _changes(before: JsonObject, after: JsonObject, under: str) -> Iterator[Change]:
    for key in dict.fromkeys((*before, *after)):
        path = path_to(under, key)
        if key not in after:
            yield Change(path, ChangeKind.REMOVED, before=before[key])
        elif key not in before:
            yield Change(path, ChangeKind.ADDED, after=after[key])
        elif isinstance(before[key], dict) and isinstance(after[key], dict):
            yield from _changes(before[key], after[key], path)
        elif not same(before[key], after[key]):
            yield _changed(path, before[key], after[key])


def _changed(path: str, before: Any, after: Any) -> Change:
    texts = isinstance(before, str) and isinstance(after, str)
    lines = text_difference(before, after) if texts and not (_is_name(before) and _is_name(after)) else ()
    return Change(path, ChangeKind.CHANGED, before, after, lines)


def text_difference(before: str, after: str) -> tuple[str, ...]:
    """Unified difference: lines that begin with a blank, "-", "+" or "@@"."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return tuple(lines)[2:]


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, and neither is true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def path_to(under: str, key: str | int) -> str:
    """`horizons.per_type.product[0]`; keys that are no plain words are quoted."""
    if isinstance(key, int):
        return f"{under}[{key}]"
    if not _PLAIN.fullmatch(key):
        return f'{under}["{key}"]'
    return f"{under}.{key}" if under else key


def path_of(keys: Iterable[str | int]) -> str:
    path = ""
    for key in keys:
        path = path_to(path, key)
    return path


def summary_of(changes: Sequence[Change]) -> list[JsonObject]:
    """What a log may keep of changes: paths, numbers and choices, and of a text only how many lines came and went."""
    return [_summed(change) for change in changes]


def _summed(change: Change) -> JsonObject:
    told: JsonObject = {"path": change.path, "kind": change.kind.value}
    if _may_be_told(change.before) and _may_be_told(change.after):
        return told | {"before": change.before, "after": change.after}
    if change.lines:
        added = sum(line.startswith("+") for line in change.lines)
        return told | {"lines_added": added, "lines_removed": sum(x.startswith("-") for x in change.lines)}
    return told


def _may_be_told(value: Any) -> bool:
    if isinstance(value, list):
        return all(not isinstance(item, list | dict) and _may_be_told(item) for item in value)
    return _is_name(value) if isinstance(value, str) else not isinstance(value, dict)


def _is_name(text: str) -> bool:
    return bool(_NAME.fullmatch(text))


_PLAIN = re.compile(r"[A-Za-z_][\w-]*")
# A choice or an identifier, such as "liveness" or "local/all-MiniLM-L6-v2-int8/384": no sentence fits.
_NAME = re.compile(r"[\w./:+-]{0,80}")
