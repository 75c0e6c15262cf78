"""Why a search shows what it shows.

An editor who asks "why is this passage not found?" gets the ranks and scores of what was found, and for passages
that match but are not shown the plain reason: below the limit, filtered out, shown before. That a passage exists
which somebody may not see is told only to those who see it themselves.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from retrieval.domain.passages import SearchFilters, SearchHit


class Exclusion(StrEnum):
    """A reason why a matching passage is not among the hits."""

    BELOW_LIMIT = "below_limit"
    SHOWN_BEFORE = "shown_before"
    OTHER_CORPUS = "other_corpus"
    OTHER_DOCUMENT = "other_document"
    WITHOUT_TAG = "without_tag"
    UPLOADED_BEFORE = "uploaded_before"
    UPLOADED_AFTER = "uploaded_after"
    NOT_PERMITTED = "not_permitted"


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What filters look at."""

    tags: tuple[str, ...]
    uploaded_at: datetime


@dataclass(frozen=True, slots=True)
class ExplainedHit:
    """A passage with its place among the hits, counted from 1, or the reasons why it has none."""

    hit: SearchHit
    place: int | None
    reasons: tuple[Exclusion, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchExplanation:
    """What was shown, and the best of what was not."""

    shown: tuple[ExplainedHit, ...]
    left_out: tuple[ExplainedHit, ...]


def filtered_by(hit: SearchHit, facts: DocumentFacts, filters: SearchFilters) -> tuple[Exclusion, ...]:
    """The filters that keep a passage out."""
    tests = (
        (Exclusion.OTHER_CORPUS, bool(filters.corpus_ids) and hit.corpus_id not in filters.corpus_ids),
        (
            Exclusion.OTHER_DOCUMENT,
            bool(filters.document_ids) and hit.document_id not in filters.document_ids,
        ),
        (Exclusion.WITHOUT_TAG, bool(filters.tags) and not set(filters.tags) & set(facts.tags)),
        (
            Exclusion.UPLOADED_BEFORE,
            filters.uploaded_from is not None and facts.uploaded_at < filters.uploaded_from,
        ),
        (
            Exclusion.UPLOADED_AFTER,
            filters.uploaded_until is not None and facts.uploaded_at >= filters.uploaded_until,
        ),
    )
    return tuple(reason for reason, is_so in tests if is_so)


def exclusions(
    hit: SearchHit,
    facts: DocumentFacts,
    filters: SearchFilters,
    *,
    shown_before: Collection[UUID],
    permitted: Collection[UUID],
) -> tuple[Exclusion, ...]:
    """Why a matching passage is not shown. Being below the limit is the reason when there is no other."""
    reasons = filtered_by(hit, facts, filters)
    if hit.chunk_id in shown_before:
        reasons = (*reasons, Exclusion.SHOWN_BEFORE)
    if hit.chunk_id not in permitted:
        reasons = (*reasons, Exclusion.NOT_PERMITTED)
    return reasons or (Exclusion.BELOW_LIMIT,)
