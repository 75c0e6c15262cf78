"""Reading how long this workspace keeps conversations, what the next purge deletes, and what was deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.paginator import Page, Paginator
from django.db.models import Min, Q

from admin_ui.components.keeping import Keeping
from conversations.models import UNFINISHED, DeletionReceipt, Session, Turn
from conversations.selectors.retention import IDLE
from kernel.clock import now
from tenants.models import Retention, Tenant
from tenants.scoping import current_tenant_id

PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class Stored:
    """How many conversations there are, and when the one silent for longest was last active."""

    conversations: int
    oldest: datetime | None


def keeping_now() -> Keeping:
    tenant = Tenant.objects.get(pk=current_tenant_id())
    return Keeping(tenant.retention, tenant.retention_days)


def stored() -> Stored:
    return Stored(Session.objects.count(), Session.objects.aggregate(oldest=Min("updated_at"))["oldest"])


def deleted_under(keeping: Keeping) -> int:
    """How many conversations a purge at this moment would delete, were they kept so long."""
    if keeping.mode == Retention.KEEP:
        return 0
    return Session.objects.filter(_at_rest() & _over(keeping)).count()


def _over(keeping: Keeping) -> Q:
    """As `conversations.selectors.retention.retention_due` decides for the setting that is in force."""
    if keeping.mode == Retention.NONE:
        return Q(ended_at__isnull=False) | _silent(IDLE)
    return _silent(timedelta(days=keeping.days))


def _silent(for_long: timedelta) -> Q:
    since = now() - for_long
    return Q(updated_at__lt=since) & (Q(last_turn_at=None) | Q(last_turn_at__lt=since))


def _at_rest() -> Q:
    """Nobody is answering in it and nobody waits for an answer."""
    waiting = Turn.objects.filter(state__in=UNFINISHED).values("session_id")
    return (Q(lease_until=None) | Q(lease_until__lt=now())) & ~Q(pk__in=waiting)


def receipts_page(*, number: str) -> Page[DeletionReceipt]:
    """The latest first."""
    return Paginator(DeletionReceipt.objects.order_by("-created_at", "id"), PER_PAGE).get_page(number)
