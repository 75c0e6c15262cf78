"""A search with its reasons, for the console."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from retrieval.domain.explaining import (
    DocumentExplanation,
    DocumentFacts,
    ExplainedHit,
    Obstacle,
    SearchExplanation,
    exclusions,
    filtered_by,
    obstacles,
)
from retrieval.domain.passages import SearchFilters, SearchHit, SearchRequest, Viewer
from retrieval.models import Document
from retrieval.selectors import corpora_visible_to, document_get, documents_visible_to, passages_visible
from retrieval.services.searching import search

LEFT_OUT = 30
LOOKED_AT = 200
"""As far down as a document's place is looked for."""
BEST = 3


def search_explain(*, request: SearchRequest, observer: Viewer | None = None) -> SearchExplanation:
    """The hits of a search, and the best matching passages that are not among them, with the reasons.

    `observer` is who reads the explanation, the asker by default: nothing is told that the observer may not see.
    An observer who sees more than the asker is told what the asker may not see. Raises as `search`.
    """
    watching = observer or request.principal
    shown = search(request=request).hits
    amount = request.limit + LEFT_OUT
    wide = replace(
        request,
        principal=watching,
        filters=SearchFilters(),
        excluded_chunk_ids=(),
        limit=amount,
        candidates=max(request.candidates, amount),
    )
    known = {hit.chunk_id for hit in shown}
    others = [hit for hit in search(request=wide).hits if hit.chunk_id not in known][:LEFT_OUT]
    return SearchExplanation(
        tuple(ExplainedHit(hit, place) for place, hit in enumerate(shown, start=1)),
        tuple(_left_out(others, request)),
    )


def _left_out(hits: list[SearchHit], request: SearchRequest) -> list[ExplainedHit]:
    rows = Document.objects.filter(id__in={hit.document_id for hit in hits})
    facts = {row.pk: _facts(row) for row in rows.only("corpus_id", "tags", "uploaded_at")}
    permitted = passages_visible([hit.chunk_id for hit in hits], request.principal)
    before = frozenset(request.excluded_chunk_ids)
    return [
        ExplainedHit(
            hit,
            None,
            exclusions(
                hit, facts[hit.document_id], request.filters, shown_before=before, permitted=permitted
            ),
        )
        for hit in hits
        if hit.document_id in facts
    ]


def document_explain(
    *, request: SearchRequest, document_id: UUID, observer: Viewer | None = None
) -> DocumentExplanation:
    """What became of a document in a search: its place, or everything that is in its way.

    `observer` is as in `search_explain`. Raises as `search`, and NotFound for a document that the observer may not see.
    """
    document = document_get(document_id, observer or request.principal)
    in_the_way = _obstacles(document, request.principal)
    filtered = filtered_by(_facts(document), request.filters)
    return DocumentExplanation(
        document_id=document.pk,
        place=None if in_the_way or filtered else _place(request, document_id),
        looked_at=LOOKED_AT,
        obstacles=in_the_way,
        filtered=filtered,
        best=_best(request, document_id, observer or request.principal),
    )


def _facts(document: Document) -> DocumentFacts:
    return DocumentFacts(document.corpus_id, document.pk, tuple(document.tags), document.uploaded_at)


def _obstacles(document: Document, asker: Viewer) -> tuple[Obstacle, ...]:
    visible = documents_visible_to(asker).filter(pk=document.pk)
    by_corpus = corpora_visible_to(asker).filter(pk=document.corpus_id).exists()
    return obstacles(
        is_indexed=document.is_searchable,
        is_restricted=document.restricted,
        by_corpus=by_corpus,
        by_document=visible.exists() and (document.restricted or not by_corpus),
        sees_all=asker.sees_all,
    )


def _place(request: SearchRequest, document_id: UUID) -> int | None:
    hits = search(request=replace(request, limit=LOOKED_AT, candidates=LOOKED_AT)).hits
    return next((place for place, hit in enumerate(hits, start=1) if hit.document_id == document_id), None)


def _best(request: SearchRequest, document_id: UUID, observer: Viewer) -> tuple[SearchHit, ...]:
    alone = SearchFilters(document_ids=(document_id,))
    return search(
        request=replace(
            request, principal=observer, filters=alone, excluded_chunk_ids=(), limit=BEST, rare_words=False
        )
    ).hits
