"""Who may see a corpus or a document: django-guardian through direct foreign keys."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.db import models
from guardian.managers import GroupObjectPermissionManager, UserObjectPermissionManager
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from retrieval.models.corpora import Corpus
from retrieval.models.documents import Document
from tenants.models import TenantKey
from tenants.scoping import TenantManager


class UserGrantManager(TenantManager[Any], UserObjectPermissionManager):
    """Guardian's manager behind the wall."""


class GroupGrantManager(TenantManager[Any], GroupObjectPermissionManager):
    """Guardian's manager behind the wall."""


class UserGrant(UserObjectPermissionBase):
    """A permission of one user on one object of a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()
    objects: ClassVar[UserGrantManager] = UserGrantManager()

    class Meta:
        abstract = True


class GroupGrant(GroupObjectPermissionBase):
    """A permission of one group (an audience) on one object of a tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = TenantKey()
    objects: ClassVar[GroupGrantManager] = GroupGrantManager()

    class Meta:
        abstract = True


class CorpusUserPermission(UserGrant):
    content_object = models.ForeignKey(Corpus, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "user", "permission", "content_object"], name="corpus_user_grant_once"
            )
        ]


class CorpusGroupPermission(GroupGrant):
    content_object = models.ForeignKey(Corpus, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "group", "permission", "content_object"], name="corpus_group_grant_once"
            )
        ]


class DocumentUserPermission(UserGrant):
    content_object = models.ForeignKey(Document, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "user", "permission", "content_object"], name="document_user_grant_once"
            )
        ]


class DocumentGroupPermission(GroupGrant):
    content_object = models.ForeignKey(Document, on_delete=models.CASCADE)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "group", "permission", "content_object"], name="document_group_grant_once"
            )
        ]
