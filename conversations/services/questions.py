"""Questions that nothing in the documents answers: dealt with by a member, or open again."""

from __future__ import annotations

from django.db import transaction

from conversations.audits.records import QuestionDealtWith
from conversations.selectors.questions import was_asked_in_vain
from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import User
from tenants.services.audit import audit_record


@transaction.atomic
def question_deal_with(*, fingerprint: str, by: User | None) -> QuestionDealtWith:
    """Mark a question of the current tenant as dealt with, from now on. Raises `NotFound` for one that was not asked."""
    if not was_asked_in_vain(fingerprint):
        raise NotFound(what="unanswered question")
    values = {"by": by, "at": now()}
    mark, _ = QuestionDealtWith.objects.update_or_create(fingerprint=fingerprint, defaults=values)
    audit_record("question.dealt_with", target=fingerprint)
    return mark


@transaction.atomic
def question_reopen(*, fingerprint: str) -> None:
    """Take the mark off again. Raises `NotFound` for a question that has none."""
    taken, _ = QuestionDealtWith.objects.filter(fingerprint=fingerprint).delete()
    if not taken:
        raise NotFound(what="question that was dealt with")
    audit_record("question.reopened", target=fingerprint)
