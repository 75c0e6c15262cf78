"""A search with its reasons, for the console."""

from __future__ import annotations

from dataclasses import replace

from retrieval.domain.explaining import DocumentFacts, ExplainedHit, SearchExplanation, exclusions
from retrieval.domain.passages import SearchFilters, SearchHit, SearchRequest, Viewer
from retrieval.models import Document
from retrieval.selectors import passages_visible
from retrieval.services.searching import search

LEFT_OUT = 30


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
    facts = {
        id: DocumentFacts(tuple(tags), at) for id, tags, at in rows.values_list("id", "tags", "uploaded_at")
    }
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
