"""What waits, by tenant. One query for all active tenants, inside the scope of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from conversations.models import UNFINISHED as UNANSWERED
from kernel.clock import now
from retrieval.models import UNFINISHED as UNREAD
from tenants.models import Tenant
from tenants.postgres.statements import named
from tenants.selectors import tenants_known
from tenants.selectors.of_each import asked_of_each

_WAITING = named("admin_ui.staff", "waiting")


@dataclass(frozen=True, slots=True)
class Waiting:
    """Documents and turns of a tenant that are not done, and how long the first of them has waited, in seconds."""

    tenant: Tenant
    documents: int
    turns: int
    seconds: float


def waiting_by_tenant() -> list[Waiting]:
    """Whoever waits the longest first; tenants for whom nothing waits are left out."""
    tenants = {tenant.pk: tenant for tenant in tenants_known().filter(suspended_at=None)}
    states = {"documents": list(UNREAD), "turns": list(UNANSWERED)}
    found = asked_of_each(list(tenants), _WAITING, states)
    rows = [_waiting(tenants[tenant_id], one) for tenant_id, one in found.items() if one["oldest"]]
    return sorted(rows, key=lambda row: -row.seconds)


def _waiting(tenant: Tenant, found: Mapping[str, Any]) -> Waiting:
    waited = (now() - datetime.fromisoformat(found["oldest"])).total_seconds()
    return Waiting(tenant, found["documents"], found["turns"], max(0.0, waited))
