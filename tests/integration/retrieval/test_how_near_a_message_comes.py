"""How near a message comes to passages known by their ids: the right cosine, of what may be seen at this moment."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from conversations.adapters.retrieval_search import RetrievalSearch
from retrieval import services
from retrieval.adapters.pgvector import PgvectorHomes, comparing, layout, searching
from retrieval.domain.chunking import ChunkSettings
from retrieval.domain.passages import Chunk as Chunked
from retrieval.domain.passages import EmbeddingSpace as Space
from retrieval.domain.ports import StagedChunk
from retrieval.models import Chunk, ChunkEmbedding, Corpus, Document, EmbeddingSpace
from tenants.models import User
from tenants.scoping import tenant_scope
from tenants.services import audience_create

WARDS = ("cardiology", "surgery", "maternity", "radiology", "oncology", "pharmacy", "nursing")
QUESTION = "whether the maternity ward opens at 9"


@pytest.fixture(autouse=True)
def small_passages(tools):
    """One sentence a passage, so that a short text has many."""
    with services.equipped(
        replace(tools, chunks=ChunkSettings(min_tokens=6, max_tokens=8, overlap_tokens=0))
    ):
        yield


@pytest.fixture
def staff(scoped):
    return audience_create(name="Staff").group


@pytest.fixture
def document(add):
    return add("wards.md", text_of(WARDS))


@pytest.fixture
def everything(principal):
    return principal(sees_all=True)


@pytest.fixture
def near(everything, tools):
    def near(ids, *, who=everything, question=QUESTION):
        vector = tools.embeddings.embed_query(question)
        told = services.nearness(vector=vector, chunk_ids=ids, principal=who)
        return {id: found.cosine for id, found in told.items()}

    return near


def text_of(wards):
    return "\n\n".join(f"The {ward} ward opens at {hour}." for hour, ward in enumerate(wards, start=7))


def chunks(document):
    found = Chunk.objects.filter(document=document, generation=document.generation).order_by("ordinal")
    return [chunk.id for chunk in found]


def cosines(document, tools, question=QUESTION):
    """Computed here, of every passage of the document in its order."""
    asked = np.asarray(tools.embeddings.embed_query(question))
    rows = ChunkEmbedding.objects.filter(document=document, generation=document.generation)
    vectors = {row.chunk_id: np.asarray(row.embedding) for row in rows}
    return [
        float(asked @ vectors[id] / np.linalg.norm(asked) / np.linalg.norm(vectors[id]))
        for id in chunks(document)
    ]


def expected(document, tools, question=QUESTION):
    own = cosines(document, tools, question)
    return {id: max(own[max(0, n - 2) : n + 3]) for n, id in enumerate(chunks(document))}


def approximately(told):
    return pytest.approx(told, abs=2e-3)


def test_each_comes_with_its_own_text_and_not_that_of_one_beside_it(document, everything, tools):
    vector = tools.embeddings.embed_query(QUESTION)
    told = services.nearness(vector=vector, chunk_ids=chunks(document), principal=everything)
    texts = dict(Chunk.objects.filter(document=document).values_list("id", "text"))
    assert {id: found.text for id, found in told.items()} == {id: texts[id] for id in chunks(document)}


def test_it_is_the_best_cosine_of_a_passage_and_of_those_up_to_two_beside_it(document, near, tools):
    assert len(chunks(document)) == len(WARDS)
    told = near(chunks(document))
    assert told == approximately(expected(document, tools))
    best = cosines(document, tools)[WARDS.index("maternity")]
    counted = [n for n, id in enumerate(chunks(document)) if told[id] == approximately(best)]
    assert counted == [0, 1, 2, 3, 4], "two before and two after, not those three away"


def test_only_what_was_asked_for_is_told(document, near):
    first, *_ = chunks(document)
    assert set(near([first, first])) == {first}
    assert near([first])[first] == near(chunks(document))[first]


def test_the_next_document_is_not_beside(document, add, near, tools):
    other = add("others.md", text_of(("dental", "eye", "skin")))
    told = near(chunks(document) + chunks(other))
    assert told == approximately(expected(document, tools) | expected(other, tools))


def test_an_id_of_nothing_is_missing(document, near):
    assert near([uuid4()]) == {}
    first, *_ = chunks(document)
    assert set(near([first, uuid4()])) == {first}


def test_nothing_is_told_of_what_is_not_granted(document, near, principal, staff):
    assert near(chunks(document), who=principal(group_ids=(staff.id,))) == {}
    assert near(chunks(document), who=principal()) == {}


def test_a_corpus_grant_counts_until_it_is_taken_back(document, corpus, near, principal, staff, tools):
    who = principal(group_ids=(staff.id,))
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    assert near(chunks(document), who=who) == approximately(expected(document, tools))
    services.document_restrict(document_id=document.id, restricted=True)
    assert near(chunks(document), who=who) == {}
    services.document_restrict(document_id=document.id, restricted=False)
    services.corpus_revoke(corpus_id=corpus.id, group_id=staff.id)
    assert near(chunks(document), who=who) == {}


def test_a_grant_on_another_corpus_shows_nothing(document, near, principal, staff):
    other = services.corpus_create(name="Another")
    services.corpus_grant(corpus_id=other.id, group_id=staff.id)
    assert near(chunks(document), who=principal(group_ids=(staff.id,))) == {}


def test_a_document_grant_counts_until_it_is_taken_back(document, near, principal, staff, tools):
    services.document_restrict(document_id=document.id, restricted=True)
    services.document_grant(document_id=document.id, group_id=staff.id)
    who = principal(group_ids=(staff.id,))
    assert near(chunks(document), who=who) == approximately(expected(document, tools))
    services.document_revoke(document_id=document.id, group_id=staff.id)
    assert near(chunks(document), who=who) == {}


def test_grants_to_one_person_count_for_that_person(document, add, corpus, near, principal):
    hidden = add("hidden.md", text_of(("dental", "eye")), restricted=True)
    ann, bob = (User.objects.create_user(f"{name}@acme.example") for name in ("ann", "bob"))
    services.corpus_grant(corpus_id=corpus.id, user_id=ann.id)
    services.document_grant(document_id=hidden.id, user_id=bob.id)
    asked = chunks(document) + chunks(hidden)
    assert set(near(asked, who=principal(user_id=ann.id))) == set(chunks(document))
    assert set(near(asked, who=principal(user_id=bob.id))) == set(chunks(hidden))


def test_what_is_hidden_says_nothing_through_what_is_seen(
    document, add, corpus, near, principal, staff, tools
):
    """The restricted document answers the question to the letter; the open one is told as if it were alone."""
    add("secret.md", QUESTION, restricted=True)
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    told = near(list(Chunk.objects.values_list("id", flat=True)), who=principal(group_ids=(staff.id,)))
    assert told == approximately(expected(document, tools))
    assert max(near(list(Chunk.objects.values_list("id", flat=True))).values()) > max(told.values())


def test_another_tenant_is_told_nothing(document, near, rival, everything):
    asked = chunks(document)
    for sees_all in (everything, replace(everything, tenant_id=rival.id)):
        with tenant_scope(rival.id):
            assert near(asked, who=sees_all) == {}
    assert set(near(asked)) == set(asked)


def test_what_was_replaced_is_neither_told_nor_beside(document, add, near, tools):
    before = chunks(document)
    add("wards.md", text_of(("dental", "eye", "skin")))
    document.refresh_from_db()
    assert near(before + chunks(document)) == approximately(expected(document, tools))


def test_passages_of_a_generation_that_is_not_published_yet_are_missing(document, near):
    asked = chunks(document)
    Document.objects.update(generation=document.generation + 1)
    assert near(asked) == {}
    Document.objects.update(generation=0)
    assert near(asked) == {}


def test_a_version_that_is_being_made_is_neither_told_nor_beside(document, corpus, near, tools):
    """Passages of the next generation stand beside those that are published, and answer the question to the letter."""
    before = near(chunks(document))
    staged = [StagedChunk(uuid4(), Chunked(n, QUESTION, 0, 9, (), None, 7)) for n in range(len(WARDS))]
    values = {
        "tenant_id": corpus.tenant_id,
        "document_id": document.id,
        "generation": document.generation + 1,
    }
    tools.index.stage(**values, language="english", chunks=staged)
    vectors = dict.fromkeys((one.id for one in staged), tools.embeddings.embed_query(QUESTION))
    tools.index.attach(**values, space_id=services.space_ensure().id, vectors=vectors)
    assert near(chunks(document) + list(vectors)) == before
    assert near(list(vectors)) == {}


def test_a_deleted_document_is_missing(document, near):
    asked = chunks(document)
    services.document_delete(document_id=document.id)
    assert near(asked) == {}


def test_a_passage_without_a_vector_is_missing_and_does_not_count_beside_others(document, near, tools):
    asked = chunks(document)
    gone = asked[WARDS.index("maternity")]
    before = near(asked)
    with connection.cursor() as cursor:
        cursor.execute("delete from retrieval_chunkembedding where chunk_id = %s", [gone])
    told = near(asked)
    assert set(told) == set(asked) - {gone}
    assert max(told.values()) < max(before.values())


@contextmanager
def newer_model(tools, dimensions=64):
    class Newer(type(tools.embeddings)):
        space = Space("test", "newer", dimensions)

    with services.equipped(replace(services.equipment(), embeddings=Newer())):
        yield


def test_a_corpus_in_another_models_space_is_missing(document, near, tools):
    with newer_model(tools):
        assert near(chunks(document)) == {}
    assert set(near(chunks(document))) == set(chunks(document))


def test_a_corpus_is_missing_until_it_is_searched_in_the_new_space(document, corpus, near, tools):
    """While its model changes, some of its vectors are in the new space before any search is, and count for nobody."""
    before = near(chunks(document))
    with newer_model(tools):
        space = services.space_ensure()
        vectors = dict.fromkeys(chunks(document), tools.embeddings.embed_query(QUESTION))
        services.equipment().index.add(tenant_id=corpus.tenant_id, space_id=space.id, vectors=vectors)
        assert near(chunks(document)) == {}
    assert near(chunks(document)) == before
    with newer_model(tools):
        Corpus.objects.update(space=space)
        assert near(chunks(document)) == approximately(dict.fromkeys(chunks(document), 1.0))


def test_a_corpus_that_names_no_space_is_in_todays(document, near):
    Corpus.objects.update(space=None)
    assert set(near(chunks(document))) == set(chunks(document))


def test_a_vector_of_another_size_is_of_another_space(document, near, everything):
    assert services.nearness(vector=(0.6, 0.8), chunk_ids=chunks(document), principal=everything) == {}


def test_it_is_one_query_and_none_for_no_passages(document, near):
    ids = chunks(document)
    with CaptureQueriesContext(connection) as asked:
        near(ids)
    assert len(asked) == 1
    with CaptureQueriesContext(connection) as asked:
        assert near([]) == {}
    assert len(asked) == 0


@pytest.mark.django_db(transaction=True)
def test_a_turn_asks_by_the_ids_that_it_keeps(document, principal, corpus, staff, tools):
    services.corpus_grant(corpus_id=corpus.id, group_id=staff.id)
    search = RetrievalSearch(principal(group_ids=(staff.id,)))
    vector = np.asarray(tools.embeddings.embed_query(QUESTION), dtype=np.float32)
    ids = [str(id) for id in chunks(document)]

    async def asked():
        return await search.nearness(vector, ids), await search.nearness(vector, [])

    told, nothing = asyncio.run(asked())
    told = {id: found.cosine for id, found in told.items()}
    assert told == approximately({str(id): cosine for id, cosine in expected(document, tools).items()})
    assert nothing == {}


@pytest.mark.django_db(transaction=True)
class TestInAPartitionOfItsOwn:
    @pytest.fixture
    def space(self, document):
        yield EmbeddingSpace.objects.get()
        if EmbeddingSpace.objects.filter(placement="own").exists():
            services.space_demote(space_id=EmbeddingSpace.objects.get().id)

    def test_it_is_as_near_as_before(self, space, document, near):
        ids = chunks(document)
        before = near(ids)
        services.space_promote(space_id=space.id)
        assert near(ids) == before and len(before) == len(WARDS)
        with CaptureQueriesContext(connection) as asked:
            assert near(ids) == before
        assert len(asked) == 1, "this process knows the way by now"
        services.space_demote(space_id=space.id)
        # This process remembers a partition that is not there any more; its statement fails and is asked again.
        with transaction.atomic():
            assert near(ids) == before
            assert EmbeddingSpace.objects.count() == 1

    def test_it_is_as_near_at_every_step_of_a_move(self, space, document, add, near, tools):
        ids = chunks(document) + chunks(add("others.md", text_of(("dental", "eye", "skin"))))
        before = near(ids)
        seen = []

        class Watched(PgvectorHomes):
            def open(self, **values):
                super().open(**values)
                seen.append(near(ids))

            def move(self, **values):
                moved = super().move(**{**values, "limit": 1})
                seen.append(near(ids))
                return moved

            def close(self, **values):
                seen.append(near(ids))
                return super().close(**values)

        with services.equipped(replace(services.equipment(), homes=Watched())):
            services.space_promote(space_id=space.id)
            services.space_demote(space_id=space.id)
        assert len(seen) >= 6 and all(told == before for told in seen)

    def test_a_process_that_has_not_searched_yet_finds_the_way(self, space, document, near, tools):
        before = near(chunks(document))
        services.space_promote(space_id=space.id)
        fresh = replace(services.equipment(), index=type(tools.index)())
        with services.equipped(fresh):
            assert near(chunks(document)) == before

    def test_a_search_is_not_made_to_forget_its_other_spaces(self, space, tenant, everything):
        other = layout.Space(uuid4(), "own", 40, 64)
        layouts = searching.Layouts()
        layouts.correct(tenant.id, (other,))
        services.space_promote(space_id=space.id)
        comparing.nearness(
            layouts,
            tenant_id=tenant.id,
            space_id=space.id,
            principal=everything,
            vector=(1.0,) + (0.0,) * 63,
            chunk_ids=[uuid4()],
        )
        assert {known.id for known in layouts.of(tenant.id)} == {other.id, space.id}
