"""The doors of access: who sees a corpus or a document, and who is in an audience."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import access_admin, access_document_manager
from admin_ui.asked import MOST_TYPED, choice_asked, text_asked, uuid_or_none
from admin_ui.selectors import access as read
from admin_ui.selectors.documents import access_document, principal_of
from admin_ui.sites import console
from kernel.errors import DomainError, Invalid
from retrieval import services
from retrieval.services.embedding_models import model_state
from tenants.services.audiences import audience_add, audience_open, audience_remove

Grant = Callable[..., None]


@require_GET
def overview(request: HttpRequest) -> HttpResponse:
    access_admin(request)
    context = console.page_context(
        request,
        "Access",
        corpora=read.corpora_page(request.GET.get("corpora", "1")),
        audiences=read.audiences_page(request.GET.get("audiences", "1")),
        languages=read.LANGUAGES,
    )
    return render(request, "admin_ui/access/list.html", context)


@require_GET
def corpus(request: HttpRequest, corpus_id: UUID) -> HttpResponse:
    access_admin(request)
    found, holders = read.corpus_found(corpus_id), read.corpus_holders(corpus_id)
    context = console.page_context(
        request,
        found.name,
        corpus=found,
        holders=holders,
        others=read.audiences_without(holders),
        model=model_state(found),
    )
    return render(request, "admin_ui/access/corpus.html", context)


@require_GET
def audience(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    access_admin(request)
    found, search = read.audience_found(audience_id), text_asked(request.GET, "q")
    corpora, documents = read.seen_by(found)
    context = console.page_context(
        request,
        found.name,
        audience=found,
        search=search,
        members=read.members_of(found, search=search, after=uuid_or_none(request.GET.get("after", ""))),
        corpora=corpora,
        documents=documents,
    )
    return render(request, "admin_ui/access/audience.html", context)


@require_POST
def corpus_new(request: HttpRequest) -> HttpResponse:
    access_admin(request)
    try:
        made = services.corpus_create(
            name=text_asked(request.POST, "name", MOST_TYPED),
            description=text_asked(request.POST, "description", MOST_TYPED),
            language=choice_asked(request.POST, "language", read.LANGUAGES) or "english",
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-access")
    messages.success(request, f"“{made.name}” is ready. Nobody but managers sees it until you say who else.")
    return redirect("console-corpus", made.pk)


@require_POST
def audience_new(request: HttpRequest) -> HttpResponse:
    access_admin(request)
    try:
        made = audience_open(
            name=text_asked(request.POST, "name", MOST_TYPED),
            description=text_asked(request.POST, "description", MOST_TYPED),
        )
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-access")
    messages.success(request, f"“{made.name}” is ready. Nobody is in it yet.")
    return redirect("console-audience", made.pk)


@require_POST
def corpus_access(request: HttpRequest, corpus_id: UUID) -> HttpResponse:
    """`give` names an audience, `take` a grant; both by their ids."""
    access_admin(request)
    read.corpus_found(corpus_id)
    holders = read.corpus_holders(corpus_id)
    _change(request, holders, services.corpus_grant, services.corpus_revoke, corpus_id=corpus_id)
    return redirect("console-corpus", corpus_id)


@require_POST
def document_access(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """As for a corpus; `restricted` (yes or no) says whether the corpus's grants count for it."""
    access_document(principal_of(access_document_manager(request)), document_id)
    wanted = choice_asked(request.POST, "restricted", ("yes", "no"))
    if wanted:
        services.document_restrict(document_id=document_id, restricted=wanted == "yes")
        seen = "by grants of its own only" if wanted == "yes" else "by whoever sees its corpus"
        messages.success(request, f"The document is seen {seen}, from the next search on.")
        return redirect("console-document", document_id)
    holders = read.document_holders(document_id)
    _change(request, holders, services.document_grant, services.document_revoke, document_id=document_id)
    return redirect("console-document", document_id)


@require_POST
def audience_members(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    """`add` is an email address or a subject, `remove` the id of an end user."""
    access_admin(request)
    found = read.audience_found(audience_id)
    try:
        if leaving := uuid_or_none(request.POST.get("remove", "")):
            was_inside = audience_remove(audience=found, end_user_id=leaving)
            told = (
                f"Taken out of “{found.name}”."
                if was_inside
                else f"They were not in “{found.name}” any more."
            )
            messages.success(request, told)
        else:
            joined = audience_add(audience=found, known_as=text_asked(request.POST, "add"))
            messages.success(request, f"{joined} is in “{found.name}” now.")
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-audience", audience_id)


def _change(
    request: HttpRequest, holders: tuple[read.Holder, ...], grant: Grant, revoke: Grant, **what: UUID
) -> None:
    try:
        if given := uuid_or_none(request.POST.get("give", "")):
            audience = read.audience_found(given)
            grant(**what, group_id=audience.group_id)
            messages.success(request, f"“{audience.name}” may see it, from the next search on.")
            return
        grant_id = uuid_or_none(request.POST.get("take", ""))
        taken = next((holder for holder in holders if holder.grant_id == grant_id), None)
        if taken is None:
            raise Invalid(reason="Choose who may see it.")
        revoke(**what, group_id=taken.group_id, user_id=taken.user_id)
        messages.success(request, f"The grant of “{taken.name}” is taken away, from the next search on.")
    except DomainError as error:
        messages.error(request, error.message)
