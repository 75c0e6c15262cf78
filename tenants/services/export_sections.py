"""What goes into an archive of a tenant's data. The applications above add their own sections when Django is ready."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from kernel.json import JsonObject
from tenants.models import (
    ApiKey,
    Audience,
    AuditEntry,
    EndUser,
    EndUserAudience,
    IdentityKey,
    Membership,
    Tenant,
    UsageDay,
    Version,
    Webhook,
    WidgetKey,
)
from tenants.scoping import current_tenant_id

ROWS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Section:
    """One file of JSON lines: of everything, or of one end user where it is given one.

    `rows` returns the rows in batches of bounded size; `count` says about how many there will be, for the progress.
    """

    name: str
    about: str
    rows: Callable[[EndUser | None], Iterator[JsonObject]]
    count: Callable[[EndUser | None], int]
    of_end_users: bool = False


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Files:
    """Files as they were uploaded, one at a time; in archives of everything only."""

    files: Callable[[], Iterator[ArchivedFile]]
    count: Callable[[], int]


_sections: dict[str, Section] = {}
_files: dict[str, Files] = {}


def section_register(section: Section) -> None:
    _sections[section.name] = section


def files_register(name: str, files: Files) -> None:
    _files[name] = files


def sections_for(end_user: EndUser | None) -> list[Section]:
    return [one for one in _sections.values() if end_user is None or one.of_end_users]


def files_for(end_user: EndUser | None) -> list[Files]:
    return list(_files.values()) if end_user is None else []


def in_batches(rows: QuerySet[Any], *fields: str, size: int = ROWS_AT_ONCE) -> Iterator[JsonObject]:
    """Rows as objects of these fields, ordered by id and read a batch at a time: memory stays flat."""
    ordered = rows.order_by("id").values("id", *fields)
    page = list(ordered[:size])
    while page:
        yield from page
        page = list(ordered.filter(id__gt=page[-1]["id"])[:size]) if len(page) == size else []


def table(
    name: str, about: str, rows: Callable[[EndUser | None], QuerySet[Any]], fields: Iterable[str], **more: Any
) -> Section:
    """A section that is one table."""
    names = tuple(fields)
    return Section(
        name, about, lambda who: in_batches(rows(who), *names), lambda who: rows(who).count(), **more
    )


def register() -> None:
    """What every tenant has. Secrets and hashes of keys stay here: an archive is to be read, not to sign in with."""
    for section in _own():
        section_register(section)


def _own() -> tuple[Section, ...]:
    return (
        table(
            "workspace",
            "The workspace and its settings.",
            lambda who: Tenant.objects.filter(pk=current_tenant_id()),
            (
                "slug",
                "name",
                "tagline",
                "greeting",
                "suggested_questions",
                "retention",
                "retention_days",
                "quotas",
            ),
        ),
        table(
            "members",
            "Who works here, in which role.",
            lambda who: Membership.objects.all(),
            ("user__email", "user__name", "role", "created_at"),
        ),
        Section(
            "end_users", "People who chat, with their audiences.", _people, _people_count, of_end_users=True
        ),
        table(
            "audiences",
            "Groups of end users.",
            lambda who: Audience.objects.all(),
            ("slug", "name", "description"),
        ),
        table(
            "versions",
            "Versions of policies and prompts.",
            lambda who: Version.objects.all(),
            ("kind", "name", "number", "state", "data", "note", "share", "created_at", "published_at"),
        ),
        table(
            "api_keys",
            "API keys without their secrets.",
            lambda who: ApiKey.objects.all(),
            (
                "name",
                "hint",
                "scopes",
                "per_minute",
                "created_at",
                "expires_at",
                "last_used_at",
                "revoked_at",
            ),
        ),
        table(
            "widget_keys",
            "Widgets.",
            lambda who: WidgetKey.objects.all(),
            ("name", "public_key", "allowed_origins", "look", "identified_only", "created_at", "revoked_at"),
        ),
        table(
            "identity_keys",
            "Keys that identities are checked with, without their material.",
            lambda who: IdentityKey.objects.all(),
            ("kid", "algorithm", "created_at", "retired_at"),
        ),
        table(
            "webhooks",
            "Webhooks without their secrets.",
            lambda who: Webhook.objects.all(),
            ("url", "events", "enabled", "created_at"),
        ),
        table(
            "usage",
            "What was used on each day (UTC).",
            lambda who: UsageDay.objects.all(),
            ("day", "metric", "value"),
        ),
        table(
            "audit_log",
            "What was changed, by whom.",
            _audit_entries,
            ("seq", "at", "actor", "actor_id", "actor_label", "action", "target", "data", "previous", "hash"),
            of_end_users=True,
        ),
    )


def _audit_entries(end_user: EndUser | None) -> QuerySet[AuditEntry]:
    entries = AuditEntry.objects.all()
    if end_user is None:
        return entries
    return entries.filter(actor="end_user", actor_id=str(end_user.pk))


def _people_count(end_user: EndUser | None) -> int:
    return EndUser.objects.count() if end_user is None else 1


def _people(end_user: EndUser | None) -> Iterator[JsonObject]:
    rows = EndUser.objects.all() if end_user is None else EndUser.objects.filter(pk=end_user.pk)
    for row in in_batches(rows, "subject", "kind", "name", "created_at"):
        mine = EndUserAudience.objects.filter(end_user_id=row["id"])
        yield {**row, "audiences": list(mine.values_list("audience__slug", flat=True))}
