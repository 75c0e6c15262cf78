"""Turns by what an admin asks about: each number of the overview, and the turns behind it, from one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.paginator import Page
from django.db import transaction
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet

from admin_ui.selectors.paging import page_by_ids
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
    """The turns behind one number of the last `days`, narrowed to what is wanted, the latest first. Three queries."""
    since = now() - timedelta(days=days)
    found = wanted.of(turns_since(since).filter(ABOUT[about].turns))
    shown = turns_since(since).select_related("session", "session__end_user")
    return page_by_ids(
        found.order_by("-created_at", "id"), shown.order_by("-created_at", "id"), PER_PAGE, number
    )
