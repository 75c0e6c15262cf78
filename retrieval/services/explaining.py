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
from retrieval.services.searching import QueryVectors, search

LEFT_OUT = 30
LOOKED_AT = 200
"""As far down as a document's place is looked for."""
BEST = 3


def search_explain(
    *, request: SearchRequest, observer: Viewer | None = None, made: QueryVectors | None = None
) -> SearchExplanation:
    """The hits of a search, and the best matching passages that are not among them, with the reasons.

    `observer` is who reads the explanation, the asker by default: nothing is told that the observer may not see.
    An observer who sees more than the asker is told what the asker may not see. `made` and what is raised are as in
    `search`.
    """
    watching, made = observer or request.principal, made or QueryVectors()
    shown = search(request=request, made=made).hits
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
    others = [hit for hit in search(request=wide, made=made).hits if hit.chunk_id not in known][:LEFT_OUT]
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
    *,
    request: SearchRequest,
    document_id: UUID,
    observer: Viewer | None = None,
    made: QueryVectors | None = None,
) -> DocumentExplanation:
    """What became of a document in a search: its place, or everything that is in its way.

    `observer` and `made` are as in `search_explain`. Raises as `search`, and NotFound for a document that the observer
    may not see.
    """
    watching, made = observer or request.principal, made or QueryVectors()
    document = document_get(document_id, watching)
    in_the_way = _obstacles(document, request.principal)
    filtered = filtered_by(_facts(document), request.filters)
    return DocumentExplanation(
        document_id=document.pk,
        place=None if in_the_way or filtered else _place(request, document_id, made),
        looked_at=LOOKED_AT,
        obstacles=in_the_way,
        filtered=filtered,
        best=_best(request, document_id, watching, made),
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


def _place(request: SearchRequest, document_id: UUID, made: QueryVectors) -> int | None:
    far = replace(request, limit=LOOKED_AT, candidates=LOOKED_AT)
    hits = search(request=far, made=made).hits
    return next((place for place, hit in enumerate(hits, start=1) if hit.document_id == document_id), None)


def _best(
    request: SearchRequest, document_id: UUID, observer: Viewer, made: QueryVectors
) -> tuple[SearchHit, ...]:
    alone = replace(
        request,
        principal=observer,
        filters=SearchFilters(document_ids=(document_id,)),
        excluded_chunk_ids=(),
        limit=BEST,
        rare_words=False,
    )
    return search(request=alone, made=made).hits
