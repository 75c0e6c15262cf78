"""Letters to the platform's staff about what the leakage audit found."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery import shared_task
from django.db import transaction

from conversations.audits.notices import finding_letter, notices_claim, staff_to_write_to
from tenants.models import User
from tenants.services.mail import letter_send

RETRIES: dict[str, Any] = {
    "autoretry_for": (OSError,),
    "max_retries": 8,
    "retry_backoff": 5,
    "retry_backoff_max": 900,
}


@shared_task
def findings_sweep() -> None:
    """Write to staff once about what is new, whether it is one finding or many. Whoever runs it twice writes once."""
    with transaction.atomic():
        staff = staff_to_write_to()
        counts = notices_claim() if staff else {}
        for user_id in staff if counts else ():
            transaction.on_commit(partial(findings_mail.delay, user_id, counts))


@shared_task(**RETRIES)  # type: ignore[untyped-decorator]
def findings_mail(user_id: int, counts: dict[str, int]) -> None:
    """Tell one of the staff, if they still are."""
    user = User.objects.filter(pk=user_id, is_staff=True, is_active=True).first()
    if user is not None:
        letter_send(finding_letter(user=user, counts=counts))
