"""What waits, by tenant. Two queries for each active tenant, inside its scope."""

from __future__ import annotations

from dataclasses import dataclass

from conversations.selectors.backlog import turns_unanswered
from kernel.clock import now
from retrieval.selectors import documents_unfinished
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.selectors import tenants_known


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
        documents, turns = documents_unfinished(), turns_unanswered()
    first = min((found.oldest for found in (documents, turns) if found.oldest), default=now())
    return Waiting(tenant, documents.depth, turns.depth, max(0.0, (now() - first).total_seconds()))
