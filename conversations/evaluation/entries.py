"""Items of a tenant's own sets: what a line of a file must hold, everything that is wrong with it, and the way back.

A set is loaded whole or not at all. Whoever uploads a file learns of all its mistakes at once, each with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.evaluation.items import Item, item_of
from kernel.json import JsonObject

MOST_ITEMS = 2000
MOST_BYTES = 4 * 1024 * 1024
LONGEST_KEY, LONGEST_STRATUM, LONGEST_TEXT = 80, 40, 8000
MOST_EXCHANGES, MOST_TERMS = 60, 50
MOST_TOLD = 200
ROLES = ("user", "assistant")
FIELDS = (
    "id",
    "stratum",
    "prefix",
    "follow_up",
    "gold",
    "required_in_rewrite",
    "forbidden_in_rewrite",
    "reference_rewrite",
    "meta",
)
STRATUM = re.compile(r"[a-z0-9_]{1,40}")


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong, in which line; 0 is the file itself."""

    line: int
    reason: str

    def to_json(self) -> JsonObject:
        return {"line": self.line, "reason": self.reason}

    def __str__(self) -> str:
        return f"Line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True, slots=True)
class Entry:
    """An item as a tenant keeps it. `gold`, `required` and `forbidden` are texts, `prefix` are messages."""

    key: str
    stratum: str
    prefix: tuple[JsonObject, ...]
    follow_up: str
    gold: tuple[str, ...]
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    more: JsonObject = field(default_factory=dict)

    def to_line(self) -> JsonObject:
        """The object of the file format."""
        told: JsonObject = {
            "id": self.key,
            "stratum": self.stratum,
            "prefix": list(self.prefix),
            "follow_up": self.follow_up,
            "gold": list(self.gold),
            "required_in_rewrite": list(self.required),
            "forbidden_in_rewrite": list(self.forbidden),
        }
        return told | {name: self.more[name] for name in ("reference_rewrite", "meta") if name in self.more}

    def to_item(self) -> Item:
        return item_of(self.to_line())


def entry_of(line: Any) -> tuple[Entry | None, list[str]]:
    """The item of an object of the file format, or everything that is wrong with it."""
    if not isinstance(line, dict):
        return None, ["This is not an object."]
    wrong = list(_faults(line))
    if wrong:
        return None, wrong
    return Entry(
        key=line["id"],
        stratum=line["stratum"],
        prefix=tuple({"role": one["role"], "content": one["content"]} for one in line["prefix"]),
        follow_up=line["follow_up"],
        gold=_terms(line["gold"]),
        required=_terms(line.get("required_in_rewrite", ())),
        forbidden=_terms(line.get("forbidden_in_rewrite", ())),
        more={name: line[name] for name in ("reference_rewrite", "meta") if name in line},
    ), []


def entries_from(data: bytes) -> tuple[list[Entry], list[Fault]]:
    """The items of a file of JSON lines, and all that is wrong with it: where there is a fault, nothing is to be used."""
    if len(data) > MOST_BYTES:
        return [], [Fault(0, f"The file is larger than {MOST_BYTES // 1024 // 1024} MB.")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return [], [Fault(0, "The file is not UTF-8 text.")]
    entries: list[Entry] = []
    faults: list[Fault] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        entry, wrong = _read(line)
        faults += [Fault(number, reason) for reason in wrong]
        if entry is not None:
            first = lines.setdefault(entry.key, number)
            if first != number:
                faults.append(Fault(number, f"The id “{entry.key}” is that of line {first} already."))
            entries.append(entry)
    if not entries and not faults:
        faults.append(Fault(0, "There is no item in the file."))
    if len(entries) > MOST_ITEMS:
        faults.append(Fault(0, f"A set holds {MOST_ITEMS} items at most, the file has {len(entries)}."))
    return entries, faults[:MOST_TOLD]


def lines_of(entries: Iterable[Entry]) -> Iterator[str]:
    """The lines of a file that `entries_from` reads as the same items."""
    for entry in entries:
        yield json.dumps(entry.to_line(), ensure_ascii=False) + "\n"


def _read(line: str) -> tuple[Entry | None, list[str]]:
    try:
        return entry_of(json.loads(line))
    except json.JSONDecodeError as error:
        return None, [f"This is not JSON: {error.msg} at character {error.pos + 1}."]
    except (RecursionError, ValueError):
        return None, ["This nests too deeply or holds a number that is too long."]


def _faults(line: JsonObject) -> Iterator[str]:
    for name in line:
        if name not in FIELDS:
            yield f"There is no field called {str(name)[:40]!r}."
    yield from _text_faults(line, "id", LONGEST_KEY)
    yield from _text_faults(line, "stratum", LONGEST_STRATUM)
    if isinstance(line.get("stratum"), str) and line["stratum"] and not STRATUM.fullmatch(line["stratum"]):
        yield "`stratum` is made of small letters, digits and underscores."
    yield from _text_faults(line, "follow_up", LONGEST_TEXT)
    yield from _prefix_faults(line.get("prefix"))
    yield from _term_faults(line, "gold", LONGEST_TEXT, needed=True)
    for name in ("required_in_rewrite", "forbidden_in_rewrite"):
        yield from _term_faults(line, name, 200)
    if not isinstance(line.get("reference_rewrite", ""), str):
        yield "`reference_rewrite` is a text."
    if not isinstance(line.get("meta", {}), dict):
        yield "`meta` is an object."
    if not _is_storable(line):
        yield "It holds a character that cannot be stored."


def _text_faults(line: JsonObject, name: str, longest: int) -> Iterator[str]:
    value = line.get(name)
    if not isinstance(value, str) or not value.strip():
        yield f"`{name}` is missing: a text."
    elif len(value) > longest:
        yield f"`{name}` has {longest} characters at most."


def _prefix_faults(prefix: Any) -> Iterator[str]:
    if not isinstance(prefix, list):
        yield "`prefix` is missing: a list of messages, which may be empty."
        return
    if len(prefix) > MOST_EXCHANGES:
        yield f"`prefix` has {MOST_EXCHANGES} messages at most."
    for number, message in enumerate(prefix[:MOST_EXCHANGES], 1):
        told = isinstance(message, dict) and isinstance(message.get("content"), str)
        if not told or message.get("role") not in ROLES:
            yield f"Message {number} of `prefix` needs a `role`, user or assistant, and a `content`."
        elif len(message["content"]) > LONGEST_TEXT:
            yield f"Message {number} of `prefix` has {LONGEST_TEXT} characters at most."


def _term_faults(line: JsonObject, name: str, longest: int, *, needed: bool = False) -> Iterator[str]:
    value = line.get(name, [])
    if not isinstance(value, list) or any(not isinstance(term, str) for term in value):
        yield f"`{name}` is a list of texts."
    elif len(value) > MOST_TERMS or any(len(term) > longest for term in value):
        yield f"`{name}` has {MOST_TERMS} texts at most, of {longest} characters at most."
    elif needed and not _terms(value):
        yield f"`{name}` is missing: at least one passage that must come back."


def _terms(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in values if (text := value.strip())))


def _is_storable(line: JsonObject) -> bool:
    """What PostgreSQL can hold: no U+0000, no half of a pair."""
    text = json.dumps(line, ensure_ascii=False)
    return "\\u0000" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
