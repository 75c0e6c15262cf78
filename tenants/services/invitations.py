"""Writing invitations: links, sent by mail, that make their reader a member."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.acting import acting_as, or_else, user_actor
from tenants.errors import AlreadyAMember, InvitationForAnother
from tenants.models import Invitation, Membership, Role, User
from tenants.scoping import current_tenant_id
from tenants.selectors.invitations import access_invitation, invitations_open, token_hash
from tenants.selectors.members import check_may_manage
from tenants.services.attempts import attempt, invitation_counters
from tenants.services.audit import audit_record
from tenants.services.people import membership_set

LIFETIME = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Issued:
    """An invitation with the token of its link, which is known in this moment only."""

    invitation: Invitation
    token: str


@transaction.atomic
def invitation_create(*, email: str, role: str, by: Membership) -> Issued:
    """Invite an address. An earlier invitation of it ends. Raises `Invalid`, `AlreadyAMember`, `OwnersOnly` …"""
    email = check_email(email)
    if role not in Role.values:
        raise Invalid(reason=f"A role is one of: {', '.join(Role.values)}.")
    check_may_manage(by, role)
    if Membership.objects.filter(user__email=email).exists():
        raise AlreadyAMember(email=email)
    attempt(invitation_counters(tenant_id=current_tenant_id()))
    for earlier in invitations_open().filter(email=email):
        check_may_manage(by, earlier.role)
        Invitation.objects.filter(pk=earlier.pk).update(revoked_at=now())
    issued = _issue(Invitation(email=email, role=role, invited_by_id=by.user_id))
    audit_record("invitation.created", target=email, role=role)
    return issued


@transaction.atomic
def owner_invite(*, email: str, by: User) -> Issued:
    """Platform staff invite an owner. Earlier invitations of the address end. Raises `Invalid`, `AlreadyAMember` …"""
    email = check_email(email)
    if Membership.objects.filter(user__email=email).exists():
        raise AlreadyAMember(email=email)
    attempt(invitation_counters(tenant_id=current_tenant_id()))
    invitations_open().filter(email=email).update(revoked_at=now())
    issued = _issue(Invitation(email=email, role=Role.OWNER, invited_by=by))
    audit_record("invitation.created", target=email, role=Role.OWNER.value)
    return issued


@transaction.atomic
def invitation_renew(*, invitation_id: UUID, by: Membership) -> Issued:
    """Send it again: a new link for seven more days, and the old link ends."""
    invitation = _open(invitation_id, by)
    attempt(invitation_counters(tenant_id=current_tenant_id()))
    issued = _issue(invitation)
    audit_record("invitation.renewed", target=invitation.email, role=invitation.role)
    return issued


@transaction.atomic
def invitation_revoke(*, invitation_id: UUID, by: Membership) -> Invitation:
    invitation = _open(invitation_id, by)
    invitation.revoked_at = now()
    invitation.save(update_fields=["revoked_at"])
    audit_record("invitation.revoked", target=invitation.email, role=invitation.role)
    return invitation


@transaction.atomic
def invitation_accept(*, token: str, user: User) -> Membership:
    """Make the user a member, once. A role that they hold already stays. Raises why it cannot be accepted."""
    invitation = access_invitation(token, lock=True)
    if invitation.email != user.email:
        raise InvitationForAnother(email=invitation.email, other=user.email)
    return joined(invitation, user)


@transaction.atomic
def account_create(*, token: str, name: str, password: str) -> User:
    """An account for an invited address that has none, and its membership."""
    invitation = access_invitation(token, lock=True)
    user = User.objects.create_user(invitation.email, password, name=name.strip()[:120])
    joined(invitation, user)
    return user


def joined(invitation: Invitation, user: User) -> Membership:
    """The invitation is used up, and its user is a member. The caller has locked it and checked whose it is."""
    Invitation.objects.filter(pk=invitation.pk).update(accepted_at=now())
    membership = Membership.objects.filter(user=user).first()
    if membership is None:
        with acting_as(or_else(user_actor(user))):
            membership = membership_set(user=user, role=invitation.role)
            audit_record("invitation.accepted", target=user.email, role=invitation.role)
    return membership


def check_email(email: str) -> str:
    """The address as accounts keep it. Raises `Invalid`."""
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid(reason="Enter an email address such as ada@company.example.") from None
    return email


def _open(invitation_id: UUID, by: Membership) -> Invitation:
    rows = Invitation.objects.select_for_update().filter(accepted_at=None, revoked_at=None)
    invitation = rows.filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound(what="open invitation")
    check_may_manage(by, invitation.role)
    return invitation


def _issue(invitation: Invitation) -> Issued:
    token = secrets.token_urlsafe(32)
    invitation.token_hash, invitation.expires_at = token_hash(token), now() + LIFETIME
    invitation.save()
    return Issued(invitation, token)
