"""A long text is cut in slices: others have their turn between them, and its passages are the same, once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retrieval import services
from retrieval.adapters.converters.read import read_document
from retrieval.domain.chunking import chunk_document
from retrieval.models import Chunk, Document
from retrieval.services.documents import reading_key
from retrieval.services.leases import CUT

pytestmark = pytest.mark.django_db

PARTS = 60
BOOK = "\n\n".join(
    f"Shelf {n} of the library holds the books about town {n}. They may be borrowed for {n} days."
    for n in range(PARTS)
)


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch):
    """About eight paragraphs each."""
    monkeypatch.setattr("retrieval.domain.stretches.STRETCH_CHARACTERS", 700)
    monkeypatch.setattr("retrieval.services.cutting.STRETCH_CHARACTERS", 700)
    monkeypatch.setattr("retrieval.services.cutting.LARGE_BYTES", 1000)


@pytest.fixture
def book(corpus, tools):
    return services.document_upload(corpus_id=corpus.id, filename="book.txt", data=BOOK.encode())


@pytest.fixture
def expected(tools):
    read = read_document(BOOK.encode(), "book.txt")
    return [chunk.text for chunk in chunk_document(read, tools.embeddings.count_tokens, tools.chunks)]


def one_slice(document, number=None):
    return services.document_index_slice(document_id=document.id, seconds=0, number=number)


def texts(document):
    document.refresh_from_db()
    rows = Chunk.objects.filter(document_id=document.id, generation=document.attempt).order_by("ordinal")
    assert [row.ordinal for row in rows] == list(range(len(rows)))
    return [row.text for row in rows]


def is_kept(tools, document):
    document.refresh_from_db()
    path = tools.blobs._path(reading_key(document.blob_key))
    return path.exists()


def to_the_end(document):
    while (last := one_slice(document)).progress is services.Progress.MORE:
        pass
    assert last.progress is services.Progress.DONE


def test_it_gives_way_while_it_is_cut_and_the_bar_moves(book, tools):
    seen = []
    while True:
        assert one_slice(book).progress is services.Progress.MORE
        book.refresh_from_db()
        if CUT not in book.found:
            break
        assert (book.state, book.lease_token) == ("converting", None)
        assert book.passages_found == len(texts(book)) > 0
        seen.append(book.progress)
    assert len(seen) > 3
    assert seen == sorted(set(seen)) and seen[0] > 0 and seen[-1] < 0.1


def test_the_passages_are_those_of_one_go(book, expected):
    to_the_end(book)
    assert texts(book) == expected
    assert (book.state, book.chunk_count) == ("indexed", len(expected))


def test_the_file_is_read_once(book, tools):
    reads = []

    class Counting:
        def convert(self, data, *, filename, heartbeat=None):
            reads.append(filename)
            return tools.converter.convert(data, filename=filename, heartbeat=heartbeat)

    with services.equipped(replace(tools, converter=Counting())):
        to_the_end(book)
    assert reads == ["book.txt"]


def test_what_was_read_is_kept_until_the_last_slice_only(book, tools):
    one_slice(book)
    assert is_kept(tools, book)
    to_the_end(book)
    assert not is_kept(tools, book)


def test_it_is_read_again_where_that_is_lost(book, tools, expected):
    one_slice(book)
    tools.blobs.delete(reading_key(book.blob_key))
    to_the_end(book)
    assert texts(book) == expected


def test_deleting_and_replacing_it_meanwhile_leave_nothing_behind(
    book, tools, corpus, django_capture_on_commit_callbacks
):
    one_slice(book)
    first = book.blob_key
    with django_capture_on_commit_callbacks(execute=True):
        services.document_upload(corpus_id=corpus.id, filename="book.txt", data=b"Something else " * 200)
    assert not tools.blobs._path(reading_key(first)).exists()
    one_slice(book)
    with django_capture_on_commit_callbacks(execute=True):
        services.document_delete(document_id=book.id)
    assert list(tools.blobs._folder.glob("*-read")) == []


def test_a_slice_whose_document_is_deleted_under_it_leaves_nothing_behind(book, tools):
    class Deleting:
        space, embed_passages = tools.embeddings.space, tools.embeddings.embed_passages
        counted = 0

        def count_tokens(self, texts):
            self.counted += 1
            if self.counted == 2:
                Document.objects.filter(id=book.id).delete()
            return tools.embeddings.count_tokens(texts)

    with services.equipped(replace(tools, embeddings=Deleting())):
        assert one_slice(book).progress is services.Progress.NOTHING
    assert list(tools.blobs._folder.glob("*-read")) == []


def test_a_limit_that_is_reached_in_a_later_slice_ends_it(book, tools):
    few = replace(tools, chunks=replace(tools.chunks, max_passages=3, max_tokens=40))
    with services.equipped(few):
        to_the_end(book)
    book.refresh_from_db()
    assert (book.state, book.reason_code, texts(book)) == ("failed", "document_too_many_passages", [])
    assert not is_kept(tools, book)


def test_large_documents_are_cut_one_after_another(book, tools):
    with tools.lane.entered():
        waiting = one_slice(book)
    assert (waiting.progress, waiting.pause > 0) == (services.Progress.MORE, True)
    one_slice(book)
    with tools.lane.entered():
        assert one_slice(book).pause > 0
    to_the_end(book)


def test_a_long_text_in_one_paragraph_is_cut_in_stretches_too(corpus, add):
    words = " ".join(f"lantern{n}" for n in range(2000))
    document = add("log.txt", words)
    found = " ".join(texts(document))
    assert all(f"lantern{n} " in f"{found} " for n in range(2000))
