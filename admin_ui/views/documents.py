"""The doors of documents: list, detail, upload, describe, retry, delete."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import access_document_manager, manages_documents
from admin_ui.asked import MOST_TYPED, text_asked
from admin_ui.bulk import ACTIONS, tags_asked
from admin_ui.imports import PAGES_AT_FIRST, ImportOrder, import_start
from admin_ui.selectors import documents as read
from admin_ui.selectors.access import audiences_without, document_holders
from admin_ui.selectors.imports import site_rows
from admin_ui.sites import console
from admin_ui.uploads import FORMATS, MEGABYTE, SUFFIXES, UploadOrder, queue_indexing, upload_files
from kernel.errors import DomainError
from kernel.names import check_line
from retrieval.services import document_delete, document_describe, document_retry, source_refresh
from retrieval.services.imports import PAGE_LIMIT

TITLE_LIMIT = 300


@require_GET
def documents(request: HttpRequest) -> HttpResponse:
    """The list. `?part=list` answers with its rows alone, for the page that refreshes itself."""
    wanted = read.DocumentFilter.from_query(request.GET)
    principal = read.principal_of(request.user)  # type: ignore[arg-type]
    found = read.document_list(principal, wanted, number=request.GET.get("page", "1"))
    sites = site_rows() if manages_documents(request) else ()
    going_on = sum(row.progress.is_unfinished for row in sites)
    context = {"found": found, "wanted": wanted, "page": found.page, "sites": sites, "going_on": going_on}
    if request.GET.get("part") == "list":
        return render(request, "admin_ui/documents/rows.html", context)
    limit = settings.ANTECEDENT["MAX_UPLOAD_BYTES"] // MEGABYTE
    offered = {"limit_mb": limit, "formats": FORMATS, "suffixes": SUFFIXES}
    offered |= {"pages_at_first": PAGES_AT_FIRST, "most_pages": PAGE_LIMIT}
    offered |= {"corpora": read.corpus_choices(), "tags": read.tags_in_use(principal), "actions": ACTIONS}
    page = console.page_context(request, "Documents", **offered, **context)
    return render(request, "admin_ui/documents/list.html", page)


@require_GET
def document(request: HttpRequest, document_id: UUID) -> HttpResponse:
    found = read.access_document(read.principal_of(request.user), document_id)  # type: ignore[arg-type]
    holders = document_holders(document_id) if manages_documents(request) else ()
    context = console.page_context(
        request,
        found.title,
        holders=holders,
        others=audiences_without(holders),
        document=found,
        title_limit=TITLE_LIMIT,
        visibility=read.visibility_of(found),
        page=read.chunks_page(found, number=read.page_asked(request.GET)),
    )
    return render(request, "admin_ui/documents/detail.html", context)


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Several files at once. Answers JSON to a script, and with messages on the list to a plain form."""
    user = access_document_manager(request)
    try:
        results = upload_files(UploadOrder.from_request(request), uploaded_by=user.pk)
    except DomainError as error:
        if _wants_json(request):
            raise
        messages.error(request, error.message)
        return redirect("console-documents")
    if _wants_json(request):
        return JsonResponse({"files": [asdict(result) for result in results]})
    for result in results:
        messages.add_message(request, *_as_message(result.ok, f"{result.filename}: {result.message}"))
    return redirect("console-documents")


@require_POST
def import_(request: HttpRequest) -> HttpResponse:
    """A page or a whole site by its address: `url`, `what` (page or site), `limit`, `corpus`, `restricted`."""
    user = access_document_manager(request)
    try:
        messages.success(request, import_start(ImportOrder.from_request(request), requested_by=user.pk))
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-documents")


@require_POST
def refresh(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """Fetch an imported page again."""
    access_document_manager(request)
    try:
        again = source_refresh(document_id=document_id)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-document", document_id)
    queue_indexing([again])
    messages.success(request, f"“{again.title}” is being fetched again.")
    return redirect("console-document", document_id)


@require_POST
def retry(request: HttpRequest, document_id: UUID) -> HttpResponse:
    access_document_manager(request)
    try:
        again = document_retry(document_id=document_id)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(reverse("console-document", args=[document_id]))
    queue_indexing([again])
    messages.success(request, f"“{again.title}” is being read again.")
    return redirect("console-documents")


@require_POST
def describe(request: HttpRequest, document_id: UUID) -> HttpResponse:
    """The title and the tags of a document; tags are parted by commas."""
    read.access_document(read.principal_of(access_document_manager(request)), document_id)
    try:
        title = check_line(text_asked(request.POST, "title", MOST_TYPED), what="The title", most=TITLE_LIMIT)
        document_describe(document_id=document_id, title=title, tags=tags_asked(request.POST))
        messages.success(request, "Saved, and in force from the next search on.")
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-document", document_id)


@require_POST
def delete(request: HttpRequest, document_id: UUID) -> HttpResponse:
    user = access_document_manager(request)
    gone = read.access_document(read.principal_of(user), document_id)
    document_delete(document_id=document_id)
    messages.success(request, f"“{gone.title}” and its passages are deleted. No search finds them any more.")
    return redirect("console-documents")


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _as_message(ok: bool, text: str) -> tuple[int, str]:
    return (messages.SUCCESS if ok else messages.ERROR), text
