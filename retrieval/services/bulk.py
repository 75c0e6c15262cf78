"""Many documents in one go: who may see them, their tags, another try, and that they are gone. All of it or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count

from kernel.errors import Invalid, NotFound
from retrieval.models import (
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentState,
    DocumentUserPermission,
)
from retrieval.services.access import documents_grant, documents_restrict, documents_revoke
from retrieval.services.documents import document_delete, document_retry, record_tags
from tenants.selectors.audiences import reach_of

MOST = 10_000
MOST_DELETED = 500
_AT_ONCE = 1000
"""Documents in one entry of the audit log."""


class AccessAction(StrEnum):
    """What can be done to who sees documents."""

    GIVE = "give"
    TAKE = "take"
    RESTRICT = "restrict"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class AccessChange:
    """Who is meant (`group_ids` of audiences, `user_ids`) only matters to giving and taking."""

    action: AccessAction
    document_ids: tuple[UUID, ...]
    group_ids: tuple[int, ...] = ()
    user_ids: tuple[int, ...] = ()

    @property
    def holders(self) -> int:
        return len(set(self.group_ids)) + len(set(self.user_ids))

    @property
    def is_about_grants(self) -> bool:
        return self.action in (AccessAction.GIVE, AccessAction.TAKE)


@dataclass(frozen=True, slots=True)
class AccessEffect:
    """How much a change changes: `documents` of the `chosen`, `grants` given or taken, `people` who may be touched.

    People are counted once, and are the most there can be: who sees a document in another way still sees it.
    `everyone` when visitors whom nobody knows are among them.
    """

    chosen: int
    documents: int
    grants: int
    people: int
    everyone: bool


def access_effect(change: AccessChange) -> AccessEffect:
    """What the change would do now. A few queries however many documents. Raises NotFound, Invalid."""
    _check(change)
    if change.is_about_grants:
        return _effect_on_grants(change)
    touched = _other(change)
    corpora = touched.order_by().values("corpus_id")
    groups = CorpusGroupPermission.objects.filter(content_object_id__in=corpora)
    users = CorpusUserPermission.objects.filter(content_object_id__in=corpora)
    reach = reach_of(
        group_ids=set(groups.values_list("group_id", flat=True)),
        user_ids=set(users.values_list("user_id", flat=True)),
    )
    n = touched.count()
    return AccessEffect(
        len(set(change.document_ids)), n, 0, reach.people if n else 0, reach.everyone and n > 0
    )


@transaction.atomic
def access_change(change: AccessChange) -> AccessEffect:
    """Do it, all or nothing, in force at the next search; returns what changed. Raises NotFound, Invalid."""
    list(
        Document.objects.filter(id__in=change.document_ids)
        .order_by("id")
        .select_for_update(of=("self",), no_key=True)
        .values_list("id", flat=True)
    )
    effect = access_effect(change)
    if change.is_about_grants:
        act = documents_grant if change.action is AccessAction.GIVE else documents_revoke
        for ids in _slices(change.document_ids):
            act(document_ids=ids, user_ids=change.user_ids, group_ids=change.group_ids)
        return effect
    for ids in _slices(list(_other(change).values_list("id", flat=True))):
        documents_restrict(document_ids=ids, restricted=change.action is AccessAction.RESTRICT)
    return effect


@dataclass(frozen=True, slots=True)
class Retried:
    """Documents that are read again, and how many of the others failed for a reason that cannot pass."""

    again: tuple[Document, ...]
    useless: int


def documents_retry(*, document_ids: Sequence[UUID]) -> Retried:
    """`document_retry` of those that failed and may be read after all; the door queues them."""
    rows = Document.objects.filter(id__in=document_ids, state=DocumentState.FAILED)
    failed = list(rows.order_by("queued_at", "id"))
    helped = [document for document in failed if document.can_be_retried]
    with transaction.atomic():
        again = tuple(document_retry(document_id=document.pk) for document in helped)
    return Retried(again, len(failed) - len(helped))


@transaction.atomic
def documents_delete(*, document_ids: Sequence[UUID]) -> int:
    """`document_delete` of each, all or nothing; returns how many. Raises NotFound, Invalid for too many at once."""
    ids = list(dict.fromkeys(document_ids))
    if len(ids) > MOST_DELETED:
        raise Invalid(reason=f"At most {MOST_DELETED} documents are deleted in one go.")
    # All of them locked first: each deletion takes the lock of the audit log, which comes last.
    found = Document.objects.select_for_update(of=("self",)).filter(id__in=ids).order_by("id")
    _check_all(len(list(found.values_list("id", flat=True))), ids)
    for document_id in ids:
        document_delete(document_id=document_id)
    return len(ids)


@transaction.atomic
def documents_tag(
    *, document_ids: Sequence[UUID], add: Sequence[str] = (), remove: Sequence[str] = ()
) -> int:
    """Put tags on documents and take others off; returns how many documents have other tags now. Raises NotFound."""
    ids = list(dict.fromkeys(document_ids))
    rows = list(
        Document.objects.select_for_update(of=("self",)).filter(id__in=ids).order_by("id").only("id", "tags")
    )
    _check_all(len(rows), ids)
    changed = [row for row in rows if _retagged(row, add, remove)]
    Document.objects.bulk_update(changed, ["tags"], batch_size=_AT_ONCE)
    for some in _slices([row.pk for row in changed]):
        record_tags(some, add, remove)
    return len(changed)


def _retagged(row: Document, add: Sequence[str], remove: Sequence[str]) -> bool:
    before = list(row.tags)
    row.tags = [tag for tag in dict.fromkeys([*before, *add]) if tag not in remove]
    return row.tags != before


def _effect_on_grants(change: AccessChange) -> AccessEffect:
    ids, held = list(dict.fromkeys(change.document_ids)), _held(change)
    give = change.action is AccessAction.GIVE
    if give:
        documents = sum(held[id] < change.holders for id in ids)
        grants = len(ids) * change.holders - held.total()
    else:
        documents, grants = len(held), held.total()
    reach = reach_of(group_ids=change.group_ids, user_ids=change.user_ids)
    return AccessEffect(
        len(ids), documents, grants, reach.people if grants else 0, reach.everyone and grants > 0
    )


def _held(change: AccessChange) -> Counter[UUID]:
    """How many of the holders have a grant already, by document. Two queries."""
    held: Counter[UUID] = Counter()
    holders: tuple[tuple[Any, str, Sequence[int]], ...] = (
        (DocumentGroupPermission, "group_id__in", change.group_ids),
        (DocumentUserPermission, "user_id__in", change.user_ids),
    )
    for model, field, meant in holders:
        rows = model.objects.filter(
            permission__codename="view_document", content_object_id__in=change.document_ids, **{field: meant}
        )
        held.update(dict(rows.values_list("content_object_id").annotate(n=Count("id"))))
    return held


def _other(change: AccessChange) -> Any:
    """The documents that are not yet as they should be."""
    wanted = change.action is AccessAction.RESTRICT
    return Document.objects.filter(id__in=change.document_ids, restricted=not wanted)


def _check(change: AccessChange) -> None:
    ids = set(change.document_ids)
    if len(ids) > MOST:
        raise Invalid(reason=f"Access to at most {MOST} documents is changed in one go.")
    if change.is_about_grants and not change.holders:
        raise Invalid(reason="Choose at least one audience or person.")
    _check_all(Document.objects.filter(id__in=ids).count(), ids)


def _check_all(found: int, ids: Sequence[UUID] | set[UUID]) -> None:
    if not ids:
        raise Invalid(reason="Choose at least one document.")
    if found != len(ids):
        raise NotFound(what="document")


def _slices(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]
