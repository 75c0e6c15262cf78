"""Reading who may see what: the holders of grants, and audiences with their members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from admin_ui.selectors.paging import page_by_ids
from kernel.errors import NotFound
from retrieval.models import (
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)
from retrieval.selectors import corpora_list
from tenants.models import Audience, EndUser, EndUserAudience

MEMBERS_SHOWN = 50
PER_PAGE = 25
LANGUAGES = (
    "english", "simple", "arabic", "danish", "dutch", "finnish", "french", "german", "greek", "hungarian",
    "italian", "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
"""Text search configurations that every PostgreSQL has; `simple` suits all other languages."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody with a grant: an audience or a single person."""

    grant_id: UUID
    name: str
    note: str
    audience_id: UUID | None = None
    user_id: int | None = None
    group_id: int | None = None


@dataclass(frozen=True, slots=True)
class AudienceRow:
    audience: Audience
    members: int

    @property
    def key(self) -> str:
        return str(self.audience.pk)


@dataclass(frozen=True, slots=True)
class CorpusRow:
    corpus: Corpus
    holders: tuple[Holder, ...]


def corpora_page(number: str) -> Page[Any]:
    """Of `CorpusRow`s, by name. Six queries, however many corpora there are."""
    found = Corpus.objects.order_by("name", "pk")
    page: Page[Any] = page_by_ids(found, corpora_list().order_by("name", "pk"), PER_PAGE, number)
    ids = [corpus.pk for corpus in page.object_list]
    holders = _holders_of(CorpusGroupPermission, CorpusUserPermission, "view_corpus", ids)
    page.object_list = [CorpusRow(corpus, holders[corpus.pk]) for corpus in page.object_list]
    return page


def audiences_page(number: str) -> Page[Any]:
    """Of `AudienceRow`s, by name. Three queries."""
    page: Page[Any] = Paginator(Audience.objects.order_by("name", "pk"), PER_PAGE).get_page(number)
    page.object_list = _with_members(list(page.object_list))
    return page


def audience_rows() -> list[AudienceRow]:
    """All there are, to choose one of. Two queries."""
    return _with_members(list(Audience.objects.all()))


def _with_members(audiences: Sequence[Audience]) -> list[AudienceRow]:
    inside = EndUserAudience.objects.filter(audience__in=audiences).order_by().values_list("audience_id")
    counts = dict(inside.annotate(n=Count("pk")))
    return [AudienceRow(audience, counts.get(audience.pk, 0)) for audience in audiences]


def corpus_holders(corpus_id: UUID) -> tuple[Holder, ...]:
    return _holders(CorpusGroupPermission, CorpusUserPermission, "view_corpus", corpus_id)


def document_holders(document_id: UUID) -> tuple[Holder, ...]:
    return _holders(DocumentGroupPermission, DocumentUserPermission, "view_document", document_id)


def audiences_without(holders: tuple[Holder, ...]) -> list[Audience]:
    """Those a grant can still be given to."""
    return list(Audience.objects.exclude(pk__in=[h.audience_id for h in holders if h.audience_id]))


def corpus_found(corpus_id: UUID) -> Corpus:
    corpus = corpora_list().filter(pk=corpus_id).first()
    if corpus is None:
        raise NotFound(what="corpus")
    return corpus


def audience_found(audience_id: UUID) -> Audience:
    audience = Audience.objects.filter(pk=audience_id).first()
    if audience is None:
        raise NotFound(what="audience")
    return audience


@dataclass(frozen=True, slots=True)
class MembersPage:
    """Who is in an audience, `MEMBERS_SHOWN` at a time. `after` is whom the next page goes on from, None at the end."""

    people: tuple[EndUser, ...]
    total: int
    after: UUID | None
    is_first: bool


def members_of(audience: Audience, *, search: str = "", after: UUID | None = None) -> MembersPage:
    """By name. Whoever is named in `after` and is in it no more means the beginning. Three queries at most."""
    inside = EndUserAudience.objects.filter(audience=audience).values("end_user_id")
    found = EndUser.objects.filter(pk__in=inside)
    if search:
        mail = Q(user__email__icontains=search)
        found = found.filter(Q(name__icontains=search) | Q(subject__icontains=search) | mail)
    place = found.filter(pk=after).values("name", "subject").first() if after else None
    rows = found.select_related("user").order_by("name", "subject")
    if place is not None:
        same = Q(name=place["name"], subject__gt=place["subject"])
        rows = rows.filter(Q(name__gt=place["name"]) | same)
    people = list(rows[: MEMBERS_SHOWN + 1])
    shown = tuple(people[:MEMBERS_SHOWN])
    more = shown[-1].pk if len(people) > MEMBERS_SHOWN else None
    return MembersPage(shown, found.count(), more, place is None)


def seen_by(audience: Audience) -> tuple[list[Corpus], list[Document]]:
    """The corpora and the documents that the audience has a grant on."""
    corpora = CorpusGroupPermission.objects.filter(
        group_id=audience.group_id, permission__codename="view_corpus"
    )
    documents = DocumentGroupPermission.objects.filter(
        group_id=audience.group_id, permission__codename="view_document"
    )
    return (
        list(Corpus.objects.filter(pk__in=corpora.values("content_object_id"))),
        list(Document.objects.filter(pk__in=documents.values("content_object_id"))[:100]),
    )


def _holders(for_group: Any, for_user: Any, codename: str, object_id: UUID) -> tuple[Holder, ...]:
    return _holders_of(for_group, for_user, codename, [object_id])[object_id]


def _holders_of(
    for_group: Any, for_user: Any, codename: str, object_ids: Sequence[UUID]
) -> dict[UUID, tuple[Holder, ...]]:
    """Of each object: audiences by name, then single persons. Three queries, however many objects."""
    narrow = {"permission__codename": codename, "content_object_id__in": object_ids}
    granted = for_group.objects.filter(**narrow)
    audiences = {
        one.group_id: one for one in Audience.objects.filter(group_id__in=granted.values("group_id"))
    }
    found: dict[UUID, list[Holder]] = {object_id: [] for object_id in object_ids}
    for grant, of, group in granted.values_list("id", "content_object_id", "group_id"):
        if (held := audiences.get(group)) is not None:
            note = held.description or "audience"
            found[of].append(Holder(grant, held.name, note, held.pk, group_id=group))
    for holders in found.values():
        holders.sort(key=lambda holder: holder.name)
    for one in for_user.objects.filter(**narrow).select_related("user"):
        found[one.content_object_id].append(
            Holder(one.id, str(one.user), "a single person", user_id=one.user_id)
        )
    return {object_id: tuple(holders) for object_id, holders in found.items()}
