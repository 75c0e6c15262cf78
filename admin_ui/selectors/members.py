"""Reading the people of this workspace as its console shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kernel.clock import now
from tenants.models import Invitation, Membership, Role, SignInProvider
from tenants.roles import May, role_may
from tenants.selectors.invitations import invitations_open
from tenants.selectors.members import MemberRow, members_list


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


def person_rows(by: Membership) -> Sequence[PersonRow]:
    members = members_list()
    owners = sum(row.role == Role.OWNER for row in members)
    return [_person(row, by, owners) for row in members]


def invitation_rows(by: Membership) -> Sequence[InvitationRow]:
    at = now()
    return [
        InvitationRow(
            invitation=row,
            expired=row.expires_at <= at,
            days=max(0, round((row.expires_at - at).total_seconds() / 86400)),
            changeable=row.role != Role.OWNER or role_may(by.role, May.MANAGE_OWNERS),
        )
        for row in invitations_open()
    ]


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


def _person(row: MemberRow, by: Membership, owners: int) -> PersonRow:
    last_owner = row.role == Role.OWNER and owners == 1
    return PersonRow(
        member=row,
        you=row.user.pk == by.user_id,
        changeable=not last_owner and (row.role != Role.OWNER or role_may(by.role, May.MANAGE_OWNERS)),
        last_owner=last_owner,
    )
