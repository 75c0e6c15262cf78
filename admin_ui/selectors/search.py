"""Searching for the console: the hits with their reasons, and what became of one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_date

from admin_ui.asked import choice_asked, text_asked, uuid_or_none
from admin_ui.components.marks import Mark
from admin_ui.components.search_reasons import EXCLUSIONS, FILTERED, OBSTACLES
from admin_ui.selectors.eyes import ME, Eyes, eyes_of
from retrieval.domain.explaining import DocumentExplanation, ExplainedHit
from retrieval.domain.passages import SearchFilters, SearchHit, SearchRequest, Viewer, WeightedQuery
from retrieval.models import Document
from retrieval.selectors import documents_visible_to
from retrieval.services import MarkedText, QueryVectors, document_explain, passages_marked, search_explain
from tenants.models import User

LIMITS = ("5", "10", "25", "50")
MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class SearchAsked:
    """A search as its form has it; what is empty does not narrow it. `why` names a document to explain."""

    query: str = ""
    eyes: str = ""
    person: str = ""
    corpus: str = ""
    document: str = ""
    tag: str = ""
    since: str = ""
    until: str = ""
    limit: str = "10"
    why: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> SearchAsked:
        return cls(
            query=text_asked(query, "q"),
            eyes=text_asked(query, "as"),
            person=text_asked(query, "person"),
            corpus=str(uuid_or_none(query.get("corpus", "")) or ""),
            document=text_asked(query, "document"),
            tag=text_asked(query, "tag"),
            since=_date_text(query.get("since", "")),
            until=_date_text(query.get("until", "")),
            limit=choice_asked(query, "limit", LIMITS) or "10",
            why=text_asked(query, "why"),
        )

    @property
    def narrows(self) -> bool:
        return bool(self.corpus or self.document or self.tag or self.since or self.until)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A passage with its place or the reasons why it has none, and its scores as parts of a hundred."""

    hit: SearchHit
    place: int | None
    text: tuple[MarkedText, ...]
    reasons: tuple[Mark, ...]
    dense: int
    lexical: int
    fused: int


@dataclass(frozen=True, slots=True)
class Why:
    """What became of a named document; `several` are those that the name fits when it fits more than one."""

    document: Document | None = None
    told: DocumentExplanation | None = None
    reasons: tuple[str, ...] = ()
    best: tuple[ResultRow, ...] = ()
    several: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchPage:
    eyes: Eyes
    shown: tuple[ResultRow, ...] = ()
    left_out: tuple[ResultRow, ...] = ()
    why: Why | None = None


def search_page(me: Eyes, user: User, asked: SearchAsked, *, looks_as_others: bool) -> SearchPage:
    """`me` are the user's own eyes.

    Raises NotFound for somebody or a document that is not here, and as `retrieval.services.search`.
    """
    as_other = looks_as_others and asked.eyes not in ("", ME)
    eyes = eyes_of(user, asked.eyes, known_as=asked.person) if as_other else me
    if not asked.query:
        return SearchPage(eyes)
    request = _request(asked, eyes.principal, me.principal)
    made = QueryVectors()
    told = search_explain(request=request, observer=me.principal, made=made)
    every = (*told.shown, *told.left_out)
    rows = _rows(asked.query, every)
    why = _why(asked, request, me.principal, made) if asked.why else None
    return SearchPage(eyes, rows[: len(told.shown)], rows[len(told.shown) :], why)


def _request(asked: SearchAsked, principal: Viewer, me: Viewer) -> SearchRequest:
    limit = int(asked.limit)
    named = tuple(document.pk for document in _named(asked.document, me)) if asked.document else ()
    filters = SearchFilters(
        corpus_ids=(UUID(asked.corpus),) if asked.corpus else (),
        # A name that fits nothing narrows to nothing, not to everything.
        document_ids=named or ((UUID(int=0),) if asked.document else ()),
        tags=(asked.tag,) if asked.tag else (),
        uploaded_from=_midnight(asked.since),
        uploaded_until=_midnight(asked.until, days=1),
    )
    return SearchRequest(
        queries=(WeightedQuery(asked.query),),
        principal=principal,
        filters=filters,
        limit=limit,
        candidates=max(50, limit),
    )


def _why(asked: SearchAsked, request: SearchRequest, me: Viewer, made: QueryVectors) -> Why:
    named = _named(asked.why, me)
    if len(named) != 1:
        return Why(several=named)
    told = document_explain(request=request, document_id=named[0].pk, observer=me, made=made)
    reasons = [OBSTACLES[one] for one in told.obstacles] + [FILTERED[one] for one in told.filtered]
    best = _rows(asked.query, [ExplainedHit(hit, None) for hit in told.best])
    return Why(named[0], told, tuple(reasons), best)


def _named(text: str, me: Viewer) -> tuple[Document, ...]:
    """The documents that a name means: by id or whole title or file name, else all whose title or file name holds it."""
    visible = documents_visible_to(me).select_related("corpus").order_by("title", "id")
    exact = Q(title__iexact=text) | Q(filename__iexact=text) | Q(source_url=text)
    if id := uuid_or_none(text):
        exact |= Q(pk=id)
    held = Q(title__icontains=text) | Q(filename__icontains=text)
    return tuple(visible.filter(exact)[:MOST_NAMED]) or tuple(visible.filter(held)[:MOST_NAMED])


def _rows(query: str, hits: Sequence[ExplainedHit]) -> tuple[ResultRow, ...]:
    texts = passages_marked(chunk_ids=[one.hit.chunk_id for one in hits], query=query) if hits else {}
    most_lexical = max((one.hit.lexical_score or 0.0 for one in hits), default=0.0)
    most_fused = max((one.hit.fused_score for one in hits), default=0.0)
    return tuple(
        ResultRow(
            hit=one.hit,
            place=one.place,
            text=texts.get(one.hit.chunk_id, (MarkedText(one.hit.text, False),)),
            reasons=tuple(EXCLUSIONS[reason] for reason in one.reasons),
            dense=_part(one.hit.dense_score, 1.0),
            lexical=_part(one.hit.lexical_score, most_lexical),
            fused=_part(one.hit.fused_score, most_fused),
        )
        for one in hits
    )


def _part(score: float | None, most: float) -> int:
    return round(100 * max(0.0, min(1.0, score / most))) if score and most else 0


def _midnight(text: str, *, days: int = 0) -> datetime | None:
    date = parse_date(text) if text else None
    if date is None:
        return None
    return timezone.make_aware(datetime.combine(date, time.min)) + timedelta(days=days)


def _date_text(text: str) -> str:
    """The text of a date that is one; the furthest years have no neighbours to reckon with."""
    try:
        date = parse_date(text)
    except ValueError:
        return ""
    return text if date is not None and 1900 < date.year < 9000 else ""
