"""Tasks take ids, enter the tenant, and call the service."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from kernel.clock import now
from retrieval import services, tasks
from retrieval.domain.errors import EmbeddingUnavailable
from retrieval.models import Document
from retrieval.services.waiting import document_serve
from tenants.scoping import no_scope, tenant_scope


@pytest.fixture
def document(corpus):
    return services.document_upload(corpus_id=corpus.id, filename="a.md", data=b"Some text.")


def test_the_task_indexes_inside_its_tenant(document, scoped):
    with no_scope():
        tasks.document_index_task(str(scoped.id), str(document.id))
    document.refresh_from_db()
    assert document.state == "indexed"


def test_the_task_for_another_tenant_does_nothing(document, rival):
    tasks.document_index_task(str(rival.id), str(document.id))
    document.refresh_from_db()
    assert document.state == "queued"


def test_a_document_is_tried_again_later_when_that_may_help(document, scoped, tools):
    class Away:
        """Embeddings of a service that does not answer."""

        space, count_tokens = tools.embeddings.space, tools.embeddings.count_tokens

        def embed_passages(self, texts):
            raise EmbeddingUnavailable

    before = now()
    with services.equipped(replace(tools, embeddings=Away())):
        waits = document_serve()
    document.refresh_from_db()
    assert (document.state, document.failures, document.lease_token) == ("queued", 1, None)
    assert document.queued_at > before + timedelta(seconds=1) and 0 < waits < 60
    assert document_serve() > 0, "it was taken before its time"
    Document.objects.update(queued_at=before)
    assert document_serve() is None
    document.refresh_from_db()
    assert document.state == "indexed"


def test_the_work_survives_its_worker():
    assert tasks.documents_work.acks_late
    assert tasks.documents_work.reject_on_worker_lost


def test_the_sweep_puts_every_tenant_with_waiting_documents_in_line(document, scoped, rival, monkeypatch):
    with tenant_scope(rival.id):
        other = services.corpus_create(name="Other")
        services.document_upload(corpus_id=other.id, filename="b.md", data=b"Other text.")
    woken = []
    monkeypatch.setattr(tasks.documents, "wake", woken.append)
    with no_scope():
        tasks.documents_sweep()
    assert sorted(woken) == sorted([scoped.id, rival.id])
    services.document_index(document_id=document.id)
    woken.clear()
    with no_scope():
        tasks.documents_sweep()
    assert woken == [rival.id]


def test_a_dead_workers_document_is_found_by_the_sweep(document, scoped, monkeypatch):
    Document.objects.update(state="converting", lease_token=uuid4(), lease_until=now() + timedelta(minutes=1))
    woken = []
    monkeypatch.setattr(tasks.documents, "wake", woken.append)
    with no_scope():
        tasks.documents_sweep()
    assert woken == []
    Document.objects.update(lease_until=now() - timedelta(seconds=1))
    with no_scope():
        tasks.documents_sweep()
    assert woken == [scoped.id]
    assert document_serve() is None
    document.refresh_from_db()
    assert document.state == "indexed"
