"""Whose conversations are people's, and whose are the leakage audit's own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from conversations.audits.records import SUBJECT
from conversations.models import Session, Turn
from tenants.models import EndUser


def peoples_turns(since: datetime) -> QuerySet[Turn]:
    """People's turns from then on."""
    planted = Session.objects.filter(end_user__in=planters()).order_by()
    return Turn.objects.exclude(session__in=planted.values("pk")).filter(created_at__gte=since)


def planters() -> QuerySet[EndUser, Any]:
    """Whose conversations are the leakage audit's. There are few: as a subquery they are looked up once, while a join
    would take every turn to its person."""
    return EndUser.objects.filter(subject=SUBJECT).values("pk")
