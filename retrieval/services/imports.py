"""Pages by their address and whole sites by their sitemap.

A page becomes a document that is fetched as the first step of its indexing: it has the same states, reasons, retry
and replacement as an upload. A sitemap is read once and leaves one document for each of its pages.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Count, Q

from kernel.clock import now
from kernel.errors import DomainError, Invalid, NotFound
from retrieval.domain.errors import ImportGaveUp
from retrieval.domain.sources import normal_url, source_filename, source_title
from retrieval.models import UNFINISHED, Corpus, Document, DocumentState, SiteImport, SiteImportState
from retrieval.services.documents import FRESH, Wishes, locked, record_restriction, set_fields, tidy
from retrieval.services.equipping import equipment
from retrieval.services.lease_beats import lease_kept, lease_written
from retrieval.services.leases import FAILURE_LIMIT, LEASE, QUEUED_TOO_LONG, LeaseLost
from retrieval.services.room import check_new
from tenants.services.audit import audit_record

_log = logging.getLogger(__name__)
PAGE_LIMIT = 1000
"""The most pages that one sitemap may bring."""
_UNREAD = (SiteImportState.QUEUED, SiteImportState.READING)
_FREE: dict[str, Any] = {"lease_token": None, "lease_until": None}


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far the pages of a sitemap are. `listed` may be more than `taken`: the import has a limit."""

    state: str
    listed: int
    taken: int
    indexed: int
    failed: int

    @property
    def waiting(self) -> int:
        return self.taken - self.indexed - self.failed

    @property
    def is_unfinished(self) -> bool:
        return self.state in _UNREAD or self.waiting > 0


def url_import(
    *,
    corpus_id: UUID,
    url: str,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    restricted: bool | None = None,
    requested_by: int | None = None,
) -> Document:
    """Queue a page to be fetched and indexed; the door queues `document_index_task`.

    A page that is here already is fetched again and replaced if it has changed; what was decided about it stays
    unless said otherwise. Raises NotFound for the corpus, and the SourceErrors that can be told at once.
    """
    _access_corpus(corpus_id)
    url = _checked(url)
    wishes = Wishes((title or "").strip()[:300], None if tags is None else tidy(tags), restricted)
    with transaction.atomic():
        document = _queue_page(corpus_id, url, wishes, requested_by, None)
        audit_record("page.imported", target=str(document.id), url=url, corpus=str(corpus_id))
    return document


def source_refresh(*, document_id: UUID) -> Document:
    """Fetch an imported page again. Raises NotFound, or Invalid for a document that was uploaded."""
    with transaction.atomic():
        document = locked(document_id)
        if not document.source_url:
            raise Invalid(reason="This document was uploaded; there is no address to fetch it from.")
        if not document.is_unfinished:
            set_fields(document, queued_at=now(), fetch_due=True, **FRESH)
        return document


@transaction.atomic
def sitemap_import(
    *,
    corpus_id: UUID,
    url: str,
    page_limit: int = 200,
    tags: Sequence[str] | None = None,
    restricted: bool | None = None,
    requested_by: int | None = None,
) -> SiteImport:
    """Queue a sitemap, or a site's start page, to be read; the door queues `site_import_task`.

    Raises as `url_import`, and Invalid for a `page_limit` outside 1 to 1000.
    """
    _access_corpus(corpus_id)
    if not 1 <= page_limit <= PAGE_LIMIT:
        raise Invalid(reason=f"An import takes between 1 and {PAGE_LIMIT} pages.")
    site = SiteImport.objects.create(
        corpus_id=corpus_id,
        url=_checked(url),
        page_limit=page_limit,
        tags=None if tags is None else tidy(tags),
        restricted=restricted,
        requested_by_id=requested_by,
        queued_at=now(),
    )
    audit_record("site.imported", target=str(site.id), url=site.url, corpus=str(corpus_id), pages=page_limit)
    return site


def site_import_read(*, import_id: UUID) -> list[UUID]:
    """Read the sitemap and queue its pages; returns their documents, for `document_index_task`.

    Empty when there is nothing to do or it failed. Raises only what is worth a retry, after putting the import
    back in the queue.
    """
    token = _take(import_id)
    if token is None:
        return []
    site = SiteImport.objects.get(id=import_id)
    held = SiteImport.objects.filter(id=import_id, lease_token=token)
    try:
        with lease_kept(held, token, LEASE):
            listing = equipment().sources.pages(
                site.url, limit=site.page_limit, heartbeat=lambda: _renew(import_id, token)
            )
        return _queue_pages(site, token, listing.pages, listing.listed)
    except LeaseLost:
        _log.info("import %s: another try took over", import_id)
    except DomainError as error:
        _release(import_id, token, error)
        if error.retryable:
            raise
    return []


def site_imports_due(*, limit: int = 20) -> list[UUID]:
    """Imports of the current tenant whose worker died or whose message got lost, marked as queued now."""
    moment = now()
    with transaction.atomic():
        due = SiteImport.objects.filter(state__in=_UNREAD).filter(
            Q(lease_until__lt=moment) | Q(lease_until=None, queued_at__lt=moment - QUEUED_TOO_LONG)
        )
        waiting = due.order_by("queued_at").select_for_update(skip_locked=True)
        ids = list(waiting.values_list("id", flat=True)[:limit])
        SiteImport.objects.filter(id__in=ids).update(queued_at=moment)
    return ids


def site_import_progress(*, import_id: UUID) -> ImportProgress:
    """Raises NotFound."""
    site = SiteImport.objects.filter(id=import_id).first()
    if site is None:
        raise NotFound(what="import")
    counts = Document.objects.filter(site_import_id=import_id).aggregate(
        taken=Count("id"),
        indexed=Count("id", filter=Q(state=DocumentState.INDEXED)),
        failed=Count("id", filter=Q(state=DocumentState.FAILED)),
    )
    return ImportProgress(site.state, site.pages_listed, **counts)


def _access_corpus(corpus_id: UUID) -> None:
    if not Corpus.objects.filter(id=corpus_id).exists():
        raise NotFound(what="corpus")


def _checked(url: str) -> str:
    url = normal_url(url)
    equipment().sources.check(url)
    return url


def _queue_pages(site: SiteImport, token: UUID, pages: Sequence[str], listed: int) -> list[UUID]:
    """All pages or none: a try that is killed here leaves nothing half done."""
    wishes = Wishes("", site.tags, site.restricted)
    with transaction.atomic():
        _renew(
            site.id,
            token,
            state=SiteImportState.LISTED,
            pages_listed=listed,
            pages_taken=len(pages),
            reason_code="",
            reason="",
            finished_at=now(),
            **_FREE,
        )
        return [
            _queue_page(site.corpus_id, url, wishes, site.requested_by_id, site.id).id
            for url in sorted(pages)
        ]


def _queue_page(
    corpus_id: UUID, url: str, wishes: Wishes, requested_by: int | None, import_id: UUID | None
) -> Document:
    """Under the lock of the row; a page that is being read already is left to it."""
    moment = now()
    queued = {**FRESH, "fetch_due": True, "queued_at": moment}
    created = {
        **wishes.for_new(url),
        **queued,
        "title": wishes.title or source_title(url),
        "filename": source_filename(url),
        "content_hash": "",
        "size": 0,
        "uploaded_by_id": requested_by,
        "uploaded_at": moment,
        "site_import_id": import_id,
    }
    with transaction.atomic():
        document, is_new = Document.objects.select_for_update().get_or_create(
            corpus_id=corpus_id, source_url=url, defaults=created
        )
        was_restricted = document.restricted and not is_new
        if is_new:
            check_new(0)
        else:
            member = {} if import_id is None else {"site_import_id": import_id}
            again = {} if document.state in UNFINISHED else queued
            set_fields(document, **wishes.explicit(), **member, **again)
        record_restriction(document, was_restricted)
        return document


def _take(import_id: UUID) -> UUID | None:
    """Take the lease if nobody holds it; an import that broke off too often ends here."""
    token, moment = uuid4(), now()
    free = Q(lease_until=None) | Q(lease_until__lt=moment)
    with transaction.atomic():
        waiting = SiteImport.objects.filter(free, id=import_id, state__in=_UNREAD)
        site = waiting.select_for_update(skip_locked=True).first()
        if site is None:
            return None
        site.failures += site.lease_token is not None
        if site.failures >= FAILURE_LIMIT:
            error = ImportGaveUp(failures=site.failures)
            _set(site, state=SiteImportState.FAILED, **_reason(error), **_FREE)
            return None
        _set(site, state=SiteImportState.READING, lease_token=token, lease_until=moment + LEASE)
    return token


def _set(site: SiteImport, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(site, name, value)
    site.save(update_fields=[*fields, "failures"])


def _renew(import_id: UUID, token: UUID, **fields: Any) -> None:
    fields = {"lease_until": now() + LEASE, **fields}
    if not SiteImport.objects.filter(id=import_id, lease_token=token).update(**fields):
        raise LeaseLost
    lease_written(token)


def _release(import_id: UUID, token: UUID, error: DomainError) -> None:
    held = SiteImport.objects.filter(id=import_id, lease_token=token)
    failures = (held.values_list("failures", flat=True).first() or 0) + 1
    ends = not error.retryable or failures >= FAILURE_LIMIT
    state = SiteImportState.FAILED if ends else SiteImportState.QUEUED
    held.update(state=state, failures=failures, queued_at=now(), **_reason(error), **_FREE)


def _reason(error: DomainError) -> dict[str, str]:
    return {"reason_code": error.code, "reason": error.message[:500]}
