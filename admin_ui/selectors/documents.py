"""Reading documents for the console: what the asking member may see of them, and who else may."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Q, QuerySet

from admin_ui.asked import choice_asked, text_asked, uuid_or_none, whole
from admin_ui.components.marks import DOCUMENT_STATES, Mark
from admin_ui.selectors.paging import page_by_ids
from retrieval.models import (
    UNFINISHED,
    Chunk,
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)
from retrieval.selectors import document_get, documents_visible_to
from tenants.access import Principal
from tenants.models import Audience, EndUser, User
from tenants.scoping import current_tenant_id
from tenants.selectors import principal_for

PER_PAGE = 50
CHUNKS_PER_PAGE = 50
MOST_TAGS = 200
_NEWEST_FIRST = ("-uploaded_at", "id")


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """What the list is narrowed to; empty means all.

    `state` may also be "unfinished"; `access` is "restricted" or "open".
    """

    search: str = ""
    corpus: str = ""
    state: str = ""
    tag: str = ""
    access: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> DocumentFilter:
        corpus = query.get("corpus", "")
        state = choice_asked(query, "state", {*DOCUMENT_STATES, "unfinished"})
        return cls(
            text_asked(query, "q"),
            corpus if uuid_or_none(corpus) else "",
            state,
            text_asked(query, "tag"),
            choice_asked(query, "access", ("restricted", "open")),
        )

    @property
    def narrows(self) -> bool:
        return bool(self.search or self.corpus or self.state or self.tag or self.access)

    def apply(self, documents: QuerySet[Document]) -> QuerySet[Document]:
        """All but the state, which is applied apart, so that the counts by state stay."""
        if self.search:
            named = Q(title__icontains=self.search) | Q(filename__icontains=self.search)
            documents = documents.filter(named | Q(source_url__icontains=self.search))
        if self.tag:
            documents = documents.filter(tags__contains=[self.tag])
        if self.access:
            documents = documents.filter(restricted=self.access == "restricted")
        return documents.filter(corpus_id=self.corpus) if self.corpus else documents

    def narrowed(self, documents: QuerySet[Document]) -> QuerySet[Document]:
        """With the state."""
        documents = self.apply(documents)
        return documents.filter(state__in=self._states) if self.state else documents

    def has_state(self, state: str) -> bool:
        """Whether a document in that state is meant."""
        return not self.state or state in self._states

    @property
    def _states(self) -> tuple[str, ...]:
        return UNFINISHED if self.state == "unfinished" else (self.state,)


@dataclass(frozen=True, slots=True)
class DocumentList:
    """A page of documents, how many there are in each state, and how many are still being worked on."""

    page: Page[Document]
    states: tuple[tuple[str, Mark, int], ...]
    total: int
    in_flight: int


@transaction.atomic
def principal_of(user: User) -> Principal:
    """The member as one who asks, with the grants of this moment."""
    end_user = EndUser.objects.filter(user=user).first()
    return principal_for(tenant_id=current_tenant_id(), user=user, end_user=end_user)


@transaction.atomic
def document_list(principal: Principal, wanted: DocumentFilter, *, number: str) -> DocumentList:
    """Newest upload first. Three queries beside those for the principal: how many there are is counted by their states."""
    visible = documents_visible_to(principal)
    counts = dict(wanted.apply(visible).order_by().values_list("state").annotate(n=Count("id")))
    found = wanted.narrowed(visible).order_by(*_NEWEST_FIRST)
    shown = Document.objects.select_related("corpus").order_by(*_NEWEST_FIRST)
    count = sum(n for state, n in counts.items() if wanted.has_state(state))
    page = page_by_ids(found, shown, PER_PAGE, number, count=count)
    states = tuple(
        (state, mark, counts[state]) for state, mark in DOCUMENT_STATES.items() if counts.get(state)
    )
    in_flight = sum(counts.get(state, 0) for state in UNFINISHED)
    return DocumentList(page, states, sum(counts.values()), in_flight)


def tags_in_use(principal: Principal) -> list[str]:
    """Every tag of the documents that the member may see, by name; the first two hundred. One query."""
    tagged = documents_visible_to(principal).exclude(tags=[]).order_by().values("tags").distinct()
    used = {tag for tags in tagged.values_list("tags", flat=True) for tag in tags}
    return sorted(used, key=lambda tag: (tag.casefold(), tag))[:MOST_TAGS]


@dataclass(frozen=True, slots=True)
class CorpusChoice:
    """A corpus to upload into, with the names of those who see what is in it unless it is restricted."""

    id: UUID
    name: str
    viewers: tuple[str, ...]


@transaction.atomic
def corpus_choices() -> list[CorpusChoice]:
    """Four queries however many corpora there are."""
    viewers: dict[UUID, list[str]] = defaultdict(list)
    for corpus_id, name in _named(CorpusGroupPermission, CorpusUserPermission, "view_corpus"):
        viewers[corpus_id].append(name)
    return [
        CorpusChoice(corpus.pk, corpus.name, tuple(viewers[corpus.pk])) for corpus in Corpus.objects.all()
    ]


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may see a document: by its corpus (nobody when it is restricted) and by grants of its own."""

    restricted: bool
    by_corpus: tuple[str, ...]
    by_document: tuple[str, ...]


@transaction.atomic
def visibility_of(document: Document) -> Visibility:
    direct = [
        name
        for _, name in _named(
            DocumentGroupPermission, DocumentUserPermission, "view_document", content_object=document
        )
    ]
    if document.restricted:
        return Visibility(True, (), tuple(direct))
    corpus = _named(
        CorpusGroupPermission, CorpusUserPermission, "view_corpus", content_object=document.corpus_id
    )
    return Visibility(False, tuple(name for _, name in corpus), tuple(direct))


def _named(for_group: Any, for_user: Any, codename: str, **narrow: Any) -> list[tuple[UUID, str]]:
    """Objects with the name of an audience or a person that may see them: three queries."""
    groups = for_group.objects.filter(permission__codename=codename, **narrow)
    audiences = Audience.objects.filter(group_id__in=groups.values("group_id"))
    names = dict(audiences.values_list("group_id", "name"))
    users = for_user.objects.filter(permission__codename=codename, **narrow).select_related("user")
    by_group = [
        (pk, names[group])
        for pk, group in groups.values_list("content_object_id", "group_id")
        if group in names
    ]
    return sorted(by_group, key=lambda pair: pair[1]) + [
        (grant.content_object_id, str(grant.user)) for grant in users
    ]


def access_document(principal: Principal, document_id: UUID) -> Document:
    """Raises NotFound for a document that the member may not see."""
    return document_get(document_id, principal)


def page_asked(query: Mapping[str, str]) -> str:
    """The page of passages that an address means: its number, or that of the `passage` whose place it names."""
    passage = whole(query, "passage")
    if "page" in query or passage is None:
        return query.get("page", "1")
    return str(passage // CHUNKS_PER_PAGE + 1)


def chunks_page(document: Document, *, number: str) -> Page[Chunk]:
    """The passages that searches see now, in reading order."""
    chunks = Chunk.objects.filter(document=document, generation=document.generation)
    return Paginator(chunks.order_by("ordinal").defer("tsv"), CHUNKS_PER_PAGE).get_page(number)
