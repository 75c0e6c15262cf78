"""Why a passage is shown, and why another one is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from retrieval import services
from retrieval.domain.explaining import Exclusion
from retrieval.domain.passages import SearchFilters, SearchRequest, WeightedQuery
from tenants.services import audience_create


@pytest.fixture
def documents(add):
    return {
        name: add(f"{name}.md", f"Rental cars of class {name} need a deposit.", tags=[name])
        for name in ("a", "b", "c")
    }


@pytest.fixture
def explain(principal):
    def explain(*, who=None, observer=None, **options):
        request = SearchRequest(
            queries=(WeightedQuery("deposit for rental cars"),),
            principal=who or principal(sees_all=True),
            **options,
        )
        told = services.search_explain(request=request, observer=observer)
        shown = {row.hit.filename: row.place for row in told.shown}
        return shown, {row.hit.filename: set(row.reasons) for row in told.left_out}

    return explain


def test_below_the_limit(documents, explain):
    shown, left_out = explain(limit=1)
    assert list(shown.values()) == [1]
    assert list(left_out.values()) == [{Exclusion.BELOW_LIMIT}] * 2


def test_every_filter_is_named(documents, explain, corpus):
    assert explain(filters=SearchFilters(tags=("a",)))[1]["b.md"] == {Exclusion.WITHOUT_TAG}
    only = SearchFilters(document_ids=(documents["a"].id,))
    assert explain(filters=only)[1]["c.md"] == {Exclusion.OTHER_DOCUMENT}
    other = services.corpus_create(name="Other")
    assert explain(filters=SearchFilters(corpus_ids=(other.id,)))[1]["a.md"] == {Exclusion.OTHER_CORPUS}
    later = documents["c"].uploaded_at + timedelta(hours=1)
    told = explain(filters=SearchFilters(uploaded_from=later, tags=("a",)))[1]
    assert told["a.md"] == {Exclusion.UPLOADED_BEFORE}
    assert told["b.md"] == {Exclusion.UPLOADED_BEFORE, Exclusion.WITHOUT_TAG}
    earlier = documents["a"].uploaded_at - timedelta(hours=1)
    assert explain(filters=SearchFilters(uploaded_until=earlier))[1]["a.md"] == {Exclusion.UPLOADED_AFTER}


def test_what_was_shown_before(documents, explain, find):
    first = find("deposit for rental cars", limit=1)[0]
    assert explain(excluded_chunk_ids=(first.chunk_id,))[1][first.filename] == {Exclusion.SHOWN_BEFORE}


def test_only_who_may_see_a_passage_is_told_that_somebody_else_may_not(documents, explain, principal):
    group = audience_create(name="Drivers").group_id
    services.document_grant(document_id=documents["a"].id, group_id=group)
    driver = principal(group_ids=(group,))
    assert explain(who=driver) == ({"a.md": 1}, {})
    shown, left_out = explain(who=driver, observer=principal(sees_all=True))
    assert shown == {"a.md": 1}
    assert left_out == {"b.md": {Exclusion.NOT_PERMITTED}, "c.md": {Exclusion.NOT_PERMITTED}}


def test_queries_that_differ_do_not_share_their_vectors(documents, principal, monkeypatch):
    embedded, tools = [], services.equipment().embeddings
    embed = tools.embed_queries
    monkeypatch.setattr(tools, "embed_queries", lambda texts: embedded.append(texts) or embed(texts), False)
    made = services.QueryVectors()
    for text, weight in (("cars", 1.0), ("cars", 1.0), ("deposit", 1.0), ("cars", 0.0)):
        asked = (WeightedQuery(text, dense_weight=weight),)
        request = SearchRequest(queries=asked, principal=principal(sees_all=True))
        services.search_explain(request=request, made=made)
    assert embedded == [["cars"], ["deposit"]]
