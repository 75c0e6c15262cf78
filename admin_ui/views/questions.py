"""The doors of unanswered questions: the list, and the mark that one was dealt with."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import manages_documents
from admin_ui.asked import choice_asked, text_asked
from admin_ui.permits import access_permitted, may
from admin_ui.selectors import questions as read
from admin_ui.selectors.turns import PERIODS
from admin_ui.sites import console
from admin_ui.views.turns import days_asked
from conversations.services.questions import question_deal_with, question_reopen
from kernel.errors import DomainError
from tenants.roles import May


@require_GET
def questions(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_CONVERSATIONS)
    state = choice_asked(request.GET, "state", read.STATES) or "open"
    days = days_asked(request.GET)
    found = read.questions_page(
        state=state,
        days=days,
        number=request.GET.get("page", "1"),
        with_searches=manages_documents(request),
    )
    context = console.page_context(
        request,
        "Unanswered questions",
        rows=found.rows,
        page=found.page,
        state=state,
        states=[(name, mark, found.counts[name]) for name, mark in read.STATES.items()],
        days=days,
        periods=PERIODS,
        judges=may(request, May.JUDGE_CONVERSATIONS),
    )
    return render(request, "admin_ui/questions.html", context)


@require_POST
def mark(request: HttpRequest) -> HttpResponse:
    """`question` is its fingerprint and `to` dealt or open; `days` and `state` are the list it stood in."""
    by = access_permitted(request, May.JUDGE_CONVERSATIONS)
    fingerprint = text_asked(request.POST, "question")
    try:
        if request.POST.get("to") == "open":
            question_reopen(fingerprint=fingerprint)
            messages.success(request, "The question is open again.")
        else:
            question_deal_with(fingerprint=fingerprint, by=by)
            messages.success(request, "Dealt with. It comes back by itself when it is asked in vain again.")
    except DomainError as error:
        messages.error(request, error.message)
    state = choice_asked(request.POST, "state", read.STATES) or "open"
    return redirect(f"{reverse('console-questions')}?state={state}&days={days_asked(request.POST)}")
