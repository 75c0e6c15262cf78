"""The list of conversations, and one conversation with what happened in it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.access import manages_documents
from admin_ui.asked import choice_asked, text_asked
from admin_ui.components.marks import VERDICTS
from admin_ui.components.places import Places
from admin_ui.components.timeline import LEGEND, timeline
from admin_ui.permits import may
from admin_ui.selectors import conversations as read
from admin_ui.selectors.documents import principal_of
from admin_ui.selectors.memory import memory_view
from admin_ui.sites import console
from conversations.selectors.evaluations import sets_named
from conversations.selectors.sight import Sight, sight_of
from tenants.roles import May


@require_GET
def conversations(request: HttpRequest) -> HttpResponse:
    search = text_asked(request.GET, "q")
    verdict = choice_asked(request.GET, "verdict", {*VERDICTS, "flagged"})
    found = read.sessions_page(number=request.GET.get("page", "1"), search=search, verdict=verdict)
    asked = {"search": search, "verdict": verdict, "verdicts": VERDICTS}
    context = console.page_context(request, "Conversations", rows=found.rows, page=found.page, **asked)
    return render(request, "admin_ui/conversations/list.html", context)


@require_GET
def conversation(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """`?turn=41` shows the page that holds turn 41, `?page=2` the second page of turns."""
    session = read.access_conversation(session_id=session_id)
    sight = Sight() if manages_documents(request) else sight_of(session, principal_of(request.user))  # type: ignore[arg-type]
    turns = read.turn_memories(session, sight)
    number = read.page_asked(request.GET, turns=len(turns))
    turns = read.near(turns, number)
    drawn, places = timeline(turns), Places.of(turns)
    first, last = read.turns_on(number)
    context = console.page_context(
        request,
        str(session),
        session=session,
        timeline=drawn,
        legend=LEGEND,
        memory=memory_view(session, sight, places, drawn, first=first, last=last),
        cards=read.turn_cards(session, sight, places, number=number),
        number_now=number,
        evaluates=(evaluates := may(request, May.RUN_EVALUATIONS)),
        followup_sets=list(sets_named()) if evaluates else [],
        turn_pages=read.turn_pages(len(turns)),
    )
    return render(request, "admin_ui/conversations/detail.html", context)
