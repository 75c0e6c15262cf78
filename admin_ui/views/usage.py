"""The doors of usage: each day's, against the quotas, and as a table to take away."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.asked import choice_asked
from admin_ui.permits import access_permitted
from admin_ui.selectors import usage as read
from admin_ui.sites import console
from admin_ui.tables import csv_answer
from tenants.roles import May


@require_GET
def usage(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    days, quotas = _days(request), read.quotas()
    context = console.page_context(
        request,
        "Usage",
        usage=read.usage(days=days, turns=read.turns_today(quotas)),
        quotas=quotas,
        days=days,
        periods=read.PERIODS,
    )
    return render(request, "admin_ui/usage/page.html", context)


@require_GET
def usage_csv(request: HttpRequest) -> HttpResponse:
    """A line for each day (UTC), the newest first, with a column for each metric."""
    access_permitted(request, May.READ_REPORTS)
    found = read.usage(days=_days(request), turns=read.turns_today(read.quotas()))
    head = ("day", *(metric.name for metric in found.metrics))
    return csv_answer("usage.csv", head, ([day.isoformat(), *values] for day, values in found.rows))


def _days(request: HttpRequest) -> int:
    return int(choice_asked(request.GET, "days", {str(days) for days in read.PERIODS}) or 28)
