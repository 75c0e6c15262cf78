"""Tenants with the figures that tell how alive each is. One query for all of a page, inside the scope of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from admin_ui.selectors.audit_changes import Fact
from admin_ui.selectors.audit_log import facts_of, in_words
from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import AuditEntry, Invitation, Membership, Role, Tenant, User
from tenants.postgres.statements import named
from tenants.scoping import tenant_scope
from tenants.selectors import tenants_known
from tenants.selectors.of_each import asked_of_each

PER_PAGE = 20
WEEK = timedelta(days=7)
STATES = ("active", "suspended")
_FIGURES = named("admin_ui.staff", "figures")


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one tenant: how many, and when somebody last asked; nothing of what they asked."""

    members: int
    documents: int
    turns_week: int
    last_activity: datetime | None


@dataclass(frozen=True, slots=True)
class TenantRow:
    tenant: Tenant
    figures: Figures


@dataclass(frozen=True, slots=True)
class TenantPage:
    """`before` and `after` are the ids to go on from, None at an end."""

    rows: tuple[TenantRow, ...]
    before: UUID | None
    after: UUID | None


@dataclass(frozen=True, slots=True)
class Counts:
    total: int
    suspended: int

    @property
    def active(self) -> int:
        return self.total - self.suspended


def tenants_counted() -> Counts:
    return Counts(
        **tenants_known().aggregate(total=Count("pk"), suspended=Count("suspended_at")),
    )


def access_tenant(tenant_id: UUID) -> Tenant:
    """Raises `NotFound`."""
    tenant = tenants_known().filter(pk=tenant_id).first()
    if tenant is None:
        raise NotFound(what="tenant")
    return tenant


def tenants_page(*, search: str = "", state: str = "", after: str = "", before: str = "") -> TenantPage:
    """Newest first, `PER_PAGE` behind or in front of a tenant. An unknown place is the beginning."""
    found = _matching(search, state)
    behind, ahead = _place(after), _place(before)
    if ahead is not None:
        rows = list(found.filter(_newer(ahead)).order_by("created_at", "pk")[: PER_PAGE + 1])
        more_ahead, rows = len(rows) > PER_PAGE, rows[:PER_PAGE][::-1]
        return _page(rows, more_before=more_ahead, more_after=bool(rows))
    if behind is not None:
        found = found.filter(_older(behind))
    rows = list(found.order_by("-created_at", "-pk")[: PER_PAGE + 1])
    return _page(rows[:PER_PAGE], more_before=behind is not None, more_after=len(rows) > PER_PAGE)


def figures_of(tenant: Tenant) -> Figures:
    return figures_of_each([tenant])[tenant.pk]


def figures_of_each(tenants: Sequence[Tenant]) -> dict[UUID, Figures]:
    """In one query, which reads inside the scope of each."""
    since = (now() - WEEK).isoformat()
    found = asked_of_each([tenant.pk for tenant in tenants], _FIGURES, {"since": since})
    return {tenant_id: _figures_read(figures) for tenant_id, figures in found.items()}


def _figures_read(found: Mapping[str, Any]) -> Figures:
    last = datetime.fromisoformat(found["last"]) if found["last"] else None
    return Figures(found["members"], found["documents"], found["turns"], last)


def owners_of(tenant: Tenant) -> list[Membership]:
    with tenant_scope(tenant.pk):
        return list(Membership.objects.filter(role=Role.OWNER).select_related("user").order_by("created_at"))


def owners_invited(tenant: Tenant) -> list[Invitation]:
    """Owners whose invitation can still be accepted, or has only run out."""
    with tenant_scope(tenant.pk):
        open_ones = Invitation.objects.filter(role=Role.OWNER, accepted_at=None, revoked_at=None)
        return list(open_ones.select_related("invited_by"))


def support_visit(tenant: Tenant, user: User) -> Membership | None:
    """The visit for support that this member of staff is on."""
    with tenant_scope(tenant.pk):
        return Membership.objects.filter(user=user, until__gt=now()).first()


def staff_entries(tenant: Tenant, *, limit: int = 12) -> list[tuple[AuditEntry, str, tuple[Fact, ...]]]:
    """What staff did with the tenant, from its own log: the entry, its action in words, and for quotas what changed.

    Names of what the workspace holds stay in its own console: they are its people's words.
    """
    with tenant_scope(tenant.pk):
        entries = list(AuditEntry.objects.filter(actor="staff").order_by("-seq")[:limit])
    return [(entry, in_words(entry.action), _figures(entry)) for entry in entries]


def _figures(entry: AuditEntry) -> tuple[Fact, ...]:
    return tuple(facts_of(entry.data)) if entry.action == "quotas.changed" else ()


def _matching(search: str, state: str) -> QuerySet[Tenant]:
    found = tenants_known()
    if search:
        found = found.filter(Q(name__icontains=search) | Q(slug__icontains=search))
    return found.filter(suspended_at__isnull=state == "active") if state in STATES else found


def _place(tenant_id: str) -> Tenant | None:
    try:
        return Tenant.objects.filter(pk=UUID(tenant_id)).first() if tenant_id else None
    except ValueError:
        return None


def _older(than: Tenant) -> Q:
    return Q(created_at__lt=than.created_at) | Q(created_at=than.created_at, pk__lt=than.pk)


def _newer(than: Tenant) -> Q:
    return Q(created_at__gt=than.created_at) | Q(created_at=than.created_at, pk__gt=than.pk)


def _page(tenants: list[Tenant], *, more_before: bool, more_after: bool) -> TenantPage:
    figures = figures_of_each(tenants)
    return TenantPage(
        tuple(TenantRow(tenant, figures[tenant.pk]) for tenant in tenants),
        before=tenants[0].pk if tenants and more_before else None,
        after=tenants[-1].pk if tenants and more_after else None,
    )
