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


class Obstacle(StrEnum):
    """A reason why no passage of a document can be among the hits of somebody's search, whatever is asked."""

    NOT_INDEXED = "not_indexed"
    RESTRICTED = "restricted"
    NO_GRANT = "no_grant"


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What filters look at."""

    corpus_id: UUID
    document_id: UUID
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


@dataclass(frozen=True, slots=True)
class DocumentExplanation:
    """What became of one document in a search.

    `place` is that of its best passage among the first `looked_at` that the asker may see, from 1; None when it is
    further down or something is in its way: `obstacles`, or the filters in `filtered`. `best` are its passages that
    suit the query best, as the observer finds them when nothing else is searched.
    """

    document_id: UUID
    place: int | None
    looked_at: int
    obstacles: tuple[Obstacle, ...]
    filtered: tuple[Exclusion, ...]
    best: tuple[SearchHit, ...]

    @property
    def is_below(self) -> bool:
        """Whether nothing is in its way, and others suit better."""
        return self.place is None and not self.obstacles and not self.filtered


def obstacles(
    *, is_indexed: bool, is_restricted: bool, by_corpus: bool, by_document: bool, sees_all: bool
) -> tuple[Obstacle, ...]:
    """What keeps a document out of somebody's searches, by the grants that they have on it and on its corpus."""
    permitted = sees_all or by_document or (by_corpus and not is_restricted)
    in_the_way = Obstacle.RESTRICTED if is_restricted and by_corpus else Obstacle.NO_GRANT
    return (*(() if is_indexed else (Obstacle.NOT_INDEXED,)), *(() if permitted else (in_the_way,)))


def filtered_by(facts: DocumentFacts, filters: SearchFilters) -> tuple[Exclusion, ...]:
    """The filters that keep a document, and so its passages, out."""
    tests = (
        (Exclusion.OTHER_CORPUS, bool(filters.corpus_ids) and facts.corpus_id not in filters.corpus_ids),
        (
            Exclusion.OTHER_DOCUMENT,
            bool(filters.document_ids) and facts.document_id not in filters.document_ids,
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
    reasons = filtered_by(facts, filters)
    if hit.chunk_id in shown_before:
        reasons = (*reasons, Exclusion.SHOWN_BEFORE)
    if hit.chunk_id not in permitted:
        reasons = (*reasons, Exclusion.NOT_PERMITTED)
    return reasons or (Exclusion.BELOW_LIMIT,)
