"""The first page: the tenant's numbers and what needs attention."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.permits import may
from admin_ui.selectors.attention import first_steps, notices
from admin_ui.selectors.conversations import sessions_latest
from admin_ui.selectors.documents import principal_of
from admin_ui.selectors.overview import documents_needing_attention, overview_of_tenant
from admin_ui.selectors.turns import PERIODS
from admin_ui.sites import console
from admin_ui.views.turns import days_asked

LATEST = 8


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request.user)  # type: ignore[arg-type]
    days = days_asked(request.GET)
    numbers = overview_of_tenant(principal, days=days)
    allowed = partial(may, request)
    steps = first_steps(documents=numbers.document_total, conversations=numbers.conversations, may=allowed)
    context = console.page_context(
        request,
        "Overview",
        numbers=numbers,
        steps=steps,
        notices=notices(allowed),
        days=days,
        periods=PERIODS,
        latest=sessions_latest(limit=LATEST),
        attention=documents_needing_attention(principal),
    )
    return render(request, "admin_ui/overview.html", context)
