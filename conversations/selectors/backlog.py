"""What waits in the current tenant: figures for whoever watches the platform."""

from __future__ import annotations

from django.db.models import Count, Min

from conversations.models import UNFINISHED, Turn
from kernel.observed import Waiting


def turns_unanswered() -> Waiting:
    """Turns that wait or are being answered."""
    return Waiting(
        **Turn.objects.filter(state__in=UNFINISHED).aggregate(depth=Count("*"), oldest=Min("created_at"))
    )
