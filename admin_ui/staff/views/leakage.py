"""The doors of the leakage audit: what was found in all tenants, and what staff make of it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from admin_ui.asked import choice_asked, text_asked
from admin_ui.staff.access import staff_of
from admin_ui.staff.alerts import open_findings_forget
from admin_ui.staff.ports import MOST_PROBES, PROBE
from admin_ui.staff.selectors import leakage as read
from admin_ui.staff.selectors.runs import runs_of
from admin_ui.staff.selectors.tenants import access_tenant
from admin_ui.staff.sites import staff_console
from conversations.audits.judging import MOST_NOTE, finding_judge
from kernel.errors import DomainError
from tenants.models import Tenant, User
from tenants.scoping import tenant_scope


@require_GET
def leakage(request: HttpRequest) -> HttpResponse:
    state = choice_asked(request.GET, "state", read.STATES) or "open"
    found = read.leakage_of_all(state=state, after=text_asked(request.GET, "after"))
    context = staff_console.page_context(
        request,
        "Leakage audit",
        leakage=found,
        state=read.STATES[state],
        states=[(name, mark, found.counts[name], name == state) for name, mark in read.STATES.items()],
        runs=runs_of(PROBE),
        most_probes=MOST_PROBES,
        days=read.DAYS,
    )
    return render(request, "admin_ui/staff/leakage.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def finding(request: HttpRequest, tenant_id: UUID, finding_id: UUID) -> HttpResponse:
    found = access_tenant(tenant_id)
    if request.method == "POST":
        try:
            _judged(request, found, finding_id)
        except DomainError as error:
            messages.error(request, error.message)
            return redirect("staff-finding", tenant_id, finding_id)
        open_findings_forget()
        messages.success(request, "Saved, and written into the workspace's audit log.")
        return redirect("staff-leakage")
    row = read.access_finding(found, finding_id)
    context = staff_console.page_context(
        request,
        row.finding.get_kind_display(),
        row=row,
        evidence=read.evidence_shown(row.finding),
        states=read.STATES.items(),
        people=read.staff_people(),
        most=MOST_NOTE,
    )
    return render(request, "admin_ui/staff/finding.html", context)


def _judged(request: HttpRequest, found: Tenant, finding_id: UUID) -> None:
    note = request.POST.get("note", "").replace("\0", "")
    with tenant_scope(found.pk):
        finding_judge(
            finding_id=finding_id, state=text_asked(request.POST, "state"), note=note, owner=_owner(request)
        )


def _owner(request: HttpRequest) -> User | None:
    """Somebody of the staff; whoever asks for themselves by "me"; nobody."""
    wanted = request.POST.get("owner", "")
    if wanted == "me":
        return staff_of(request)
    is_id = wanted.isascii() and wanted.isdigit() and len(wanted) < 18
    return User.objects.filter(pk=int(wanted)).first() if is_id else None
