"""A long document is indexed in slices: others have their turn between them, and nothing is done twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from kernel.clock import now
from retrieval import services, tasks
from retrieval.domain.errors import EmbeddingUnavailable
from retrieval.models import Chunk, ChunkEmbedding, Document
from tenants.scoping import no_scope, tenant_scope

PARTS = 40
LONG = "\n\n".join(
    f"# Part {number}\n\nThe rule of part {number} is {number} days." for number in range(PARTS)
)


class Counting:
    """Embeddings that remember what they were asked for, and may fail at the nth batch."""

    def __init__(self, inner, *, error=None, at=0):
        self.inner, self.error, self.at, self.texts, self.batches = inner, error, at, [], 0
        self.space, self.count_tokens = inner.space, inner.count_tokens

    def embed_passages(self, texts):
        self.batches += 1
        if self.batches == self.at:
            raise self.error
        self.texts += texts
        return self.inner.embed_passages(texts)


class Killed(BaseException):
    """Stands for `kill -9`."""


@pytest.fixture
def long(corpus):
    return services.document_upload(corpus_id=corpus.id, filename="long.md", data=LONG.encode())


def one_batch(document, number=None):
    """A slice as short as one can be."""
    return services.document_index_slice(document_id=document.id, seconds=0, number=number)


def to_the_end(document, number=None):
    slices = 0
    while (last := one_batch(document, number)).progress is services.Progress.MORE:
        number, slices = last.number, slices + 1
    assert last.progress is services.Progress.DONE
    return slices


def check_indexed_once(document):
    document.refresh_from_db()
    assert (document.state, document.chunk_count, document.lease_token) == ("indexed", PARTS, None)
    ordinals = Chunk.objects.filter(document_id=document.id).order_by("ordinal")
    assert list(ordinals.values_list("ordinal", flat=True)) == list(range(PARTS))
    assert ChunkEmbedding.objects.filter(document_id=document.id).count() == PARTS


def test_a_small_document_of_another_tenant_is_ready_long_before_the_long_one(
    long, scoped, rival, monkeypatch
):
    with tenant_scope(rival.id):
        theirs = services.corpus_create(name="Theirs")
        small = services.document_upload(corpus_id=theirs.id, filename="s.md", data=b"A short text.")
    slices = []

    def short(*, document_id):
        slices.append(document_id)
        return services.document_index_slice(document_id=document_id, seconds=0)

    monkeypatch.setattr("retrieval.services.waiting.document_index_slice", short)
    with no_scope():
        for tenant, document in ((scoped, long), (rival, small)):
            tasks.document_index_task.delay(str(tenant.id), str(document.id))
        for _ in range(PARTS):
            tasks.documents_work("")
    assert slices.index(small.id) <= 1, "the small document waited for more than one slice of the long one"
    assert slices.count(long.id) == PARTS // 4
    check_indexed_once(long)


def test_nothing_is_converted_or_embedded_twice(long, tools):
    counting = Counting(tools.embeddings)
    conversions = []

    class Converter:
        def convert(self, data, **options):
            conversions.append(len(data))
            return tools.converter.convert(data, **options)

    with services.equipped(replace(tools, embeddings=counting, converter=Converter())):
        assert to_the_end(long) == PARTS // 4 - 1
    assert len(counting.texts) == len(set(counting.texts)) == PARTS
    assert len(conversions) == 1
    check_indexed_once(long)


def test_no_search_finds_a_part_of_it(long, find):
    one_batch(long)
    assert Chunk.objects.filter(document_id=long.id).exists()
    assert find("rule of part") == ()
    to_the_end(long)
    assert find("rule of part")


def test_progress_moves_with_the_first_batch_and_stays_between_slices(long):
    seen = []
    while one_batch(long).progress is services.Progress.MORE:
        long.refresh_from_db()
        assert (long.state, long.lease_token) == ("embedding", None)
        seen.append(long.progress)
    assert seen == sorted(set(seen))
    assert seen[0] > 0.1


def test_after_a_kill_in_a_later_slice_it_goes_on_there(long, tools):
    one_batch(long)
    broken = Counting(tools.embeddings, error=Killed(), at=2)
    with services.equipped(replace(tools, embeddings=broken)), pytest.raises(Killed):
        services.document_index(document_id=long.id)
    Document.objects.filter(id=long.id).update(lease_until=now() - timedelta(seconds=1))
    counting = Counting(tools.embeddings)
    with services.equipped(replace(tools, embeddings=counting)):
        to_the_end(long)
    assert len(counting.texts) == PARTS - 2 * 4
    check_indexed_once(long)


def test_a_service_that_is_away_loses_nothing_of_what_was_done(long, tools):
    broken = Counting(tools.embeddings, error=EmbeddingUnavailable(), at=4)
    with services.equipped(replace(tools, embeddings=broken)), pytest.raises(EmbeddingUnavailable):
        services.document_index(document_id=long.id)
    counting = Counting(tools.embeddings)
    with services.equipped(replace(tools, embeddings=counting)):
        assert services.document_index(document_id=long.id) is True
    assert len(counting.texts) == PARTS - 3 * 4
    check_indexed_once(long)


def test_a_message_that_came_twice_makes_no_second_queue(long):
    first = one_batch(long)
    second = one_batch(long, first.number)
    assert second.progress is services.Progress.MORE
    assert one_batch(long, first.number).progress is services.Progress.NOTHING
    to_the_end(long, second.number)
    check_indexed_once(long)


def test_a_replacement_between_slices_starts_anew(long, corpus, add, find):
    first = one_batch(long)
    services.document_upload(corpus_id=corpus.id, filename="long.md", data=b"Only this.")
    assert one_batch(long, first.number).progress is services.Progress.NOTHING
    assert services.document_index(document_id=long.id) is True
    assert [chunk.text for chunk in Chunk.objects.all()] == ["Only this."]


def test_a_document_of_too_many_passages_ends_with_that_reason(long, tools):
    few = replace(tools, chunks=replace(tools.chunks, max_passages=5))
    with services.equipped(few):
        assert one_batch(long).progress is services.Progress.DONE
    long.refresh_from_db()
    assert (long.state, long.reason_code) == ("failed", "document_too_many_passages")
    assert not Chunk.objects.filter(document_id=long.id).exists()


def test_a_failed_try_leaves_none_of_its_passages(long, tools):
    from retrieval.domain.errors import EmbeddingRefused

    broken = Counting(tools.embeddings, error=EmbeddingRefused(detail="HTTP 401"), at=3)
    with services.equipped(replace(tools, embeddings=broken)):
        services.document_index(document_id=long.id)
    assert not Chunk.objects.filter(document_id=long.id).exists()
    assert services.document_retry(document_id=long.id).found == {}


def test_large_documents_are_read_one_after_another_and_small_ones_do_not_wait(corpus, tools, monkeypatch):
    monkeypatch.setattr("retrieval.services.cutting.LARGE_BYTES", len(LONG) - 1)
    first, second = (
        services.document_upload(corpus_id=corpus.id, filename=name, data=LONG.encode() + name.encode())
        for name in ("one.md", "two.md")
    )
    small = services.document_upload(corpus_id=corpus.id, filename="small.md", data=b"A short text.")
    with tools.lane.entered() as is_free:  # As while the first is being read by another worker.
        assert is_free
        waits = one_batch(second)
        assert waits.progress is services.Progress.MORE and waits.pause > 0
        assert Chunk.objects.count() == 0
        assert one_batch(small).progress is services.Progress.DONE
    to_the_end(first)
    to_the_end(second, waits.number)
    assert set(Document.objects.values_list("state", flat=True)) == {"indexed"}


def test_the_lane_is_free_again_when_its_holder_is_gone(tools):
    with tools.lane.entered() as first, tools.lane.entered() as second:
        assert (first, second) == (True, False)
    with tools.lane.entered() as again:
        assert again
