"""What waits, by tenant. Two queries for each active tenant, inside its scope."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Min

from admin_ui.staff.selectors.tenants import tenants_known
from conversations.models import UNFINISHED as TURNS_UNFINISHED
from conversations.models import Turn
from kernel.clock import now
from retrieval.models import UNFINISHED as DOCUMENTS_UNFINISHED
from retrieval.models import Document
from tenants.models import Tenant
from tenants.scoping import tenant_scope


@dataclass(frozen=True, slots=True)
class Waiting:
    """Documents and turns of a tenant that are not done, and how long the first of them has waited, in seconds."""

    tenant: Tenant
    documents: int
    turns: int
    seconds: float


def waiting_by_tenant() -> list[Waiting]:
    """Whoever waits the longest first; tenants for whom nothing waits are left out."""
    found = (_waiting(tenant) for tenant in tenants_known().filter(suspended_at=None))
    return sorted((row for row in found if row.documents or row.turns), key=lambda row: -row.seconds)


def _waiting(tenant: Tenant) -> Waiting:
    with tenant_scope(tenant.pk):
        documents = Document.objects.filter(state__in=DOCUMENTS_UNFINISHED)
        turns = Turn.objects.filter(state__in=TURNS_UNFINISHED)
        files = documents.order_by().aggregate(n=Count("pk"), first=Min("queued_at"))
        asked = turns.order_by().aggregate(n=Count("pk"), first=Min("created_at"))
    first = min((row["first"] for row in (files, asked) if row["first"]), default=now())
    return Waiting(tenant, files["n"], asked["n"], max(0.0, (now() - first).total_seconds()))
