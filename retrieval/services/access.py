"""Who may see which corpus and which document: grants to users and to groups (audiences)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import Permission

from kernel.errors import Invalid, NotFound
from retrieval.models import (
    Corpus,
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)


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


def document_restrict(*, document_id: UUID, restricted: bool) -> None:
    """Say whether a document needs a grant of its own. In force at the next query. Raises NotFound."""
    if not Document.objects.filter(id=document_id).update(restricted=restricted):
        raise NotFound(what="document")


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


def _holder(user_id: int | None, group_id: int | None) -> dict[str, Any]:
    return {"user_id": user_id} if user_id is not None else {"group_id": group_id}


def _grant(
    model: GrantModel, codename: str, object_id: UUID, user_id: int | None, group_id: int | None
) -> None:
    permission = Permission.objects.get(content_type__app_label="retrieval", codename=codename)
    model.objects.get_or_create(
        permission=permission, content_object_id=object_id, **_holder(user_id, group_id)
    )


def _revoke(
    model: GrantModel, codename: str, object_id: UUID, user_id: int | None, group_id: int | None
) -> None:
    model.objects.filter(
        permission__codename=codename, content_object_id=object_id, **_holder(user_id, group_id)
    ).delete()
