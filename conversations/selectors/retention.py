"""Which conversations a tenant does not keep any longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q

from conversations.models import UNFINISHED, DeletionReason, Turn
from kernel.clock import now
from tenants.models import Retention, Tenant

# A conversation that was left without a word counts as ended after this long.
IDLE = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class RetentionDue:
    """Which sessions a tenant does not keep any longer, and why."""

    sessions: Q
    reason: DeletionReason


def tenants_that_delete() -> Sequence[UUID]:
    """Tenants that do not keep every conversation, suspended ones included."""
    return list(Tenant.objects.exclude(retention=Retention.KEEP).order_by("id").values_list("id", flat=True))


def retention_due(*, tenant_id: UUID) -> RetentionDue | None:
    """What the tenant's retention deletes at this moment. Sessions in which somebody works are never due."""
    tenant = Tenant.objects.get(pk=tenant_id)
    at_rest = (Q(lease_until=None) | Q(lease_until__lt=now())) & ~Q(pk__in=_waiting_sessions())
    match tenant.retention:
        case Retention.NONE:
            return RetentionDue(
                at_rest & (Q(ended_at__isnull=False) | _silent(IDLE)), DeletionReason.SESSION_END
            )
        case Retention.DAYS:
            return RetentionDue(at_rest & _silent(timedelta(days=tenant.retention_days)), DeletionReason.AGE)
    return None


def _silent(for_long: timedelta) -> Q:
    """No message and no answer for this long."""
    since = now() - for_long
    return Q(updated_at__lt=since) & (Q(last_turn_at=None) | Q(last_turn_at__lt=since))


def _waiting_sessions() -> Any:
    return Turn.objects.filter(state__in=UNFINISHED).values("session_id")
