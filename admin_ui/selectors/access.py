"""Reading who may see what: the holders of grants, and audiences with their members."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

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


def corpus_rows() -> list[CorpusRow]:
    """Every corpus with who sees it: a few queries for each, and there are few."""
    return [CorpusRow(corpus, corpus_holders(corpus.pk)) for corpus in corpora_list().order_by("name")]


def audience_rows() -> list[AudienceRow]:
    """Two queries."""
    counts = Counter(EndUserAudience.objects.values_list("audience_id", flat=True))
    return [AudienceRow(audience, counts[audience.pk]) for audience in Audience.objects.all()]


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


def members_of(audience: Audience) -> list[EndUser]:
    inside = EndUserAudience.objects.filter(audience=audience).values("end_user_id")
    return list(EndUser.objects.filter(pk__in=inside).select_related("user").order_by("name", "subject"))


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
    narrow = {"permission__codename": codename, "content_object_id": object_id}
    granted = for_group.objects.filter(**narrow)
    groups = dict(granted.values_list("group_id", "id"))
    audiences = Audience.objects.filter(group_id__in=granted.values("group_id"))
    users = for_user.objects.filter(**narrow).select_related("user")
    by_group = [
        Holder(groups[a.group_id], a.name, a.description or "audience", a.pk, group_id=a.group_id)
        for a in audiences
    ]
    return (*by_group, *(Holder(u.id, str(u.user), "a single person", user_id=u.user_id) for u in users))
