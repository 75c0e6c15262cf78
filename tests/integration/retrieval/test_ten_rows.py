"""Ten rows come back whenever ten permitted ones exist, and they are the right ones: of every share, by every plan."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval import services
from retrieval.adapters.pgvector import layout, searching
from retrieval.models import EmbeddingSpace
from tenants.services import audience_create

pytestmark = pytest.mark.django_db(transaction=True)

DOCUMENTS = 120
WORDS = ("ward", "bed", "nurse", "doctor", "ticket", "garden", "kitchen", "parking", "visit", "night")


@pytest.fixture
def hospital(add):
    """Documents in which the words of the questions are common or rare, one passage each."""
    chance = random.Random(5)
    return [
        add(f"{n}.md", " ".join(chance.choices(WORDS, weights=range(1, 11), k=12)) + f" {n}")
        for n in range(DOCUMENTS)
    ]


@pytest.fixture
def in_own_partition(hospital, monkeypatch):
    """Searched by index from the first permitted passage on, however few there are."""
    monkeypatch.setattr(searching, "EXACT_PASSAGES", -1)
    monkeypatch.setattr(searching, "INDEX_COST", 0)
    space = services.space_promote(space_id=EmbeddingSpace.objects.get().id)
    yield space
    services.space_demote(space_id=space.id)


NUMBERS = itertools.count()
SHARES = st.one_of(st.sampled_from([0, 1, 2, 9, 10, 11, DOCUMENTS]), st.integers(0, DOCUMENTS))
QUIET = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)


def check(find, principal, hospital, amount, seed):
    """A grant on `amount` documents: as many rows as there are up to ten, and no better one is missing."""
    chance = random.Random(seed)
    chosen = chance.sample(hospital, amount)
    group = audience_create(name=f"Audience {next(NUMBERS)}").group_id
    services.documents_grant(document_ids=[document.id for document in chosen], group_ids=[group])
    question = " ".join(chance.choices(WORDS, k=3))
    hits = find(question, who=principal(group_ids=(group,)), lexical=0.0)
    assert len(hits) == min(10, amount)
    assert {hit.document_id for hit in hits} <= {document.id for document in chosen}
    every = find(question, lexical=0.0, limit=DOCUMENTS, candidates=DOCUMENTS)
    mine = [hit.dense_score for hit in every if hit.document_id in {document.id for document in chosen}]
    assert [round(hit.dense_score, 5) for hit in hits] == [
        round(score, 5) for score in sorted(mine)[::-1][:10]
    ]


def test_in_the_shared_partition(hospital, find, principal):
    @QUIET
    @given(SHARES, st.integers(0, 10_000))
    def always(amount, seed):
        check(find, principal, hospital, amount, seed)

    always()


def test_in_a_partition_with_an_index(in_own_partition, hospital, find, principal):
    @QUIET
    @given(SHARES, st.integers(0, 10_000))
    def always(amount, seed):
        check(find, principal, hospital, amount, seed)

    always()


def test_an_index_that_gives_too_little_is_not_believed(
    in_own_partition, hospital, find, principal, monkeypatch
):
    """A filtered scan that stops early returns nothing although there is something: then all is looked at."""
    monkeypatch.setattr(searching, "_MAX_SCAN", 1)
    monkeypatch.setattr(searching, "_NEAR", 1)
    EmbeddingSpace.objects.update(search_width=1)
    group = audience_create(name="Few").group_id
    services.documents_grant(document_ids=[document.id for document in hospital[:11]], group_ids=[group])
    asked = []
    statement = layout.search_statement
    monkeypatch.setattr(
        searching,
        "search_statement",
        lambda *args, **options: asked.append(args[1]) or statement(*args, **options),
    )
    hits = find("night visit", who=principal(group_ids=(group,)), lexical=0.0, candidates=10)
    assert len(hits) == 10
    assert asked[-2:] == [layout.Mode.INDEX, layout.Mode.EXACT]


def test_more_passages_than_are_ranked_by_words(hospital, find, monkeypatch):
    """Above a size words rank the nearest passages only; they are still there, and still in the right order."""
    all_of_them = find("garden kitchen", limit=10)
    monkeypatch.setattr(searching, "WORDY_PASSAGES", 10)
    some = find("garden kitchen", limit=10, candidates=DOCUMENTS)
    assert len(some) == 10 and any(hit.lexical_rank for hit in some)
    assert {hit.document_id for hit in some} & {hit.document_id for hit in all_of_them}
