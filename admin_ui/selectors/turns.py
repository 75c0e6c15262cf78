"""Turns by what an admin asks about: each number of the overview, and the turns behind it, from one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet

from admin_ui.selectors.turn_filters import Wanted
from conversations.domain.classify import Kind
from conversations.domain.verdicts import Verdict
from conversations.models import UNSOURCED, Turn, TurnState
from conversations.selectors.people import peoples_turns
from kernel.clock import now

PER_PAGE = 30
ANY = Wanted()
PERIODS = {1: "24 hours", 7: "7 days", 28: "28 days"}
SLOW = timedelta(seconds=5)

_ANSWERED = Q(state=TurnState.COMPLETED) & ~Q(kind=Kind.SMALL_TALK)


@dataclass(frozen=True, slots=True)
class About:
    """A question about turns: how its page is called, what says that there are none, and which turns they are."""

    title: str
    none: str
    turns: Q


ABOUT: Mapping[str, About] = {
    "all": About("All turns", "Nobody has asked anything in this time.", Q()),
    "answered": About("Answered questions", "No question has been answered in this time.", _ANSWERED),
    "unanswered": About(
        "Unanswered questions",
        "Every question has found something in the documents.",
        UNSOURCED,
    ),
    "flagged": About(
        "Flagged by the guard",
        "The guard has objected to nothing.",
        ~Q(verdict="") & ~Q(verdict=Verdict.CLEAN),
    ),
    "contaminated": About(
        "Contaminated rewrites", "No rewrite was contaminated.", Q(verdict=Verdict.CONTAMINATED)
    ),
    "judged": About("Judged by the guard", "The guard has judged nothing in this time.", ~Q(verdict="")),
    "up": About("Rated helpful", "Nobody has rated an answer helpful in this time.", Q(rating="up")),
    "down": About("Rated not helpful", "Nobody has rated an answer not helpful.", Q(rating="down")),
    "failed": About("Failed turns", "No turn has failed.", Q(state=TurnState.FAILED)),
    "slow": About(
        f"Slower than {SLOW.seconds} seconds",
        f"No answer took longer than {SLOW.seconds} seconds.",
        Q(state=TurnState.COMPLETED, seconds__gt=SLOW),
    ),
}


def turns_since(since: datetime) -> QuerySet[Turn]:
    """People's turns from then on, with the time each took (`seconds`)."""
    took = ExpressionWrapper(F("finished_at") - F("created_at"), output_field=DurationField())
    return peoples_turns(since).annotate(seconds=took)


@transaction.atomic
def turns_page(*, about: str, days: int, number: str, wanted: Wanted = ANY) -> Page[Turn]:
    """The turns behind one number of the last `days`, narrowed to what is wanted, the latest first. Three queries.

    Which turns are on the page is found by their ids alone: the rows of the pages before it are never read whole.
    """
    since = now() - timedelta(days=days)
    found = wanted.of(turns_since(since).filter(ABOUT[about].turns))
    ids: Any = found.order_by("-created_at", "id").values_list("pk", flat=True)
    page = Paginator(ids, PER_PAGE).get_page(number)
    shown = turns_since(since).filter(pk__in=list(page.object_list))
    page.object_list = list(
        shown.select_related("session", "session__end_user").order_by("-created_at", "id")
    )
    return page
