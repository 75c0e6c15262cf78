"""The turns behind the numbers of the overview."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.access import manages_documents
from admin_ui.asked import choice_asked
from admin_ui.components.marks import VERDICTS
from admin_ui.selectors import turn_filters as filters
from admin_ui.selectors import turns as read
from admin_ui.sites import console


@require_GET
def turns(request: HttpRequest) -> HttpResponse:
    about = choice_asked(request.GET, "about", read.ABOUT) or "all"
    days = days_asked(request.GET)
    wanted = filters.Wanted.asked(request.GET, in_searches=manages_documents(request))
    page = read.turns_page(about=about, days=days, number=request.GET.get("page", "1"), wanted=wanted)
    context = console.page_context(
        request,
        read.ABOUT[about].title,
        page=page,
        about=about,
        none=read.ABOUT[about].none,
        abouts=[(name, one.title) for name, one in read.ABOUT.items()],
        days=days,
        periods=read.PERIODS,
        wanted=wanted,
        verdicts=VERDICTS,
        ratings=filters.RATINGS,
        policies=filters.policies_tried(),
    )
    return render(request, "admin_ui/turns.html", context)


def days_asked(query: Mapping[str, str]) -> int:
    """The period of `days`; a week where it is none of them."""
    return int(choice_asked(query, "days", {str(days) for days in read.PERIODS}) or 7)
