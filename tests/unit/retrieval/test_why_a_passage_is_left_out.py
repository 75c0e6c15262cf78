"""Reasons add up, and the limit is the reason only where there is no other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from retrieval.domain.explaining import DocumentFacts, Exclusion, exclusions
from retrieval.domain.passages import SearchFilters, SearchHit

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HIT = SearchHit(
    uuid4(), uuid4(), uuid4(), "Loans", "loans.md", (), None, 0, "text", 1, 1, 0.5, None, None, 0.1
)
FACTS = DocumentFacts(HIT.corpus_id, HIT.document_id, ("loans",), NOON)
NO_FILTERS = SearchFilters()


def why(filters=NO_FILTERS, *, shown_before=(), permitted=(HIT.chunk_id,)):
    return set(exclusions(HIT, FACTS, filters, shown_before=shown_before, permitted=permitted))


def test_without_any_other_reason_it_is_the_limit():
    assert why() == {Exclusion.BELOW_LIMIT}
    assert why(SearchFilters((HIT.corpus_id,), (HIT.document_id,), ("loans", "x"))) == {Exclusion.BELOW_LIMIT}


def test_reasons_add_up():
    narrow = SearchFilters(
        (uuid4(),), (uuid4(),), ("fees",), NOON + timedelta(hours=1), NOON - timedelta(hours=1)
    )
    assert why(narrow, shown_before=(HIT.chunk_id,), permitted=()) == set(Exclusion) - {Exclusion.BELOW_LIMIT}


def test_the_first_moment_is_inside_and_the_last_is_not():
    assert why(SearchFilters(uploaded_from=NOON)) == {Exclusion.BELOW_LIMIT}
    assert why(SearchFilters(uploaded_until=NOON)) == {Exclusion.UPLOADED_AFTER}
