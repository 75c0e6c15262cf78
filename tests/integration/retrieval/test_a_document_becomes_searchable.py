"""Upload, index, find, open."""

from __future__ import annotations

import pytest

from kernel.errors import NotFound
from retrieval import selectors, services, wiring
from retrieval.models import Chunk, ChunkEmbedding, Document
from tenants.scoping import tenant_scope

POLICY = """# Returns

## Shoes

Shoes can be returned within ninety days. The soles must be clean.

## Gift cards

Gift cards are never refunded. They stay valid for five years.
"""


def test_it_is_found_by_its_words_with_its_place(add, find):
    document = add("returns.md", POLICY)
    hit = find("how long are gift cards valid")[0]
    assert (document.state, document.title, document.chunk_count) == ("indexed", "Returns", 2)
    assert hit.heading_path == ("Returns", "Gift cards")
    assert hit.text == "Gift cards are never refunded. They stay valid for five years."
    assert (hit.document_id, hit.title, hit.dense_rank, hit.lexical_rank) == (document.id, "Returns", 1, 1)
    assert 0 < hit.dense_score <= 1


def test_its_citation_opens_with_the_text_around_it(add, find, principal):
    add("returns.md", POLICY)
    hit = find("soles of shoes clean")[0]
    passage = selectors.passage_get(hit.chunk_id, principal(sees_all=True))
    assert passage.text == hit.text
    assert passage.before == ""
    assert passage.after.startswith("Gift cards are never refunded.")


def test_a_rival_finds_nothing_and_opens_nothing(add, find, principal, rival):
    document = add("returns.md", POLICY)
    hit = find("gift cards")[0]
    with tenant_scope(rival.id):
        assert find("gift cards") == ()
        assert list(selectors.documents_list(principal(sees_all=True))) == []
        with pytest.raises(NotFound):
            selectors.passage_get(hit.chunk_id, principal(sees_all=True))
        with pytest.raises(NotFound):
            services.document_delete(document_id=document.id)
    assert Document.objects.filter(id=document.id).exists()


def test_the_same_bytes_again_change_nothing(add):
    first = add("returns.md", POLICY)
    chunks = set(Chunk.objects.values_list("id", flat=True))
    again = add("returns.md", POLICY)
    assert (again.id, again.generation, again.uploaded_at) == (first.id, first.generation, first.uploaded_at)
    assert set(Chunk.objects.values_list("id", flat=True)) == chunks


def test_other_bytes_replace_its_chunks_and_vectors(add, find):
    first = add("returns.md", POLICY)
    second = add("returns.md", POLICY.replace("five years", "two years"))
    assert second.id == first.id
    assert second.generation > first.generation
    assert "two years" in find("gift cards valid")[0].text
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == second.chunk_count == 2


def test_until_its_replacement_is_indexed_the_old_version_answers(add, find, corpus):
    add("returns.md", POLICY)
    services.document_upload(corpus_id=corpus.id, filename="returns.md", data=b"# Other\n\nNothing here.")
    assert "five years" in find("gift cards valid")[0].text


def test_a_broken_replacement_keeps_the_old_version_and_says_so(add, find):
    add("returns.md", POLICY)
    broken = add("returns.md", b"%PDF-1.7\nnothing")
    assert (broken.state, broken.reason_code) == ("failed", "document_corrupt")
    assert broken.is_searchable
    assert find("gift cards valid")


def test_deleting_it_removes_passages_and_vectors_at_once(add, find):
    document = add("returns.md", POLICY)
    services.document_delete(document_id=document.id)
    assert find("gift cards") == ()
    assert Chunk.objects.count() == ChunkEmbedding.objects.count() == 0


def test_deleting_a_corpus_takes_its_documents_with_it(add, corpus):
    add("returns.md", POLICY)
    services.corpus_delete(corpus_id=corpus.id)
    assert Document.objects.count() == Chunk.objects.count() == ChunkEmbedding.objects.count() == 0


def test_a_given_title_wins_over_the_documents_own(add):
    assert add("returns.md", POLICY, title="What can go back").title == "What can go back"
    assert add("plain.txt", "Some words without a heading.").title == "plain"


def test_a_corpus_of_passages_keeps_each_document_whole(add, find):
    passages = services.corpus_create(name="Passages", chunking="whole")
    document = add("p1.md", POLICY, corpus_id=passages.id)
    assert document.chunk_count == 1
    assert "Gift cards" in find("gift cards valid")[0].text


def test_it_works_with_the_real_model_and_the_real_reader(corpus, find):
    """No twin: a child process reads it, the local model embeds it."""
    with services.equipped(wiring.make()):
        document = services.document_upload(corpus_id=corpus.id, filename="returns.md", data=POLICY.encode())
        services.document_index(document_id=document.id)
        hit = find("When does a voucher expire?")[0]
    assert hit.heading_path == ("Returns", "Gift cards")
    assert hit.dense_rank == 1
