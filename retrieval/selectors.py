"""Reading corpora, documents and passages, with the permissions of this moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from uuid import UUID

from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from kernel.errors import NotFound
from kernel.observed import Waiting
from retrieval.domain.passages import Passage, Viewer
from retrieval.models import (
    UNFINISHED,
    Chunk,
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentState,
    DocumentUserPermission,
    EmbeddingSpace,
)
from tenants.access import SEES_ALL_ROLES
from tenants.models import Audience, Membership
from tenants.postgres.statements import Statement, array_literal, named, with_parts
from tenants.selectors.people import counts_now

_VISIBILITY = {name: named("retrieval", name) for name in ("visible_rights", "visible_document")}
_VISIBLE = Statement(with_parts(named("retrieval", "passages_visible"), _VISIBILITY), "passages_visible")


def corpora_list() -> QuerySet[Corpus]:
    """All corpora of the tenant with `documents_total` and `documents_ready`: for those who manage them."""
    return Corpus.objects.annotate(
        documents_total=Count("documents"),
        documents_ready=Count("documents", filter=Q(documents__state=DocumentState.INDEXED)),
    )


def documents_unfinished() -> Waiting:
    """Documents of the tenant that wait or are being read, the oldest by the moment from which it may be taken."""
    found = Document.objects.filter(state__in=UNFINISHED)
    return Waiting(**found.aggregate(depth=Count("*"), oldest=Min("queued_at")))


def documents_by_state() -> dict[str, int]:
    """How many documents the tenant has in each state."""
    return dict(Document.objects.order_by().values_list("state").annotate(number=Count("*")))


def corpora_visible_to(principal: Viewer) -> QuerySet[Corpus]:
    if principal.sees_all:
        return Corpus.objects.all()
    return Corpus.objects.filter(_corpus_granted(principal, "id"))


def documents_visible_to(principal: Viewer) -> QuerySet[Document]:
    """A document is visible by a grant of its own, or by its corpus unless it is restricted."""
    if principal.sees_all:
        return Document.objects.all()
    by_corpus = Q(restricted=False) & _corpus_granted(principal, "corpus_id")
    return Document.objects.filter(by_corpus | _document_granted(principal, "id"))


def documents_list(
    principal: Viewer, *, corpus_id: UUID | None = None, state: str | None = None
) -> QuerySet[Document]:
    """Documents with their states, newest upload first."""
    documents = documents_visible_to(principal).select_related("corpus").order_by("-uploaded_at", "id")
    if corpus_id is not None:
        documents = documents.filter(corpus_id=corpus_id)
    return documents.filter(state=state) if state is not None else documents


def document_get(document_id: UUID, principal: Viewer) -> Document:
    """Raises NotFound for a document that is not there or that the principal may not see."""
    document = documents_visible_to(principal).select_related("corpus").filter(id=document_id).first()
    if document is None:
        raise NotFound(what="document")
    return document


def document_states(document_ids: Sequence[UUID]) -> dict[UUID, Document]:
    """State, progress and reason of some documents, for a list that refreshes itself."""
    fields = ("id", "state", "progress", "reason_code", "reason", "chunk_count", "title")
    return {row.id: row for row in Document.objects.filter(id__in=document_ids).only(*fields)}


def passage_get(chunk_id: UUID, principal: Viewer) -> Passage:
    """What a citation opens, if the principal may see it now. Raises NotFound otherwise."""
    visible = documents_visible_to(principal).values("id")
    chunk = Chunk.objects.select_related("document").filter(id=chunk_id, document_id__in=visible).first()
    if chunk is None or chunk.generation != chunk.document.generation:
        raise NotFound(what="passage")
    neighbours = {row.ordinal: row for row in _neighbours(chunk)}
    return replace(
        _passage(chunk),
        before=_before(neighbours.get(chunk.ordinal - 1), chunk),
        after=_after(neighbours.get(chunk.ordinal + 1), chunk),
    )


def passages_get(chunk_ids: Sequence[UUID], principal: Viewer) -> tuple[Passage, ...]:
    """Those passages that the principal may see now, in the order asked, without their surroundings."""
    visible = documents_visible_to(principal).values("id")
    rows = Chunk.objects.select_related("document").filter(id__in=chunk_ids, document_id__in=visible)
    found = {chunk.id: _passage(chunk) for chunk in rows if chunk.generation == chunk.document.generation}
    return tuple(found[chunk_id] for chunk_id in chunk_ids if chunk_id in found)


def _passage(chunk: Chunk) -> Passage:
    document = chunk.document
    return Passage(
        chunk_id=chunk.id,
        document_id=document.id,
        corpus_id=document.corpus_id,
        title=document.title,
        filename=document.filename,
        heading_path=tuple(chunk.heading_path),
        page=chunk.page,
        ordinal=chunk.ordinal,
        start=chunk.span_start,
        end=chunk.span_end,
        text=chunk.text,
    )


def passages_visible(chunk_ids: Sequence[UUID], principal: Viewer) -> frozenset[UUID]:
    """Those of `chunk_ids` that the principal may see now: for late binding of what a conversation remembers."""
    values = {
        "chunk_ids": array_literal(chunk_ids),
        "user_id": principal.user_id,
        "group_ids": array_literal(principal.group_ids),
        "sees_all": principal.sees_all,
    }
    return frozenset(chunk_id for (chunk_id,) in _VISIBLE.fetch(values))


@dataclass(frozen=True, slots=True)
class Seer:
    """Somebody who can see a document, and by what: a grant on it, a grant on its corpus, or a role."""

    name: str
    by: Literal["document", "corpus", "role"]
    audience_id: UUID | None = None
    user_id: int | None = None


def who_can_see(document_id: UUID) -> tuple[Seer, ...]:
    """Audiences and single people who can see a document now. Raises NotFound. For those who manage documents."""
    document = Document.objects.filter(id=document_id).first()
    if document is None:
        raise NotFound(what="document")
    members = Membership.objects.filter(counts_now(), role__in=SEES_ALL_ROLES).select_related("user")
    roles = tuple(Seer(str(row.user), "role", user_id=row.user_id) for row in members)
    own = _seers(DocumentGroupPermission, DocumentUserPermission, "view_document", document.id, "document")
    if document.restricted:
        return (*own, *roles)
    by_corpus = _seers(
        CorpusGroupPermission, CorpusUserPermission, "view_corpus", document.corpus_id, "corpus"
    )
    return (*own, *by_corpus, *roles)


def corpus_seers(corpus_id: UUID) -> tuple[Seer, ...]:
    """Audiences and single people with a grant on a corpus. For those who manage documents."""
    return _seers(CorpusGroupPermission, CorpusUserPermission, "view_corpus", corpus_id, "corpus")


def _seers(
    for_group: Any, for_user: Any, codename: str, object_id: UUID, by: Literal["document", "corpus"]
) -> tuple[Seer, ...]:
    narrow = {"permission__codename": codename, "content_object_id": object_id}
    groups = for_group.objects.filter(**narrow).values("group_id")
    audiences = Audience.objects.filter(group_id__in=groups).order_by("name")
    users = for_user.objects.filter(**narrow).select_related("user").order_by("user_id")
    return (
        *(Seer(row.name, by, audience_id=row.id) for row in audiences),
        *(Seer(str(row.user), by, user_id=row.user_id) for row in users),
    )


@dataclass(frozen=True, slots=True)
class VisibleCorpus:
    """How much of a corpus somebody sees: searchable documents and their passages, of all there are."""

    id: UUID
    name: str
    documents: int
    documents_total: int
    passages: int


def what_can_see(principal: Viewer) -> tuple[VisibleCorpus, ...]:
    """The corpora that somebody sees anything of, by name. Three queries."""
    searchable = Q(generation__gt=0)
    seen = _by_corpus(documents_visible_to(principal).filter(searchable))
    totals = _by_corpus(Document.objects.filter(searchable))
    corpora = Corpus.objects.filter(id__in=seen).order_by("name").values_list("id", "name")
    return tuple(
        VisibleCorpus(id, name, seen[id][0], totals.get(id, seen[id])[0], seen[id][1]) for id, name in corpora
    )


def _by_corpus(documents: QuerySet[Document]) -> dict[UUID, tuple[int, int]]:
    rows = documents.order_by().values("corpus_id").annotate(n=Count("id"), passages=Sum("chunk_count"))
    return {row["corpus_id"]: (row["n"], row["passages"]) for row in rows}


def spaces_list() -> QuerySet[EmbeddingSpace]:
    """The tenant's embedding spaces with their placement, and `passages` that are searched in each."""
    searched = Document.objects.filter(generation__gt=0, corpus__space_id=OuterRef("id")).order_by()
    passages = searched.values("corpus__space_id").annotate(total=Sum("chunk_count")).values("total")
    return EmbeddingSpace.objects.annotate(passages=Coalesce(Subquery(passages), 0)).order_by("created_at")


def _neighbours(chunk: Chunk) -> QuerySet[Chunk]:
    return Chunk.objects.filter(
        document_id=chunk.document_id,
        generation=chunk.generation,
        ordinal__in=(chunk.ordinal - 1, chunk.ordinal + 1),
    ).only("ordinal", "text", "span_start", "span_end")


def _before(previous: Chunk | None, chunk: Chunk) -> str:
    """The text before, without the sentences that the two passages share."""
    if previous is None:
        return ""
    return previous.text[: max(0, chunk.span_start - previous.span_start)].rstrip()


def _after(following: Chunk | None, chunk: Chunk) -> str:
    if following is None:
        return ""
    return following.text[max(0, chunk.span_end - following.span_start) :].lstrip()


def _corpus_granted(principal: Viewer, field: str) -> Q:
    return _granted(field, CorpusUserPermission, CorpusGroupPermission, "view_corpus", principal)


def _document_granted(principal: Viewer, field: str) -> Q:
    return _granted(field, DocumentUserPermission, DocumentGroupPermission, "view_document", principal)


def _granted(field: str, for_user: Any, for_group: Any, codename: str, principal: Viewer) -> Q:
    by_group = for_group.objects.filter(permission__codename=codename, group_id__in=principal.group_ids)
    granted = Q(**{f"{field}__in": by_group.values("content_object_id")})
    if principal.user_id is not None:
        by_user = for_user.objects.filter(permission__codename=codename, user_id=principal.user_id)
        granted |= Q(**{f"{field}__in": by_user.values("content_object_id")})
    return granted
