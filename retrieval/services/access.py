"""Who may see which corpus and which document: grants to users and to groups (audiences)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission
from django.db import transaction

from kernel.errors import Invalid, NotFound
from retrieval.models import (
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)
from tenants.services.audit import audit_record


def corpus_grant(*, corpus_id: UUID, user_id: int | None = None, group_id: int | None = None) -> None:
    """Let a user or a group see a corpus's unrestricted documents, from the next query on. Raises NotFound."""
    _found(Corpus, corpus_id, "corpus")
    model = _one(user_id, group_id, CorpusUserPermission, CorpusGroupPermission)
    _grant(model, "view_corpus", corpus_id, user_id, group_id)


def corpus_revoke(*, corpus_id: UUID, user_id: int | None = None, group_id: int | None = None) -> None:
    model = _one(user_id, group_id, CorpusUserPermission, CorpusGroupPermission)
    _revoke(model, "view_corpus", corpus_id, user_id, group_id)


def document_grant(*, document_id: UUID, user_id: int | None = None, group_id: int | None = None) -> None:
    """Let a user or a group see a document, restricted or not, from the next query on. Raises NotFound."""
    _found(Document, document_id, "document")
    model = _one(user_id, group_id, DocumentUserPermission, DocumentGroupPermission)
    _grant(model, "view_document", document_id, user_id, group_id)


def document_revoke(*, document_id: UUID, user_id: int | None = None, group_id: int | None = None) -> None:
    model = _one(user_id, group_id, DocumentUserPermission, DocumentGroupPermission)
    _revoke(model, "view_document", document_id, user_id, group_id)


def corpora_grant(
    *, corpus_ids: Sequence[UUID], user_ids: Sequence[int] = (), group_ids: Sequence[int] = ()
) -> None:
    """`corpus_grant` of every corpus to every user and group, all or nothing, in few queries. Raises NotFound."""
    _all_found(Corpus, corpus_ids, "corpus")
    _grant_all(
        "view_corpus", corpus_ids, (CorpusUserPermission, user_ids), (CorpusGroupPermission, group_ids)
    )


def corpora_revoke(
    *, corpus_ids: Sequence[UUID], user_ids: Sequence[int] = (), group_ids: Sequence[int] = ()
) -> None:
    _revoke_all(
        "view_corpus", corpus_ids, (CorpusUserPermission, user_ids), (CorpusGroupPermission, group_ids)
    )


def documents_grant(
    *, document_ids: Sequence[UUID], user_ids: Sequence[int] = (), group_ids: Sequence[int] = ()
) -> None:
    """`document_grant` of every document to every user and group, all or nothing, in few queries. Raises NotFound."""
    _all_found(Document, document_ids, "document")
    holders = (DocumentUserPermission, user_ids), (DocumentGroupPermission, group_ids)
    _grant_all("view_document", document_ids, *holders)


def documents_revoke(
    *, document_ids: Sequence[UUID], user_ids: Sequence[int] = (), group_ids: Sequence[int] = ()
) -> None:
    holders = (DocumentUserPermission, user_ids), (DocumentGroupPermission, group_ids)
    _revoke_all("view_document", document_ids, *holders)


@transaction.atomic
def documents_restrict(*, document_ids: Sequence[UUID], restricted: bool) -> None:
    """`document_restrict` of many at once. Raises NotFound, and then changes none."""
    _all_found(Document, document_ids, "document")
    Document.objects.filter(id__in=document_ids).update(restricted=restricted)
    audit_record("documents.restricted", documents=_ids(document_ids), restricted=restricted)


@transaction.atomic
def document_restrict(*, document_id: UUID, restricted: bool) -> None:
    """Say whether a document needs a grant of its own. In force at the next query. Raises NotFound."""
    if not Document.objects.filter(id=document_id).update(restricted=restricted):
        raise NotFound(what="document")
    audit_record("documents.restricted", documents=_ids([document_id]), restricted=restricted)


GrantModel = (
    type[CorpusUserPermission]
    | type[CorpusGroupPermission]
    | type[DocumentUserPermission]
    | type[DocumentGroupPermission]
)


def _one(
    user_id: int | None, group_id: int | None, for_user: GrantModel, for_group: GrantModel
) -> GrantModel:
    if (user_id is None) == (group_id is None):
        raise Invalid(reason="A grant is for one user or for one group.")
    return for_user if user_id is not None else for_group


def _found(model: type[Corpus] | type[Document], id: UUID, what: str) -> None:
    if not model.objects.filter(id=id).exists():
        raise NotFound(what=what)


def _all_found(model: type[Corpus] | type[Document], ids: Collection[UUID], what: str) -> None:
    if model.objects.filter(id__in=ids).count() != len(set(ids)):
        raise NotFound(what=what)


Holders = tuple[GrantModel, Sequence[int]]
_ROWS_AT_ONCE = 5000


@transaction.atomic
def _grant_all(codename: str, object_ids: Sequence[UUID], users: Holders, groups: Holders) -> None:
    permission = _permission(codename)
    for field, (model, holders) in (("user_id", users), ("group_id", groups)):
        rows: list[Any] = [
            model(permission=permission, content_object_id=object_id, **{field: holder})
            for object_id in dict.fromkeys(object_ids)
            for holder in dict.fromkeys(holders)
        ]
        # What is granted already stays as it is.
        manager: Any = model.objects
        manager.bulk_create(rows, batch_size=_ROWS_AT_ONCE, ignore_conflicts=True)
    audit_record("access.granted", may=codename, to=_ids(object_ids), users=[*users[1]], groups=[*groups[1]])


@transaction.atomic
def _revoke_all(codename: str, object_ids: Sequence[UUID], users: Holders, groups: Holders) -> None:
    for field, (model, holders) in (("user_id", users), ("group_id", groups)):
        narrow = {"content_object_id__in": object_ids, f"{field}__in": holders}
        model.objects.filter(permission__codename=codename, **narrow).delete()
    audit_record("access.revoked", may=codename, to=_ids(object_ids), users=[*users[1]], groups=[*groups[1]])


def _ids(ids: Collection[UUID]) -> list[str]:
    return [str(id) for id in dict.fromkeys(ids)]


def _permission(codename: str) -> Permission:
    return Permission.objects.get(content_type__app_label="retrieval", codename=codename)


def _holder(user_id: int | None, group_id: int | None) -> dict[str, Any]:
    return {"user_id": user_id} if user_id is not None else {"group_id": group_id}


@transaction.atomic
def _grant(
    model: GrantModel, codename: str, object_id: UUID, user_id: int | None, group_id: int | None
) -> None:
    holder = _holder(user_id, group_id)
    _, is_new = model.objects.get_or_create(
        permission=_permission(codename), content_object_id=object_id, **holder
    )
    if is_new:
        audit_record("access.granted", target=str(object_id), may=codename, **holder)


@transaction.atomic
def _revoke(
    model: GrantModel, codename: str, object_id: UUID, user_id: int | None, group_id: int | None
) -> None:
    holder = _holder(user_id, group_id)
    narrow = {"permission__codename": codename, "content_object_id": object_id, **holder}
    if model.objects.filter(**narrow).delete()[0]:
        audit_record("access.revoked", target=str(object_id), may=codename, **holder)
