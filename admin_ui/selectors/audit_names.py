"""What the ids in entries of the audit log stand for now: an entry keeps ids, and people know names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from admin_ui.asked import uuid_or_none
from retrieval.models import Corpus, Document
from tenants.models import Audience, AuditEntry, User

MAY = {"view_corpus": "see the corpus", "view_document": "see the document"}
HOLDERS = {"group_id": "audience", "groups": "audiences", "user_id": "person", "users": "people", "to": "of"}


@dataclass(frozen=True, slots=True)
class Names:
    """`things` are corpora, documents and audiences by the text of their id. What is gone has no name."""

    things: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[int, str] = field(default_factory=dict)
    users: Mapping[int, str] = field(default_factory=dict)

    def called(self, value: Any, among: str = "") -> Any:
        """`value` with names in the place of ids; `among` is the field that holds it."""
        match value:
            case list():
                return [self.called(one, among) for one in value]
            case dict():
                return {name: self.called(one, name) for name, one in value.items()}
            case bool():
                return value
            case int() if among in ("group_id", "groups"):
                return self.groups.get(value, f"one that is gone ({value})")
            case int() if among in ("user_id", "users"):
                return self.users.get(value, f"one that is gone ({value})")
            case str():
                return MAY.get(value, value) if among == "may" else self.things.get(value, value)
        return value


def names_in(entries: Iterable[AuditEntry]) -> Names:
    """Of a page of entries, in at most four queries."""
    entries = list(entries)
    ids = {
        found
        for entry in entries
        for text in _texts([entry.target, entry.data])
        if (found := uuid_or_none(text))
    }
    groups = {group for entry in entries for group in _numbers(entry.data, "group_id", "groups")}
    users = {user for entry in entries for user in _numbers(entry.data, "user_id", "users")}
    audiences = Audience.objects.filter(Q(pk__in=ids) | Q(group_id__in=groups)) if ids or groups else ()
    audience_rows = [(row.pk, row.group_id, f"“{row.name}”") for row in audiences]
    things = {str(pk): called for pk, _, called in audience_rows}
    if ids:
        for rows in (
            Corpus.objects.filter(pk__in=ids).values_list("pk", "name"),
            Document.objects.filter(pk__in=ids).values_list("pk", "title"),
        ):
            things |= {str(pk): f"“{called}”" for pk, called in rows}
    people = User.objects.filter(pk__in=users) if users else ()
    return Names(
        things, {group: called for _, group, called in audience_rows}, {user.pk: str(user) for user in people}
    )


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            yield from _texts(list(value.values()))


def _numbers(data: Any, *names: str) -> Iterator[int]:
    for name in names if isinstance(data, dict) else ():
        held = data.get(name)
        for one in held if isinstance(held, list) else [held]:
            if isinstance(one, int) and not isinstance(one, bool):
                yield one
