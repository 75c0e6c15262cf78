"""The questions that nothing in the documents answers, a page at a time as the console shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.paginator import Page, Paginator

from admin_ui.components.marks import Mark
from conversations.selectors.questions import Question, questions_unanswered, questions_worded
from kernel.clock import now

PER_PAGE = 30
STATES: dict[str, Mark] = {
    "open": Mark("open", "stale", "○", "Nobody has dealt with it, or it was asked in vain again since."),
    "dealt": Mark("dealt with", "clean", "✓", "Somebody has dealt with it, and nobody has asked it in vain since."),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Questions:
    """A page of those in one state; `counts` is how many there are in each."""

    page: Page[Any]
    rows: tuple[Question, ...]
    counts: Mapping[str, int]


def questions_page(*, state: str, days: int, number: str, with_searches: bool) -> Questions:
    """The questions of the last `days`, the most asked first. Three queries, however many there are.

    `with_searches` as `questions_worded` has it.
    """
    since = now() - timedelta(days=days)
    found = questions_unanswered(since)
    page = Paginator([one for one in found if one.state == state], PER_PAGE).get_page(number)
    counts = {name: sum(one.state == name for one in found) for name in STATES}
    rows = questions_worded(list(page.object_list), since, with_searches=with_searches)
    return Questions(page, rows, counts)
