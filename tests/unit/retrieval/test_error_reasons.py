"""A reason is a plain sentence with a stable code."""

from __future__ import annotations

from uuid import uuid4

import pytest

from retrieval.domain.errors import DOCUMENT_ERRORS, SourceError
from retrieval.models import Document, SiteImport
from tenants.scoping import tenant_scope

EXTRA = {
    "size_mb": "30.0",
    "limit_mb": 25,
    "limit": 50_000,
    "kind": "a PNG image",
    "filename": "a.md",
    "seconds": 60,
    "failures": 3,
}


@pytest.mark.parametrize("code, error", DOCUMENT_ERRORS.items())
def test_it_reads_as_a_sentence(code, error):
    message = error(**EXTRA).message
    assert message[0].isupper()
    assert message.endswith(".")
    assert "(" not in message.replace("(OCR)", "").replace("(a scan)", "").replace("(a.md)", "")
    assert code.startswith("document_")
    assert not error.retryable


@pytest.mark.parametrize("error", SourceError.__subclasses__(), ids=lambda error: error.code)
def test_the_reasons_of_sources_read_as_sentences_too(error):
    message = error(
        **EXTRA, url="http://a.example/", host="a.example", port=22, status=404, detail="no answer"
    ).message
    assert message.endswith(".") and "{" not in message
    assert error.code not in DOCUMENT_ERRORS
    assert error.retryable is (error.code == "source_unavailable")


@pytest.fixture(autouse=True)
def somebody():
    """A row needs a tenant, even one that is never stored."""
    with tenant_scope(uuid4()):
        yield


def document(code, *, state="failed", blob_key="here", source_url=""):
    return Document(state=state, reason_code=code, blob_key=blob_key, source_url=source_url)


def test_a_file_that_would_be_refused_again_is_not_offered_another_try():
    helps = {code for code in DOCUMENT_ERRORS if document(code).can_be_retried}
    assert helps == {"document_unreadable", "document_timeout", "document_gave_up"}
    assert document("embedding_refused").can_be_retried


def test_a_page_may_have_changed_whatever_was_wrong_with_it_but_not_a_wrong_address():
    page = {"source_url": "https://a.example/", "blob_key": ""}
    assert all(document(code, **page).can_be_retried for code in DOCUMENT_ERRORS)
    useless = {
        error.code
        for error in SourceError.__subclasses__()
        if not document(error.code, **page).can_be_retried
    }
    assert useless == {"source_invalid", "source_port_refused", "source_address_refused"}
    assert not SiteImport(state="failed", reason_code="source_invalid").can_be_retried
    assert SiteImport(state="failed", reason_code="sitemap_empty").can_be_retried


def test_nothing_is_offered_where_nothing_failed_or_nothing_is_kept():
    assert not document("", state="indexed").can_be_retried
    assert not document("document_gave_up", state="queued").can_be_retried
    assert not document("document_gave_up", blob_key="").can_be_retried
