"""The audit logs of all tenants, verified one after the other."""

from __future__ import annotations

from config.progress import Report
from kernel.json import JsonObject
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.selectors import tenants_known
from tenants.selectors.audit import Verdict, audit_verify

MOST_BREAKS = 20


def run(report: Report) -> JsonObject:
    """{"tenants", "entries", "broken", "logs": [{"slug", "name", "entries", "breaks", "found"}]}: broken ones first."""
    tenants = list(tenants_known().order_by("slug"))
    logs = []
    for number, tenant in enumerate(tenants, 1):
        with tenant_scope(tenant.pk):
            verdict = audit_verify()
        if Tenant.objects.filter(pk=tenant.pk).exists():  # not one that was erased meanwhile
            logs.append(_line(tenant, verdict))
        report("logs", number, len(tenants))
    logs.sort(key=lambda log: (not log["found"], log["slug"]))
    return {
        "tenants": len(logs),
        "entries": sum(log["entries"] for log in logs),
        "broken": sum(bool(log["found"]) for log in logs),
        "logs": logs,
    }


def _line(tenant: Tenant, verdict: Verdict) -> JsonObject:
    found = [
        {"seq": broken.seq, "reason": broken.reason.value, "detail": broken.detail}
        for broken in verdict.broken[:MOST_BREAKS]
    ]
    return {
        "slug": tenant.slug,
        "name": tenant.name,
        "entries": verdict.entries,
        "breaks": len(verdict.broken),
        "found": found,
    }
