"""The doors of who sees what, person by person: everybody, who sees a document, what somebody sees."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.access import access_admin
from admin_ui.asked import text_asked
from admin_ui.selectors import people as read
from admin_ui.selectors.access import audience_rows
from admin_ui.selectors.documents import DocumentFilter, access_document, corpus_choices, principal_of
from admin_ui.selectors.eyes import eyes_of
from admin_ui.selectors.seen import seen_page
from admin_ui.sites import console
from tenants.models import User


@require_GET
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is known here, to find out what they may see."""
    access_admin(request)
    asked = read.PeopleAsked.from_query(request.GET)
    found = read.people_page(asked)
    context = console.page_context(request, "People", asked=asked, found=found, page=found.page)
    return render(request, "admin_ui/access/people.html", context)


@require_GET
def seers(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Everybody who can see a document, with the reason of each."""
    access_admin(request)
    document = access_document(principal_of(request.user), document_id)  # type: ignore[arg-type]
    asked = read.PeopleAsked.from_query(request.GET)
    found = read.seers_page(document, asked)
    context = console.page_context(
        request, f"Who sees “{document.title}”", document=document, asked=asked, found=found, page=found.page
    )
    return render(request, "admin_ui/access/people.html", context)


@require_GET
def seen(request: HttpRequest) -> HttpResponse:
    """Every document that somebody can see (`as`, `person`), with what lets them."""
    access_admin(request)
    user: User = request.user  # type: ignore[assignment]
    eyes = eyes_of(user, text_asked(request.GET, "as"), known_as=text_asked(request.GET, "person"))
    wanted = DocumentFilter.from_query(request.GET)
    found = seen_page(eyes, wanted, number=request.GET.get("page", "1"))
    offered = {"audiences": audience_rows(), "corpora": corpus_choices()}
    context = console.page_context(
        request,
        f"What {eyes.name} may see",
        eyes=eyes,
        wanted=wanted,
        found=found,
        page=found.page,
        end_user=eyes.end_user,
        **offered,
    )
    return render(request, "admin_ui/access/seen.html", context)
