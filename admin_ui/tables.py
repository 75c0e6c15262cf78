"""Tables that are taken along as a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse

FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def csv_answer(name: str, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> HttpResponse:
    """A file of that name, its first line the head."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    writer.writerow(head)
    writer.writerows([_plain(value) for value in row] for row in rows)
    return response


def _plain(value: Any) -> Any:
    """What people wrote must not run as a formula in a spreadsheet."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULAS) else value
