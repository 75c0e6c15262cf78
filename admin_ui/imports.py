"""Pages and whole sites that are imported by their address: queued at once, fetched in the background."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest

from admin_ui.asked import choice_asked
from admin_ui.uploads import corpus_asked, first_corpus, queue_indexing, restriction_asked
from kernel.errors import Invalid
from retrieval.services import sitemap_import, url_import
from retrieval.services.imports import PAGE_LIMIT
from retrieval.tasks import site_import_task
from tenants.scoping import current_tenant_id

PAGES_AT_FIRST = 200
WHATS = ("page", "site")


@dataclass(frozen=True, slots=True)
class ImportOrder:
    """What to fetch, where to, seen by whom: read off the form. Raises Invalid.

    `restricted` is None for "as it is", as for an upload. `page_limit` counts for a whole site.
    """

    url: str
    whole_site: bool
    page_limit: int
    corpus_id: UUID | None
    restricted: bool | None

    @classmethod
    def from_request(cls, request: HttpRequest) -> ImportOrder:
        form = request.POST
        url = form.get("url", "").strip()
        if not url:
            raise Invalid(reason="Give the address of a page or a sitemap.")
        return cls(
            url if "://" in url else f"https://{url}",
            choice_asked(form, "what", WHATS) == "site",
            _limit(form.get("limit", "")),
            corpus_asked(form),
            restriction_asked(form),
        )


def import_start(order: ImportOrder, *, requested_by: int) -> str:
    """Queue it; returns a sentence that says what happens now. Raises DomainError for what can be told at once."""
    with transaction.atomic():
        corpus_id = order.corpus_id or first_corpus()
        if order.whole_site:
            return _site(order, corpus_id, requested_by)
        document = url_import(
            corpus_id=corpus_id, url=order.url, restricted=order.restricted, requested_by=requested_by
        )
        queue_indexing([document])
        return f"{document.source_url} is being fetched. It will be searchable in a moment."


def _site(order: ImportOrder, corpus_id: UUID, requested_by: int) -> str:
    site = sitemap_import(
        corpus_id=corpus_id,
        url=order.url,
        page_limit=order.page_limit,
        restricted=order.restricted,
        requested_by=requested_by,
    )
    queue = partial(site_import_task.delay, str(current_tenant_id()), str(site.pk))
    transaction.on_commit(queue, robust=True)
    return f"The sitemap of {site.url} is being read. Its pages appear below as they are found."


def _limit(text: str) -> int:
    if not text:
        return PAGES_AT_FIRST
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise Invalid(reason=f"The number of pages is a number from 1 to {PAGE_LIMIT}.")
    return int(text)
