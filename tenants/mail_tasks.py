"""Letters, sent in the background: a slow mail server holds up nobody, and its answers give nothing away."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import shared_task
from django.db import transaction

from tenants.models import Invitation, Tenant, User
from tenants.services.mail import invitation_letter, letter_send, notice_letter, reset_letter
from tenants.tasks import TenantTask

LETTER_RETRIES: dict[str, Any] = {
    "autoretry_for": (OSError,),
    "max_retries": 8,
    "retry_backoff": 5,
    "retry_backoff_max": 900,
}


class LetterTask(TenantTask):
    """A task that a door queues once what it tells of is stored."""

    abstract = True

    def delay_on_commit(self, *args: Any) -> None:
        transaction.on_commit(lambda: self.delay(*args))


@shared_task(base=LetterTask, **LETTER_RETRIES)
def invitation_mail(tenant_id: str, invitation_id: str, link: str) -> None:
    """Send an invitation's link, unless it was taken back meanwhile."""
    rows = Invitation.objects.filter(pk=UUID(invitation_id), accepted_at=None, revoked_at=None)
    invitation = rows.select_related("invited_by").first()
    if invitation is not None:
        tenant = Tenant.objects.get(pk=tenant_id)
        letter_send(invitation_letter(invitation=invitation, tenant=tenant, link=link))


@shared_task(base=LetterTask, **LETTER_RETRIES)
def password_reset_mail(tenant_id: str, email: str, link_pattern: str) -> None:
    """Send a link to set a new password, to an address that has an account here; nothing to any other."""
    tenant = Tenant.objects.get(pk=tenant_id)
    letter = reset_letter(email=email, tenant=tenant, link_pattern=link_pattern)
    if letter is not None:
        letter_send(letter)


@shared_task(base=LetterTask, **LETTER_RETRIES)
def notice_mail(tenant_id: str, user_id: int, notice: str, device: str, address: str) -> None:
    """Tell somebody that their account's security was changed."""
    user = User.objects.filter(pk=user_id).first()
    if user is not None:
        letter_send(notice_letter(user=user, notice=notice, device=device, address=address))
