"""The doors of members: who has which role here, who is invited, and how they sign in."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import access_member_manager
from admin_ui.asked import text_asked
from admin_ui.selectors import members as read
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.mail_tasks import invitation_mail
from tenants.models import Role
from tenants.role_words import ROLE_NOTES, role_table
from tenants.roles import May, role_may
from tenants.scoping import current_tenant_id
from tenants.selectors import membership_of
from tenants.selectors.members import member_figures, roles_to_give
from tenants.selectors.providers import providers_list
from tenants.services.invitations import Issued, invitation_create, invitation_renew, invitation_revoke
from tenants.services.members import member_remove, member_role_set, two_factor_require
from tenants.services.support import support_leave
from tenants.sign_in.guards import public_url


@require_GET
def members(request: HttpRequest) -> HttpResponse:
    by = access_member_manager(request)
    figures = member_figures()
    context = console.page_context(
        request,
        "Members",
        people=read.people_page(by, owners=figures.owners, number=request.GET.get("page", "1")),
        member_count=figures.members,
        invitations=read.invitations_page(by, number=request.GET.get("invitations", "1")),
        roles=[(role, ROLE_NOTES[role]) for role in roles_to_give(by)],
        without_two_factor=figures.without_two_factor,
        providers=providers_list(),
        manages_owners=role_may(by.role, May.MANAGE_OWNERS),
        role_names=[role.label for role in Role],
        role_rows=role_table(),
    )
    return render(request, "admin_ui/members/list.html", context)


@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    by = access_member_manager(request)
    email, role = text_asked(request.POST, "email"), text_asked(request.POST, "role")
    return _done(request, lambda: _sent(request, invitation_create(email=email, role=role, by=by)))


@require_POST
def invitation_again(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    by = access_member_manager(request)
    return _done(request, lambda: _sent(request, invitation_renew(invitation_id=invitation_id, by=by)))


@require_POST
def invitation_back(request: HttpRequest, invitation_id: UUID) -> HttpResponse:
    by = access_member_manager(request)
    told = "The invitation of {0.email} is taken back: its link no longer works."
    return _done(request, lambda: told.format(invitation_revoke(invitation_id=invitation_id, by=by)))


@require_POST
def role(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    by, wanted = access_member_manager(request), text_asked(request.POST, "role")

    def change() -> str:
        changed = member_role_set(membership_id=membership_id, role=wanted, by=by)
        return f"{changed.user} is {changed.get_role_display().lower()} now."

    return _done(request, change)


@require_POST
def remove(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    by = access_member_manager(request)
    told = "{0.user} is no longer a member, and is signed out of this workspace."
    return _done(request, lambda: told.format(member_remove(membership_id=membership_id, by=by)))


@require_POST
def two_factor(request: HttpRequest) -> HttpResponse:
    by, required = access_member_manager(request), request.POST.get("required") == "yes"

    def change() -> str:
        two_factor_require(required=required, by=by)
        return (
            "Members need a second factor now." if required else "A second factor is up to each member now."
        )

    return _done(request, change)


@require_POST
def support_over(request: HttpRequest) -> HttpResponse:
    """Platform staff end their own visit, and are back where they came from."""
    support_leave(user=request.user)  # type: ignore[arg-type]
    return redirect("/staff/")


def _sent(request: HttpRequest, issued: Issued) -> str:
    """Queue the letter. Its link is in the letter only: whoever opens it has shown that the mailbox is theirs."""
    link = public_url(request, reverse("invitation", args=[issued.token]))
    invitation_mail.delay_on_commit(str(current_tenant_id()), str(issued.invitation.pk), link)
    return f"A letter with a link is on its way to {issued.invitation.email}."


def _done(request: HttpRequest, change: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, change())
    except DomainError as error:
        messages.error(request, error.message)
    return redirect(_back(request))


def _back(request: HttpRequest) -> str:
    """The page of members, for as long as it is theirs: people can take their own role away."""
    member = membership_of(request.user)  # type: ignore[arg-type]
    if member is None:
        return "chat"
    return "console-members" if role_may(member.role, May.MANAGE_MEMBERS) else "console"
