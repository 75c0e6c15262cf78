"""What became of one document in a search: its place, or what is in its way; and the query's words in a passage."""

from __future__ import annotations

import pytest

from kernel.errors import NotFound
from retrieval import services
from retrieval.domain.explaining import Exclusion, Obstacle
from retrieval.domain.passages import SearchFilters, SearchRequest, WeightedQuery
from retrieval.models import Document
from tenants.services import audience_create

QUERY = "deposit for rental cars"


@pytest.fixture
def documents(add):
    texts = {"deposit": "The deposit for rental cars is due.", "fuel": "Rental cars come with fuel."}
    return {name: add(f"{name}.md", text, tags=[name]) for name, text in texts.items()}


@pytest.fixture
def explain(principal):
    def explain(document, *, who=None, observer=None, **options):
        everything = principal(sees_all=True)
        request = SearchRequest(
            queries=(WeightedQuery(QUERY),), principal=who or everything, limit=1, **options
        )
        observer = observer or everything
        return services.document_explain(request=request, document_id=document.id, observer=observer)

    return explain


def test_it_tells_the_place_beyond_what_was_asked_for(documents, explain):
    assert [explain(documents[name]).place for name in ("deposit", "fuel")] == [1, 2]


def test_it_names_a_document_that_is_in_no_search_yet(documents, explain):
    Document.objects.filter(id=documents["fuel"].id).update(generation=0)
    told = explain(documents["fuel"])
    assert (told.place, told.obstacles) == (None, (Obstacle.NOT_INDEXED,))


def test_it_names_every_filter(documents, explain):
    told = explain(documents["fuel"], filters=SearchFilters(tags=("deposit",)))
    assert (told.place, told.filtered) == (None, (Exclusion.WITHOUT_TAG,))
    assert [hit.filename for hit in told.best] == ["fuel.md"]


def test_it_tells_a_missing_grant_from_a_restriction(documents, explain, principal, corpus):
    group = audience_create(name="Drivers").group_id
    driver, fuel = principal(group_ids=(group,)), documents["fuel"]
    assert explain(fuel, who=driver).obstacles == (Obstacle.NO_GRANT,)
    services.corpus_grant(corpus_id=corpus.id, group_id=group)
    assert explain(fuel, who=driver).place == 2
    services.document_restrict(document_id=fuel.id, restricted=True)
    fuel.refresh_from_db()
    assert explain(fuel, who=driver).obstacles == (Obstacle.RESTRICTED,)
    services.document_grant(document_id=fuel.id, group_id=group)
    assert explain(fuel, who=driver).place == 2
    services.corpus_revoke(corpus_id=corpus.id, group_id=group)
    assert explain(fuel, who=driver).place == 1


def test_nothing_is_told_of_a_document_that_the_observer_may_not_see(documents, explain, principal):
    with pytest.raises(NotFound):
        explain(documents["fuel"], observer=principal())


def test_something_further_down_than_was_looked_is_said_to_be_below(documents, explain, monkeypatch):
    monkeypatch.setattr("retrieval.services.explaining.LOOKED_AT", 1)
    told = explain(documents["fuel"])
    assert told.is_below and told.looked_at == 1


def test_the_words_of_a_query_are_marked_in_any_of_their_forms(documents, find):
    hit = find(QUERY, limit=1)[0]
    text = services.passages_marked(chunk_ids=[hit.chunk_id], query="renting a car, <b>deposits</b>")[
        hit.chunk_id
    ]
    assert [part.text for part in text if part.found] == ["deposit", "cars"]
    assert "".join(part.text for part in text) == hit.text
