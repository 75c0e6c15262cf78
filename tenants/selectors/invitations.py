"""Reading invitations."""

from __future__ import annotations

from hashlib import sha256

from django.db.models import QuerySet

from kernel.clock import now
from tenants.errors import InvitationExpired, InvitationRevoked, InvitationUnknown, InvitationUsed
from tenants.models import Invitation


def token_hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def invitations_open() -> QuerySet[Invitation]:
    """Invitations of the current tenant that can still be accepted, and those that have only run out."""
    return Invitation.objects.filter(accepted_at=None, revoked_at=None).select_related("invited_by")


def invitation_for(email: str) -> Invitation | None:
    """The invitation that this address could accept now."""
    return invitations_open().filter(email=email.strip().lower(), expires_at__gt=now()).first()


def access_invitation(token: str, *, lock: bool = False) -> Invitation:
    """The invitation behind a link. Raises an error that says why it can no longer be accepted."""
    rows = Invitation.objects.select_for_update() if lock else Invitation.objects.all()
    invitation = rows.filter(token_hash=token_hash(token)).first()
    if invitation is None:
        raise InvitationUnknown
    return check_open(invitation)


def check_open(invitation: Invitation) -> Invitation:
    if invitation.accepted_at is not None:
        raise InvitationUsed
    if invitation.revoked_at is not None:
        raise InvitationRevoked
    if invitation.expires_at <= now():
        raise InvitationExpired
    return invitation
