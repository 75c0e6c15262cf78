"""Killed, paused, doubled or refused in the middle: chunks exactly once, and nothing is stuck."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from kernel.clock import now
from retrieval import services
from retrieval.domain.errors import EmbeddingRefused, EmbeddingUnavailable
from retrieval.models import Chunk, ChunkEmbedding, Document
from retrieval.services import leases

TEXT = "\n\n".join(f"# Part {number}\n\nThe rule of part {number} is {number} days." for number in range(10))


class Killed(BaseException):
    """Stands for `kill -9`: nothing in the service gets to react."""


class Interrupted:
    """Embeddings that stop at the nth batch."""

    def __init__(self, inner, error, at):
        self.inner, self.error, self.at, self.batches = inner, error, at, 0
        self.space = inner.space
        self.count_tokens = inner.count_tokens

    def embed_passages(self, texts):
        self.batches += 1
        if self.batches == self.at:
            raise self.error
        return self.inner.embed_passages(texts)


@pytest.fixture
def document(corpus):
    return services.document_upload(corpus_id=corpus.id, filename="parts.md", data=TEXT.encode())


def index_with(tools, document, error, at):
    broken = Interrupted(tools.embeddings, error, at)
    with services.equipped(replace(tools, embeddings=broken)):
        return services.document_index(document_id=document.id)


def expire(document):
    Document.objects.filter(id=document.id).update(lease_until=now() - timedelta(seconds=1))


def check_indexed_once(document):
    document.refresh_from_db()
    assert (document.state, document.chunk_count, document.lease_token) == ("indexed", 10, None)
    ordinals = (
        Chunk.objects.filter(document_id=document.id).order_by("ordinal").values_list("ordinal", flat=True)
    )
    assert list(ordinals) == list(range(10))
    assert ChunkEmbedding.objects.filter(document_id=document.id).count() == 10


@pytest.mark.parametrize("at", [1, 2, 3])
def test_after_a_kill_it_is_indexed_once(document, tools, find, at):
    with pytest.raises(Killed):
        index_with(tools, document, Killed(), at)
    assert find("rule of part") == ()
    assert services.document_index(document_id=document.id) is False, "the lease is still held"
    expire(document)
    assert services.documents_due() == [document.id]
    assert services.document_index(document_id=document.id) is True
    check_indexed_once(document)


def test_running_it_again_does_nothing(document):
    assert services.document_index(document_id=document.id) is True
    chunks = set(Chunk.objects.values_list("id", flat=True))
    assert services.document_index(document_id=document.id) is False
    assert set(Chunk.objects.values_list("id", flat=True)) == chunks


def test_a_paused_worker_that_wakes_up_late_is_refused(document, tools):
    """While one try sleeps inside its second batch, another takes over and finishes."""

    class Sleeper(Interrupted):
        def embed_passages(self, texts):
            self.batches += 1
            if self.batches == self.at:
                expire(document)
                with services.equipped(tools):
                    assert services.document_index(document_id=document.id) is True
            return self.inner.embed_passages(texts)

    sleeper = Sleeper(tools.embeddings, None, 2)
    with services.equipped(replace(tools, embeddings=sleeper)):
        assert services.document_index(document_id=document.id) is False
    check_indexed_once(document)


def test_a_replacement_during_indexing_wins(document, tools, corpus):
    class Replacing(Interrupted):
        def embed_passages(self, texts):
            services.document_upload(corpus_id=corpus.id, filename="parts.md", data=b"Only this.")
            return self.inner.embed_passages(texts)

    with services.equipped(replace(tools, embeddings=Replacing(tools.embeddings, None, 1))):
        assert services.document_index(document_id=document.id) is False
    services.document_index(document_id=document.id)
    assert [chunk.text for chunk in Chunk.objects.all()] == ["Only this."]


def test_a_deletion_during_indexing_wins(document, tools):
    class Deleting(Interrupted):
        def embed_passages(self, texts):
            services.document_delete(document_id=document.id)
            return self.inner.embed_passages(texts)

    with services.equipped(replace(tools, embeddings=Deleting(tools.embeddings, None, 1))):
        assert services.document_index(document_id=document.id) is False
    assert Chunk.objects.count() == Document.objects.count() == 0


def test_a_service_that_is_away_puts_it_back_in_the_queue(document, tools):
    with pytest.raises(EmbeddingUnavailable):
        index_with(tools, document, EmbeddingUnavailable(), 2)
    document.refresh_from_db()
    assert (document.state, document.reason_code, document.failures) == ("queued", "embedding_unavailable", 1)
    assert services.document_index(document_id=document.id) is True
    check_indexed_once(document)
    assert (document.reason, document.failures) == ("", 0)


def test_a_service_that_refuses_ends_it_with_the_reason(document, tools):
    index_with(tools, document, EmbeddingRefused(detail="HTTP 401"), 1)
    document.refresh_from_db()
    assert (document.state, document.reason_code) == ("failed", "embedding_refused")
    assert "401" in document.reason


def test_a_document_that_kills_its_workers_is_given_up(document, tools):
    for _ in range(leases.FAILURE_LIMIT):
        with pytest.raises(Killed):
            index_with(tools, document, Killed(), 1)
        expire(document)
    assert services.document_index(document_id=document.id) is False
    document.refresh_from_db()
    assert (document.state, document.reason_code) == ("failed", "document_gave_up")
    assert services.documents_due() == []


def test_a_lost_message_is_noticed_after_a_minute_and_once(document):
    assert services.documents_due() == []
    Document.objects.update(queued_at=now() - timedelta(seconds=61))
    assert services.documents_due() == [document.id]
    assert services.documents_due() == []


def test_a_bug_leaves_the_document_to_the_next_try(document, tools):
    with pytest.raises(ZeroDivisionError):
        index_with(tools, document, ZeroDivisionError(), 2)
    expire(document)
    assert services.document_index(document_id=document.id) is True
    check_indexed_once(document)


def test_progress_rises_while_it_works(document, tools):
    seen = []

    class Watching(Interrupted):
        def embed_passages(self, texts):
            seen.append(tuple(Document.objects.values_list("state", "progress").get()))
            return self.inner.embed_passages(texts)

    with services.equipped(replace(tools, embeddings=Watching(tools.embeddings, None, 0))):
        services.document_index(document_id=document.id)
    assert [state for state, _ in seen] == ["embedding"] * 3
    assert [progress for _, progress in seen] == sorted({progress for _, progress in seen})
