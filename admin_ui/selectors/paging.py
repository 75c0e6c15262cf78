"""Pages of long lists, and of what only a look at every row can find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Count, Model, QuerySet, Window

from admin_ui.asked import whole_or_none

Row = TypeVar("Row", bound=Model)


def page_by_ids(
    found: QuerySet[Row], shown: QuerySet[Row], per_page: int, number: str, *, count: int | None = None
) -> Page[Row]:
    """A page of what is found, each row as `shown` has it. Both are in the same order.

    Which rows are on the page is found by their ids alone: those of the pages before it are never read whole. `count` is
    how many there are where that is known, which saves the query for it.
    """
    ids: Any = found.values_list("pk", flat=True)
    paginator = Paginator(ids, per_page)
    if count is not None:
        paginator.count = count
    page: Page[Any] = paginator.get_page(number)
    page.object_list = list(shown.filter(pk__in=list(page.object_list)))
    return page


def page_of_rows(found: QuerySet[Row], shown: Callable[[Row], Any], per_page: int, number: str) -> Page[Any]:
    """A page of what is found, which is in a stable order, each row as `shown` makes it."""
    page: Page[Any] = Paginator(found, per_page).get_page(number)
    page.object_list = [shown(row) for row in page.object_list]
    return page


def one_scan_page(ids: QuerySet[Any], per_page: int, number: str) -> Page[Any]:
    """A page of a flat list of ids, found and counted in one query; in two where the page lies beyond the end.

    `number` is as somebody typed it: what is no number means the first page, what is too large the last one.
    """
    wanted = max(whole_or_none(number) or 1, 1)
    paginator = Paginator(ids, per_page)
    rows = _scanned(ids, (wanted - 1) * per_page, per_page)
    if not rows and wanted > 1:
        first = _scanned(ids, 0, 1)
        paginator.count = first[0][1] if first else 0
        wanted = paginator.num_pages
        rows = _scanned(ids, (wanted - 1) * per_page, per_page)
    else:
        paginator.count = rows[0][1] if rows else 0
    page = paginator.page(wanted)
    page.object_list = [pk for pk, _ in rows]
    return page


def _scanned(ids: QuerySet[Any], start: int, amount: int) -> list[tuple[Any, int]]:
    """So many ids from a place on, each with how many there are in all."""
    counted = ids.values_list("pk", flat=False).annotate(_of=Window(Count("*")))
    return list(counted[start : start + amount])
