"""Reading the audit log for the console: one page of entries with their data in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from admin_ui.asked import text_asked
from admin_ui.components.marks import Mark
from admin_ui.selectors.audit_changes import Fact, quota_changes, told, version_changes
from admin_ui.selectors.audit_names import HOLDERS, Names, names_in
from tenants.audit_chain import BROKEN
from tenants.models import AuditEntry

PER_PAGE = 50
EARLIER = {"before": ("role", "mode", "after", "name"), "was": ("share",)}
"""Fields that say what was until then, and the ones that may say what is since."""
SPELT = {
    "what_if": "what-if replay",
    "followup": "follow-up",
}  # where an action's name is not how people write it
ACTORS: dict[str, Mark] = {
    "user": Mark("member", "plain", "●", "Somebody who works here."),
    "key": Mark("API key", "carry", "◆", "A program."),
    "staff": Mark("platform staff", "superseded", "▲", "Somebody of the platform."),
    "end_user": Mark("end user", "offered", "○", "A person who asks questions."),
    "system": Mark("system", "none", "⚙", "Antecedent itself, such as the nightly purge."),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the list is narrowed to; empty is any. `who` is a part of an address or name, or an id."""

    action: str = ""
    actor: str = ""
    who: str = ""

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> Wanted:
        actor = text_asked(query, "actor")
        return cls(text_asked(query, "action"), actor if actor in ACTORS else "", text_asked(query, "who"))

    @property
    def narrowed(self) -> bool:
        return bool(self.action or self.actor or self.who)


@dataclass(frozen=True, slots=True)
class EntryRow:
    """`target` is what the entry is about, by its name where it still has one."""

    entry: AuditEntry
    target: str
    actor: Mark
    done: str
    facts: tuple[Fact, ...]
    is_alarm: bool


@dataclass(frozen=True, slots=True)
class Entries:
    """A page, the newest first. `newer` and `older` are entry numbers to go on from, None at the ends."""

    rows: tuple[EntryRow, ...]
    newer: int | None
    older: int | None


def entries(*, wanted: Wanted, query: Mapping[str, str]) -> Entries:
    """`?before=41` shows what is older than entry 41, `?after=41` what is newer."""
    found = _narrowed(wanted)
    after, before = _number(query, "after"), _number(query, "before")
    if after is not None:
        rows = list(found.filter(seq__gt=after).order_by("seq")[: PER_PAGE + 1])
        more, rows = len(rows) > PER_PAGE, rows[:PER_PAGE][::-1]
        return _entries(rows, newer=more, older=True)
    if before is not None:
        found = found.filter(seq__lt=before)
    rows = list(found.order_by("-seq")[: PER_PAGE + 1])
    return _entries(rows[:PER_PAGE], newer=before is not None, older=len(rows) > PER_PAGE)


def actions() -> list[str]:
    """Those that are in the log."""
    return list(AuditEntry.objects.order_by("action").values_list("action", flat=True).distinct())


def _narrowed(wanted: Wanted) -> QuerySet[AuditEntry]:
    found: QuerySet[AuditEntry] = AuditEntry.objects.all()
    if wanted.action:
        found = found.filter(action=wanted.action)
    if wanted.actor:
        found = found.filter(actor=wanted.actor)
    if wanted.who:
        found = found.filter(Q(actor_label__icontains=wanted.who) | Q(actor_id=wanted.who))
    return found


def _entries(rows: list[AuditEntry], *, newer: bool, older: bool) -> Entries:
    if not rows:
        return Entries((), None, None)
    names = names_in(rows)
    return Entries(
        tuple(_row(entry, names) for entry in rows),
        rows[0].seq if newer else None,
        rows[-1].seq if older else None,
    )


def _row(entry: AuditEntry, names: Names) -> EntryRow:
    mark = ACTORS.get(entry.actor) or Mark(entry.actor, "none", "·")
    data = names.called(entry.data)
    facts = tuple(facts_of(data, entry.target)) if isinstance(data, dict) else (Fact("data", told(data)),)
    return EntryRow(
        entry, names.called(entry.target), mark, in_words(entry.action), facts, entry.action == BROKEN
    )


def in_words(action: str) -> str:
    """`widget_key.created` → "Widget key created"."""
    for written, spelt in SPELT.items():
        action = action.replace(written, spelt)
    words = action.replace("_", " ").replace(".", " ")
    return words[:1].upper() + words[1:]


def facts_of(data: Mapping[str, Any], target: str = "") -> Iterator[Fact]:
    """What is empty says nothing and is left out; what was before stands with what came after it."""
    if isinstance(before := data.get("before"), dict) and isinstance(after := data.get("after"), dict):
        yield from quota_changes(before, after)
        data = {name: value for name, value in data.items() if name not in ("before", "after")}
    earlier = _earlier(data)
    for name, value in data.items():
        if value in (None, "", [], {}) or name in earlier.values():
            continue
        if name == "changes":
            yield from version_changes(value, target)
            continue
        before_it = told(data[earlier[name]]) if name in earlier else ""
        yield Fact(HOLDERS.get(name, name.replace("_", " ")), told(value), before_it)


def _earlier(data: Mapping[str, Any]) -> dict[str, str]:
    """Which fields say what another one was until then, by that other one."""
    found = {}
    for was, fields in EARLIER.items():
        now = next((name for name in fields if name in data), None) if was in data else None
        if now is not None:
            found[now] = was
    return found


def _number(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None
