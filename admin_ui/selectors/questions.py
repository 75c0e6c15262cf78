"""Reading the questions that nothing in the documents answers: the same words once, with how often they were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max

from admin_ui.components.marks import Mark
from admin_ui.selectors.turns import ABOUT, turns_since
from conversations.audits.records import QuestionDealtWith
from conversations.selectors.questions import fingerprinted
from kernel.clock import now

PER_PAGE = 30
STATES: dict[str, Mark] = {
    "open": Mark("open", "stale", "○", "Nobody has dealt with it, or it was asked in vain again since."),
    "dealt": Mark("dealt with", "clean", "✓", "Somebody has dealt with it, and nobody has asked it in vain since."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """A question with how often and by how many it was asked in the period. `mark` is who dealt with it last, if anybody;
    `again` that it was asked in vain since."""

    fingerprint: str
    asked: str
    times: int
    people: int
    latest: datetime
    mark: QuestionDealtWith | None

    @property
    def again(self) -> bool:
        return self.mark is not None and self.latest > self.mark.at

    @property
    def state(self) -> str:
        return "open" if self.mark is None or self.again else "dealt"


@dataclass(frozen=True, slots=True)
class Questions:
    """A page of those in one state; `counts` is how many there are in each."""

    page: Page[Any]
    rows: tuple[Question, ...]
    counts: Mapping[str, int]


def questions_page(*, state: str, days: int, number: str, with_searches: bool) -> Questions:
    """The questions of the last `days`, the most asked first. Three queries, however many there are.

    `with_searches` tells a follow-up as it was searched for, whose words may come from documents; else as it was typed.
    """
    since = now() - timedelta(days=days)
    marks = {one.fingerprint: one for one in QuestionDealtWith.objects.select_related("by").order_by()}
    found = [_question(row, marks) for row in _grouped(since)]
    here = [one for one in found if one.state == state]
    page = Paginator(here, PER_PAGE).get_page(number)
    counts = {name: sum(one.state == name for one in found) for name in STATES}
    return Questions(
        page, _worded(list(page.object_list), since, "asked" if with_searches else "message"), counts
    )


def _grouped(since: datetime) -> list[dict[str, Any]]:
    turns = fingerprinted(turns_since(since).filter(ABOUT["unanswered"].turns)).order_by()
    counted = turns.values("fingerprint").annotate(
        times=Count("id"), people=Count("session__end_user", distinct=True), latest=Max("created_at")
    )
    return list(counted.order_by("-times", "-latest", "fingerprint"))


def _question(row: Mapping[str, Any], marks: Mapping[str, QuestionDealtWith]) -> Question:
    mark = marks.get(row["fingerprint"])
    return Question(row["fingerprint"], "", row["times"], row["people"], row["latest"], mark)


def _worded(shown: Sequence[Question], since: datetime, words: str) -> tuple[Question, ...]:
    """In the words in which each was asked last."""
    latest = turns_since(since).filter(created_at__in=[one.latest for one in shown])
    told = dict(fingerprinted(latest).order_by().values_list("fingerprint", words))
    return tuple(replace(one, asked=told.get(one.fingerprint, "")) for one in shown)
