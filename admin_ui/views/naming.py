"""The doors of what corpora and audiences are called, and of taking them away."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from admin_ui.access import access_admin
from admin_ui.asked import MOST_TYPED, text_asked
from admin_ui.selectors import access as read
from kernel.errors import DomainError, Invalid
from retrieval import services
from retrieval.models import Corpus
from tenants.services.audiences import audience_delete, audience_update


@require_POST
def corpus_change(request: HttpRequest, corpus_id: UUID) -> HttpResponse:
    """`name` and `description`."""
    access_admin(request)
    _done(request, lambda: services.corpus_update(corpus_id=corpus_id, **_asked(request)), "Saved.")
    return redirect("console-corpus", corpus_id)


@require_POST
def corpus_delete(request: HttpRequest, corpus_id: UUID) -> HttpResponse:
    access_admin(request)
    gone = read.corpus_found(corpus_id)
    told = f"“{gone.name}” and its documents are deleted. No search finds them any more."
    if _done(request, lambda: _corpus_delete(gone), told):
        return redirect("console-access")
    return redirect("console-corpus", corpus_id)


@require_POST
def audience_change(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    """`name` and `description`."""
    access_admin(request)
    _done(request, lambda: audience_update(audience_id=audience_id, **_asked(request)), "Saved.")
    return redirect("console-audience", audience_id)


@require_POST
def audience_remove(request: HttpRequest, audience_id: UUID) -> HttpResponse:
    access_admin(request)
    gone = read.audience_found(audience_id)
    told = f"“{gone.name}” is deleted, and what it opened is closed, from the next search on."
    if _done(request, lambda: audience_delete(audience_id=audience_id), told):
        return redirect("console-access")
    return redirect("console-audience", audience_id)


def _asked(request: HttpRequest) -> dict[str, str]:
    return {name: text_asked(request.POST, name, MOST_TYPED) for name in ("name", "description")}


def _corpus_delete(corpus: Corpus) -> None:
    """At most as many documents as can be deleted in one go elsewhere, too: each is a piece of work."""
    if corpus.documents.count() > services.MOST_DELETED:
        most = f"{services.MOST_DELETED:,}"
        raise Invalid(
            reason=f"It holds more than {most} documents. Delete some of them first, under Documents."
        )
    services.corpus_delete(corpus_id=corpus.pk)


def _done(request: HttpRequest, change: Callable[[], object], told: str) -> bool:
    try:
        change()
    except DomainError as error:
        messages.error(request, error.message)
        return False
    messages.success(request, told)
    return True
