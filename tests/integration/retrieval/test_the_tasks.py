"""Tasks take ids, enter the tenant, and call the service."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery.exceptions import Retry

from kernel.clock import now
from retrieval import services, tasks
from retrieval.domain.errors import EmbeddingUnavailable
from retrieval.models import Document
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


def test_the_task_is_tried_again_when_that_may_help(document, scoped, monkeypatch):
    def unavailable(**_):
        raise EmbeddingUnavailable

    monkeypatch.setattr(tasks.services, "document_index_slice", unavailable)
    with pytest.raises((Retry, EmbeddingUnavailable)):
        tasks.document_index_task(str(scoped.id), str(document.id))


def test_the_task_survives_its_worker():
    assert tasks.document_index_task.acks_late
    assert tasks.document_index_task.reject_on_worker_lost


def test_the_sweep_queues_what_was_left_behind_in_every_tenant(document, scoped, rival, monkeypatch):
    with tenant_scope(rival.id):
        other = services.corpus_create(name="Other")
        theirs = services.document_upload(corpus_id=other.id, filename="b.md", data=b"Other text.")
        Document.objects.update(queued_at=now() - timedelta(minutes=2))
    Document.objects.update(queued_at=now() - timedelta(minutes=2))
    sent = []
    monkeypatch.setattr(tasks.document_index_task, "delay", lambda *ids: sent.append(ids))
    with no_scope():
        tasks.documents_sweep()
    assert sorted(sent) == sorted([(str(scoped.id), str(document.id)), (str(rival.id), str(theirs.id))])
