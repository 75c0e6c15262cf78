"""The first step of indexing a page: fetch it, and stop there if it is the one that is in searches already."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from uuid import uuid4

from django.db import transaction

from kernel.clock import now
from retrieval.domain.sources import FetchedPage, source_filename
from retrieval.models import DocumentState
from retrieval.services.documents import forget_blob_on_commit, refusal
from retrieval.services.equipping import Equipment
from retrieval.services.leases import RELEASED, Source, Try, lease_renew
from retrieval.services.room import check_fetched


def document_fetch(current: Try, source: Source, tools: Equipment) -> Try | None:
    """The try with its file stored; None, and the document published as it was, where nothing has changed.

    Raises a SourceError, a DocumentError for a page that is empty or too large, or LeaseLost.
    """
    lease_renew(current)
    known = source.validators if source.content_hash else None
    page = tools.sources.fetch(source.url, known=known)
    content_hash = hashlib.sha256(page.data).hexdigest()
    if page.unchanged or (source.content_hash and content_hash == source.content_hash):
        _keep(current, page)
        return None
    refused = refusal(page.data)
    if refused is not None:
        raise refused
    return _store(current, source.url, page, content_hash, tools)


def _keep(current: Try, page: FetchedPage) -> None:
    marks = page.validators
    lease_renew(
        current,
        state=DocumentState.INDEXED,
        progress=1.0,
        fetch_due=False,
        fetched_at=now(),
        source_etag=marks.etag,
        source_modified=marks.modified,
        found={},
        **RELEASED,
    )


def _store(current: Try, url: str, page: FetchedPage, content_hash: str, tools: Equipment) -> Try:
    """The file first, then the row that points at it; a try that has lost its lease takes its file back."""
    key, moment = str(uuid4()), now()
    filename = source_filename(url, page.content_type)
    tools.blobs.put(key, page.data)
    try:
        with transaction.atomic():
            lease_renew(
                current,
                blob_key=key,
                filename=filename,
                content_hash=content_hash,
                size=len(page.data),
                fetch_due=False,
                fetched_at=moment,
                uploaded_at=moment,
                source_etag=page.validators.etag,
                source_modified=page.validators.modified,
            )
            check_fetched(len(page.data))
            forget_blob_on_commit(current.blob_key)
    except BaseException:
        tools.blobs.delete(key)
        raise
    return replace(current, blob_key=key, filename=filename, source=None)
