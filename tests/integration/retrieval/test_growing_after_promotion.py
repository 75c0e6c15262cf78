"""A tenant with an index of its own keeps growing, and is searched as rightly as on the first day."""

from __future__ import annotations

import pytest
from django.db import connection

from retrieval import services
from retrieval.adapters.pgvector import layout, searching
from retrieval.models import ChunkEmbedding, EmbeddingSpace, Placement

pytestmark = pytest.mark.django_db(transaction=True)

WARDS = "cardiology surgery maternity radiology oncology pharmacy".split()
FIRST, LATER = 12, 48


@pytest.fixture(autouse=True)
def no_partitions_left(stack, db):
    yield
    with connection.cursor() as cursor:
        cursor.execute(
            "select inhrelid::regclass::text from pg_inherits"
            " where inhparent = 'retrieval_chunkembedding'::regclass"
        )
        for (name,) in cursor.fetchall():
            if name != layout.SHARED:
                cursor.execute(f"drop table {name}")


def notice(number):
    ward = WARDS[number % len(WARDS)]
    return f"Notice {number}: the {ward} ward on floor {number % 9} takes {number * 7} visitors in hall {number % 4}."


@pytest.fixture
def space(add, monkeypatch, settings):
    monkeypatch.setitem(settings.ANTECEDENT, "PROMOTE_PASSAGES", FIRST)
    for number in range(FIRST):
        add(f"notice-{number}.md", notice(number))
    space = EmbeddingSpace.objects.get()
    assert services.space_place(space_id=space.id).placement == Placement.OWN
    return space


@pytest.fixture
def grown(space, add):
    for number in range(FIRST, FIRST + LATER):
        add(f"notice-{number}.md", notice(number))
    return space


def best_scores(find, monkeypatch, *, by_index):
    """By score: among equals either may come first."""
    monkeypatch.setattr(searching, "EXACT_PASSAGES", -1 if by_index else 10**9)
    monkeypatch.setattr(searching, "INDEX_COST", 0)
    services.equipment().index._layouts._modes.clear()
    questions = [f"visitors of the {ward} ward on floor {n}" for n, ward in enumerate(WARDS)]
    return [[round(hit.dense_score, 3) for hit in find(text, lexical=0.0)] for text in questions]


def test_what_came_after_the_promotion_is_found_as_by_an_exact_search(grown, find, monkeypatch):
    homes = set(ChunkEmbedding.objects.order_by().values_list("home", flat=True))
    assert homes == {grown.id}
    exact = best_scores(find, monkeypatch, by_index=False)
    assert all(len(scores) == 10 for scores in exact)
    assert best_scores(find, monkeypatch, by_index=True) == exact


def test_an_index_that_has_doubled_is_measured_again(grown):
    before = EmbeddingSpace.objects.get()
    assert before.measured_passages == FIRST
    assert services.spaces_due() == [grown.id]
    services.space_place(space_id=grown.id)
    after = EmbeddingSpace.objects.get()
    assert (after.placement, after.measured_passages) == (Placement.OWN, FIRST + LATER)
    assert after.measured_recall is not None and services.spaces_due() == []


def test_an_index_that_has_grown_a_little_is_left_alone(space, add):
    add("one-more.md", notice(99))
    assert services.spaces_due() == []


def test_what_is_measured_is_forgotten_with_the_index(space):
    services.space_demote(space_id=space.id)
    gone = EmbeddingSpace.objects.get()
    assert (gone.search_width, gone.measured_recall, gone.measured_passages) == (None, None, None)
