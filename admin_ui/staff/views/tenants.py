"""The doors of tenants: the list, a new one, and what staff may do with one."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from admin_ui.asked import choice_asked, text_asked, whole
from admin_ui.staff.access import staff_of
from admin_ui.staff.ports import KINDS
from admin_ui.staff.selectors import tenants as read
from admin_ui.staff.selectors.runs import runs_of
from admin_ui.staff.sites import staff_console
from admin_ui.staff.views.quotas import quota_row
from kernel.errors import DomainError
from tenants.mail_tasks import invitation_mail
from tenants.models import Tenant
from tenants.role_words import ROLE_NOTES
from tenants.scoping import tenant_scope
from tenants.services.invitations import Issued, owner_invite
from tenants.services.quotas import quota_states
from tenants.services.reasons import MOST_REASON
from tenants.services.support import SUPPORT_MINUTES, SUPPORT_ROLES, support_enter, support_leave
from tenants.services.tenancy import tenant_open, tenant_resume, tenant_suspend
from tenants.sign_in.guards import public_url

METHODS = ["GET", "HEAD", "POST"]


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    search, state = text_asked(request.GET, "q"), choice_asked(request.GET, "state", read.STATES)
    page = read.tenants_page(
        search=search, state=state, after=request.GET.get("after", ""), before=request.GET.get("before", "")
    )
    context = staff_console.page_context(
        request,
        "Tenants",
        page=page,
        counts=read.tenants_counted(),
        search=search,
        state=state,
        audits=[runs_of(kind) for kind in KINDS],
    )
    return render(request, "admin_ui/staff/tenants.html", context)


@require_http_methods(METHODS)
def new(request: HttpRequest) -> HttpResponse:
    asked = {name: text_asked(request.POST, name) for name in ("name", "slug", "owner")}
    if request.method != "POST":
        return _new_page(request, asked)
    try:
        opened = tenant_open(
            name=asked["name"], slug=asked["slug"], owner_email=asked["owner"], by=staff_of(request)
        )
    except DomainError as error:
        messages.error(request, error.message)
        return _new_page(request, asked, status=error.http_status)
    _letter(request, opened.tenant, opened.invited)
    messages.success(
        request, f"{opened.tenant} is open. A letter is on its way to {opened.invited.invitation.email}."
    )
    return redirect("staff-tenant", opened.tenant.pk)


@require_GET
def tenant(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    found = read.access_tenant(tenant_id)
    return _tenant_page(request, found)


@require_http_methods(METHODS)
def suspend(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    """Asks first, and for a reason."""
    return _asked_first(request, tenant_id, "suspend", tenant_suspend, "{} is suspended.")


@require_http_methods(METHODS)
def resume(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    return _asked_first(request, tenant_id, "resume", tenant_resume, "{} is open again.")


@require_POST
def invite(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    """Another owner, or the same one once more."""
    found = read.access_tenant(tenant_id)

    def change() -> str:
        with tenant_scope(found.pk):
            issued = owner_invite(email=text_asked(request.POST, "owner"), by=staff_of(request))
        _letter(request, found, issued)
        return f"A letter is on its way to {issued.invitation.email}."

    return _done(request, found, change)


@require_http_methods(METHODS)
def support(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    """Asks in which role, for how long and why; then the workspace's console opens."""
    found = read.access_tenant(tenant_id)
    asked = {name: text_asked(request.POST, name) for name in ("role", "minutes")}
    asked["reason"] = request.POST.get("reason", "").replace("\0", "")
    if request.method == "POST":
        try:
            support_enter(
                tenant_id=found.pk,
                by=staff_of(request),
                role=asked["role"],
                minutes=whole(asked, "minutes") or 0,
                reason=asked["reason"],
            )
        except DomainError as error:
            messages.error(request, error.message)
        else:
            return redirect(f"/t/{found.slug}{reverse('console', urlconf=settings.TENANT_URLCONF)}")
    context = staff_console.page_context(
        request,
        f"Enter {found} for support",
        tenant=found,
        asked=asked,
        most=MOST_REASON,
        roles=[(role, ROLE_NOTES[role]) for role in SUPPORT_ROLES],
        minutes=SUPPORT_MINUTES,
        visit=read.support_visit(found, staff_of(request)),
    )
    return render(request, "admin_ui/staff/tenant_support.html", context)


@require_POST
def support_over(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    found = read.access_tenant(tenant_id)

    def change() -> str:
        with tenant_scope(found.pk):
            support_leave(user=staff_of(request))
        return f"Your visit to {found} is over."

    return _done(request, found, change)


def _asked_first(
    request: HttpRequest, tenant_id: UUID, what: str, act: Callable[..., Tenant], told: str
) -> HttpResponse:
    found, reason = read.access_tenant(tenant_id), request.POST.get("reason", "").replace("\0", "")
    if request.method == "POST":
        try:
            act(tenant_id=found.pk, reason=reason)
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, told.format(found))
            return redirect("staff-tenant", found.pk)
    context = staff_console.page_context(
        request,
        f"{what.capitalize()} {found}?",
        tenant=found,
        what=what,
        reason=reason,
        most=MOST_REASON,
        figures=read.figures_of(found),
    )
    return render(request, "admin_ui/staff/tenant_sure.html", context)


def _new_page(request: HttpRequest, asked: dict[str, str], status: int = 200) -> HttpResponse:
    context = staff_console.page_context(request, "New tenant", asked=asked)
    return render(request, "admin_ui/staff/tenant_new.html", context, status=status)


def _tenant_page(request: HttpRequest, found: Tenant) -> HttpResponse:
    with tenant_scope(found.pk):
        states = quota_states()
    context = staff_console.page_context(
        request,
        found.name,
        tenant=found,
        figures=read.figures_of(found),
        quotas=[quota_row(found, state) for state in states],
        owners=read.owners_of(found),
        invited=read.owners_invited(found),
        entries=read.staff_entries(found),
        visit=read.support_visit(found, staff_of(request)),
    )
    return render(request, "admin_ui/staff/tenant.html", context)


def _letter(request: HttpRequest, found: Tenant, issued: Issued) -> None:
    """Its link is in the letter only."""
    path = reverse("invitation", urlconf=settings.TENANT_URLCONF, args=[issued.token])
    link = public_url(request, f"/t/{found.slug}{path}")
    ids = (str(found.pk), str(issued.invitation.pk))
    invitation_mail.delay_on_commit(*ids, link)


def _done(request: HttpRequest, found: Tenant, change: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, change())
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("staff-tenant", found.pk)
