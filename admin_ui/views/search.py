"""The door of search: what a query finds, with whose eyes, and why something is not among it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from admin_ui.permits import access_permitted, may
from admin_ui.selectors import search as read
from admin_ui.selectors.access import audience_rows
from admin_ui.selectors.documents import corpus_choices, tags_in_use
from admin_ui.selectors.eyes import eyes_of
from admin_ui.sites import console
from kernel.errors import DomainError
from tenants.roles import May


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    """`q` with whose eyes (`as`, `person`) and its filters; `why` names a document to explain."""
    user = access_permitted(request, May.READ_DOCUMENTS)
    asked, looks_as_others = read.SearchAsked.from_query(request.GET), may(request, May.GRANT_ACCESS)
    me, fault = eyes_of(user, ""), None
    try:
        found = read.search_page(me, user, asked, looks_as_others=looks_as_others)
    except DomainError as error:
        found, fault = read.SearchPage(me), error
    offered = {"corpora": corpus_choices(), "tags": tags_in_use(me.principal), "limits": read.LIMITS}
    offered |= {"audiences": audience_rows() if looks_as_others else (), "looks_as_others": looks_as_others}
    context = console.page_context(request, "Search", asked=asked, found=found, fault=fault, **offered)
    return render(request, "admin_ui/search/page.html", context)
