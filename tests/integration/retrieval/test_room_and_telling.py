"""What a tenant has no room for leaves nothing behind; what becomes of a document is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from retrieval import services
from retrieval.domain.errors import DocumentEmpty
from retrieval.models import Document
from tenants.errors import QuotaFull
from tenants.models import WebhookDelivery
from tenants.scoping import tenant_scope
from tenants.services.quotas import quotas_set
from tenants.services.webhooks import webhook_create

pytestmark = pytest.mark.django_db(transaction=True)


def blobs() -> set[Path]:
    return {path for path in Path(settings.ANTECEDENT["BLOB_DIR"]).glob("*") if path.is_file()}


def test_there_is_room_for_so_many_documents(corpus, rival):
    quotas_set(quotas={"documents": 1})
    services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"One.")
    before = blobs()
    with pytest.raises(QuotaFull, match="1 of 1"):
        services.document_upload(corpus_id=corpus.id, filename="b.md", data=b"Two.")
    assert Document.objects.count() == 1 and blobs() == before
    # The same file again, or another version of it, is no further document.
    services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"One.")
    services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"One, changed.")
    with tenant_scope(rival.id):
        theirs = services.corpus_create(name="Theirs")
        services.document_upload(corpus_id=theirs.id, filename="b.md", data=b"Two.")


def test_there_is_room_for_so_many_bytes_and_what_is_replaced_makes_room(corpus):
    quotas_set(quotas={"storage_bytes": 100})
    services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"a" * 80)
    before = blobs()
    for name in ("a.md", "b.md"):
        with pytest.raises(QuotaFull):
            services.document_upload(corpus_id=corpus.id, filename=name, data=b"b" * 101)
    assert blobs() == before
    assert Document.objects.get().size == 80
    services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"a" * 90)
    services.document_upload(corpus_id=corpus.id, filename="b.md", data=b"b" * 10)
    services.document_delete(document_id=Document.objects.get(filename="a.md").id)
    services.document_upload(corpus_id=corpus.id, filename="c.md", data=b"c" * 90)


def test_a_page_needs_room_too(corpus):
    quotas_set(quotas={"documents": 0})
    with pytest.raises(QuotaFull):
        services.url_import(corpus_id=corpus.id, url="https://library.example/hours")
    assert Document.objects.count() == 0


@pytest.fixture
def told(scoped):
    webhook_create(url="https://crm.library.example/hook", events=["document.indexed", "document.failed"])

    def told():
        rows = WebhookDelivery.objects.order_by("created_at").values_list("event", "payload")
        return [(event, payload["document"], payload) for event, payload in rows]

    return told


def test_an_indexed_document_is_told_once(add, told):
    document = add("hours.md", "# Hours\n\nOpen from nine to five.")
    services.document_index(document_id=document.id)
    ((event, identity, payload),) = told()
    assert (event, identity) == ("document.indexed", str(document.id))
    assert payload == {
        "document": str(document.id),
        "corpus": str(document.corpus_id),
        "title": document.title,
        "filename": "hours.md",
        "passages": document.chunk_count,
    }


def test_a_document_that_cannot_be_read_is_told_with_its_reason(add, told):
    document = add("broken.pdf", b"%PDF-1.7 and then nothing of the kind")
    ((event, identity, payload),) = told()
    assert (event, identity) == ("document.failed", str(document.id))
    assert payload["reason"] == {"code": document.reason_code, "message": document.reason}


def test_a_file_that_is_refused_at_sight_is_told_by_the_answer_alone(corpus, told):
    document = services.document_upload(corpus_id=corpus.id, filename="none.md", data=b"")
    assert document.reason_code == DocumentEmpty.code
    assert told() == []
