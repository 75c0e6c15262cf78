"""Reading what somebody can see, document by document, with what lets them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page
from django.db import transaction
from django.db.models import Count, Q

from admin_ui.selectors.documents import DocumentFilter
from admin_ui.selectors.eyes import Eyes
from admin_ui.selectors.paging import page_by_ids
from admin_ui.selectors.people import Through
from retrieval.models import (
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)
from retrieval.selectors import documents_visible_to
from tenants.access import Principal
from tenants.models import Audience

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class SeenRow:
    document: Document
    through: tuple[Through, ...]


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page of what somebody sees: `total` documents fit the filter, `searchable` of them are in searches now."""

    page: Page[Document]
    rows: tuple[SeenRow, ...]
    total: int
    searchable: int
    corpora: int


@transaction.atomic
def seen_page(eyes: Eyes, wanted: DocumentFilter, *, number: str) -> SeenPage:
    """By title. Eight queries at most, however many documents."""
    visible = wanted.narrowed(documents_visible_to(eyes.principal))
    totals = visible.order_by().aggregate(
        total=Count("id"),
        searchable=Count("id", filter=Q(generation__gt=0)),
        corpora=Count("corpus_id", distinct=True),
    )
    shown = Document.objects.select_related("corpus").order_by("title", "id")
    page = page_by_ids(visible.order_by("title", "id"), shown, PER_PAGE, number, count=totals["total"])
    ways = _Ways(list(page), eyes.principal)
    return SeenPage(page, tuple(SeenRow(one, ways(one)) for one in page), **totals)


class _Ways:
    """What lets a principal see each of some documents."""

    def __init__(self, documents: Sequence[Document], principal: Principal) -> None:
        self.sees_all = principal.sees_all
        names = dict(Audience.objects.values_list("group_id", "name")) if documents else {}
        ids, corpora = {one.pk for one in documents}, {one.corpus_id for one in documents}
        grants = (DocumentGroupPermission, DocumentUserPermission, "document", ids)
        self.on_documents = _grants(*grants, principal, names)
        self.on_corpora = _grants(
            CorpusGroupPermission, CorpusUserPermission, "corpus", corpora, principal, names
        )

    def __call__(self, document: Document) -> tuple[Through, ...]:
        role = (Through("role"),) if self.sees_all else ()
        by_corpus = () if document.restricted else self.on_corpora[document.corpus_id]
        return (*role, *self.on_documents[document.pk], *by_corpus)


def _grants(
    for_group: Any, for_user: Any, by: str, ids: set[UUID], principal: Principal, names: dict[int, str]
) -> defaultdict[UUID, list[Through]]:
    found: defaultdict[UUID, list[Through]] = defaultdict(list)
    narrow = {"permission__codename": f"view_{by}", "content_object_id__in": ids}
    if principal.user_id is not None and ids:
        for id in for_user.objects.filter(user_id=principal.user_id, **narrow).values_list(
            "content_object_id", flat=True
        ):
            found[id].append(Through(by))
    if ids:
        rows = for_group.objects.filter(group_id__in=principal.group_ids, **narrow)
        for id, group in rows.order_by("group_id").values_list("content_object_id", "group_id"):
            found[id].append(Through(by, names.get(group, "")))
    return found
