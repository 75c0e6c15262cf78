"""Filters, exclusions, weights and the fusion of several queries."""

from __future__ import annotations

from datetime import timedelta

import pytest

from retrieval import services
from retrieval.domain.fusion import by_place, by_score, fuse
from retrieval.domain.passages import SearchFilters, SearchRequest, WeightedQuery

TEXTS = {
    "dublin.md": "The recovery point objective of Dublin is fifteen minutes.",
    "frankfurt.md": "The recovery point objective of Frankfurt is five minutes.",
    "support.md": "Gold support answers within one hour, day and night.",
    "keys.md": "Encryption keys are rotated every ninety days in every region.",
    "billing.md": "The billing export runs at two in the morning, Dublin time.",
}


@pytest.fixture
def documents(add):
    return {name: add(name, text, tags=[name[0], "all"]) for name, text in TEXTS.items()}


def names(hits):
    return [hit.filename for hit in hits]


def test_the_best_comes_first(documents, find):
    assert names(find("recovery point objective of Frankfurt"))[0] == "frankfurt.md"


def test_words_alone_and_meaning_alone_both_work(documents, find):
    by_words = find("rotated keys", dense=0.0)
    assert names(by_words) == ["keys.md"]
    assert (by_words[0].dense_rank, by_words[0].dense_score, by_words[0].lexical_rank) == (None, None, 1)
    by_meaning = find("encryption keys", lexical=0.0)
    assert len(by_meaning) == len(TEXTS)
    assert {hit.lexical_rank for hit in by_meaning} == {None}


def test_a_hit_by_words_alone_still_knows_its_cosine(documents, find):
    hits = find("Frankfurt", candidates=1, limit=1, lexical=9.0, dense=0.1)
    assert hits[0].lexical_rank == 1
    assert hits[0].dense_score is not None


def test_any_word_of_a_question_counts(documents, find):
    assert names(find("please tell me whether gold customers wait long", dense=0.0)) == ["support.md"]


def test_filters_narrow(documents, find):
    assert names(find("Dublin", filters=SearchFilters(document_ids=(documents["keys.md"].id,)))) == [
        "keys.md"
    ]
    assert set(names(find("Dublin", filters=SearchFilters(tags=("d", "k"))))) == {"dublin.md", "keys.md"}
    assert find("Dublin", filters=SearchFilters(tags=("nothing",))) == ()
    other = services.corpus_create(name="Other")
    assert find("Dublin", filters=SearchFilters(corpus_ids=(other.id,))) == ()


def test_dates_narrow(documents, find):
    moment = documents["dublin.md"].uploaded_at
    hour = timedelta(hours=1)
    assert find("Dublin", filters=SearchFilters(uploaded_from=moment + hour)) == ()
    assert find("Dublin", filters=SearchFilters(uploaded_until=moment - hour)) == ()
    assert find("Dublin", filters=SearchFilters(uploaded_from=moment - hour, uploaded_until=moment + hour))


def test_excluded_passages_make_room_for_others(documents, find):
    first = find("recovery point objective", limit=2)
    second = find(
        "recovery point objective", limit=2, excluded_chunk_ids=tuple(hit.chunk_id for hit in first)
    )
    assert len(second) == 2
    assert not {hit.chunk_id for hit in first} & {hit.chunk_id for hit in second}


def test_the_database_fuses_as_the_domain_defines(documents, find, principal):
    queries = (
        WeightedQuery("recovery point objective of Dublin", dense_weight=1.5, lexical_weight=0.15),
        WeightedQuery("and the billing export", dense_weight=1.0, lexical_weight=0.5),
    )
    rankings = []
    for query in queries:
        near = find(query.text, dense=1.0, lexical=0.0)
        worded = find(query.text, dense=0.0, lexical=1.0)
        rankings.append((query.dense_weight, by_place([hit.chunk_id for hit in near])))
        rankings.append((query.lexical_weight, by_score({h.chunk_id: h.lexical_score for h in worded})))
    expected = dict(fuse(rankings))
    request = SearchRequest(queries=queries, principal=principal(sees_all=True))
    result = services.search(request=request)
    assert {hit.chunk_id: hit.fused_score for hit in result.hits} == pytest.approx(expected)
    scores = [hit.fused_score for hit in result.hits]
    assert scores == sorted(scores, reverse=True)
    assert set(result.milliseconds) == {"embed", "sql"}


@pytest.mark.parametrize(
    "text", ["", " ", "\x00", "???", "' | !& <-> :*", "the of and", "x" * 20_000, "😀", "ไทย", "%s %(x)s"]
)
def test_odd_queries_are_answered(documents, find, text):
    hits = find(text)
    assert len(hits) <= 10


def test_each_corpus_is_searched_in_its_own_language(add, find):
    german = services.corpus_create(name="Deutsch", language="german")
    add("de.md", "Die Häuser wurden zurückgegeben.", corpus_id=german.id)
    add("en.md", "The houses were returned.")
    assert names(find("zurückgegebene Haus", dense=0.0)) == ["de.md"]
    assert names(find("returning house", dense=0.0)) == ["en.md"]


def test_it_asks_the_database_once(documents, find, django_assert_num_queries):
    with django_assert_num_queries(1):
        find("Dublin")
