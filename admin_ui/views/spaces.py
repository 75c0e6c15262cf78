"""The door of embedding models: change a corpus to another one, call it off, see how far it is."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from admin_ui.asked import uuid_or_none
from admin_ui.permits import access_permitted
from admin_ui.selectors.access import corpus_found
from kernel.errors import DomainError, NotFound
from retrieval.services import corpus_keep_model, corpus_model_choose
from retrieval.services.embedding_models import model_state
from retrieval.tasks import corpus_reembed_task
from tenants.roles import May
from tenants.scoping import current_tenant_id


@require_http_methods(["GET", "HEAD", "POST"])
def model(request: HttpRequest, corpus_id: UUID) -> HttpResponse:
    """GET answers with the panel alone, for the page that refreshes itself; POST takes a `space`, or `keep`."""
    access_permitted(request, May.WRITE_DOCUMENTS)
    corpus = corpus_found(corpus_id)
    if request.method != "POST":
        return render(request, "admin_ui/access/model.html", {"corpus": corpus, "model": model_state(corpus)})
    space = uuid_or_none(request.POST.get("space", ""))
    try:
        messages.success(request, _changed(corpus_id, space, "keep" in request.POST))
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-corpus", corpus_id)


@transaction.atomic
def _changed(corpus_id: UUID, space: UUID | None, keep: bool) -> str:
    if keep:
        said = f"It stays with {corpus_keep_model(corpus_id=corpus_id).space}, and is not changed by itself."
    elif space is None:
        raise NotFound(what="embedding model")
    else:
        corpus = corpus_model_choose(corpus_id=corpus_id, space_id=space)
        said = (
            f"It changes to {corpus.next_space or corpus.space} in the background. Searches go on meanwhile."
        )
    queue = partial(corpus_reembed_task.delay, str(current_tenant_id()), str(corpus_id))
    transaction.on_commit(queue, robust=True)
    return said
