"""Reading the people of this workspace as its console shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page

from admin_ui.selectors.paging import page_of_rows
from kernel.clock import now
from tenants.models import Invitation, Membership, Role, SignInProvider
from tenants.roles import May, role_may
from tenants.selectors.invitations import invitations_open
from tenants.selectors.members import MemberRow, member_row, members_found

PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A member, and what the asking member may do with them."""

    member: MemberRow
    you: bool
    changeable: bool
    last_owner: bool


@dataclass(frozen=True, slots=True)
class InvitationRow:
    invitation: Invitation
    expired: bool
    days: int
    changeable: bool


def people_page(by: Membership, *, owners: int, number: str) -> Page[Any]:
    """Of `PersonRow`s: owners first, of whom there are so many in all, then by name."""
    return page_of_rows(members_found(), lambda row: _person(member_row(row), by, owners), PER_PAGE, number)


def invitations_page(by: Membership, *, number: str) -> Page[Any]:
    """Of `InvitationRow`s, the newest first."""
    at, found = now(), invitations_open().order_by("-created_at", "pk")
    return page_of_rows(found, lambda row: _invited(row, by, at), PER_PAGE, number)


def provider_form(provider: SignInProvider | None) -> dict[str, object]:
    """What the form of a provider shows at first."""
    if provider is None:
        return {"default_role": Role.ANALYST, "enabled": True}
    return {
        "name": provider.name,
        "issuer": provider.issuer,
        "client_id": provider.client_id,
        "email_domains": ", ".join(provider.email_domains),
        "default_role": provider.default_role,
        "enabled": provider.enabled,
        "has_secret": bool(provider.client_secret),
    }


def _invited(row: Invitation, by: Membership, at: datetime) -> InvitationRow:
    return InvitationRow(
        invitation=row,
        expired=row.expires_at <= at,
        days=max(0, round((row.expires_at - at).total_seconds() / 86400)),
        changeable=row.role != Role.OWNER or role_may(by.role, May.MANAGE_OWNERS),
    )


def _person(row: MemberRow, by: Membership, owners: int) -> PersonRow:
    last_owner = row.role == Role.OWNER and owners == 1
    return PersonRow(
        member=row,
        you=row.user.pk == by.user_id,
        changeable=not last_owner and (row.role != Role.OWNER or role_may(by.role, May.MANAGE_OWNERS)),
        last_owner=last_owner,
    )
