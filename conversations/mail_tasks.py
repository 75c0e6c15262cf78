"""Letters to the platform's staff about what the leakage audit found."""

from __future__ import annotations

from celery import shared_task

from conversations.audits.notices import finding_letter, notices_claim, staff_to_write_to
from tenants.mail_tasks import LETTER_RETRIES
from tenants.models import User
from tenants.services.mail import letter_send


@shared_task
def findings_sweep() -> None:
    """Write to staff once about what is new, whether it is one finding or many. Whoever runs it twice writes once."""
    staff = staff_to_write_to()
    counts = notices_claim() if staff else {}
    for user_id in staff if counts else ():
        findings_mail.delay(user_id, counts)


@shared_task(**LETTER_RETRIES)  # type: ignore[untyped-decorator]
def findings_mail(user_id: int, counts: dict[str, int]) -> None:
    """Tell one of the staff, if they still are."""
    user = User.objects.filter(pk=user_id, is_staff=True, is_active=True).first()
    if user is not None:
        letter_send(finding_letter(user=user, counts=counts))
