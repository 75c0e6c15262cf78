"""Pages of what only a look at every row can find."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet, Window


def one_scan_page(ids: QuerySet[Any], per_page: int, number: str) -> Page[Any]:
    """A page of a flat list of ids, found and counted in one query; in two where the page lies beyond the end.

    `number` is as somebody typed it: what is no number means the first page, what is too large the last one.
    """
    wanted = max(int(number), 1) if number.isascii() and number.isdigit() and len(number) < 9 else 1
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
