"""The door of a tenant's quotas: what would stop something is asked about first, and said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from admin_ui.asked import text_asked
from admin_ui.staff.selectors.tenants import access_tenant
from admin_ui.staff.sites import staff_console
from kernel.errors import DomainError, Invalid
from tenants.models import Tenant
from tenants.quotas import QUOTAS
from tenants.scoping import tenant_scope
from tenants.services.quotas import QuotaState, quota_states, quota_stops, quotas_set


@dataclass(frozen=True, slots=True)
class Stop:
    """A quota that would stop something from now on: how much of it is used (None for a pace), and what stops."""

    what: str
    limit: int
    used: int | None
    stops: str


@require_POST
def quotas(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    """Saved at once where they leave room; else it says what would stop, and asks."""
    found = access_tenant(tenant_id)
    try:
        wanted = _asked(request.POST)
        with tenant_scope(found.pk):
            stopping = _stopping(wanted)
            if not stopping or request.POST.get("sure"):
                quotas_set(quotas=wanted)
                stopping = []
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("staff-tenant", found.pk)
    if stopping:
        return _sure_page(request, found, stopping)
    messages.success(request, "The quotas are saved. They hold from the next message on.")
    return redirect("staff-tenant", found.pk)


def quota_row(found: Tenant, state: QuotaState) -> dict[str, Any]:
    """A quota as the tenant's page shows it, with what stands in its field."""
    own = state.name in found.quotas
    share = (
        min(100, round(100 * state.used / state.limit)) if state.used is not None and state.limit else None
    )
    return {
        "state": state,
        "own": own,
        "value": "" if not own else "none" if state.limit is None else str(state.limit),
        "default": settings.QUOTAS[state.name],
        "share": share,
    }


def _stopping(wanted: Mapping[str, int | None]) -> list[Stop]:
    """What the quotas would stop that goes on now. Of the current tenant."""
    found = []
    for state in quota_states():
        limit = wanted.get(state.name, settings.QUOTAS[state.name])
        stops = quota_stops(state.name, limit, state.used)
        if stops and not state.stops and limit is not None:
            found.append(Stop(state.what, limit, state.used, stops))
    return found


def _sure_page(request: HttpRequest, found: Tenant, stopping: list[Stop]) -> HttpResponse:
    typed = {name: text for name in QUOTAS if (text := text_asked(request.POST, name))}
    context = staff_console.page_context(
        request, f"Stop this for {found}?", tenant=found, stopping=stopping, typed=typed.items()
    )
    return render(request, "admin_ui/staff/quotas_sure.html", context)


def _asked(form: QueryDict) -> dict[str, int | None]:
    """A number, "none" for no limit, nothing for the platform's default. Raises `Invalid`."""
    wanted: dict[str, int | None] = {}
    for name, quota in QUOTAS.items():
        text = text_asked(form, name).replace(",", "").replace(" ", "").lower()
        if text == "none":
            wanted[name] = None
        elif text.isascii() and text.isdigit() and len(text) <= 18:
            wanted[name] = int(text)
        elif text:
            raise Invalid(reason=f"For {quota.what} enter a whole number, the word none, or nothing at all.")
    return wanted
