"""The first lock of the wall: no query without a tenant.

`tenant_scope()` says for whom the code inside it works. The scope lives in a context variable, so it
follows `await`, threads started with a copied context and Celery tasks, and never leaks between requests.
The database engine (`tenants.postgres`) carries the same scope into every transaction, where row-level
security holds the second lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import sql

from tenants.errors import NoTenantScope

M = TypeVar("M", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom the current code works: one tenant, or one user looking for their own workspaces."""

    tenant_id: UUID | None = None
    user_id: int | None = None


NOBODY = Scope()
_scope: ContextVar[Scope] = ContextVar("antecedent_scope", default=NOBODY)


def current_scope() -> Scope:
    return _scope.get()


def current_tenant_id() -> UUID:
    """The tenant of the current scope. Raises `NoTenantScope` outside one."""
    tenant_id = _scope.get().tenant_id
    if tenant_id is None:
        raise NoTenantScope
    return tenant_id


@contextmanager
def tenant_scope(tenant_id: UUID) -> Iterator[None]:
    """Everything inside works for this tenant and sees nothing of any other."""
    with _entered(Scope(tenant_id=tenant_id)):
        yield


@contextmanager
def own_memberships_scope(user_id: int) -> Iterator[None]:
    """Inside, the user's own memberships of all tenants can be read, and nothing else of any tenant."""
    with _entered(Scope(user_id=user_id)):
        yield


@contextmanager
def no_scope() -> Iterator[None]:
    """Inside, no tenant's data can be reached."""
    with _entered(NOBODY):
        yield


@contextmanager
def _entered(scope: Scope) -> Iterator[None]:
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


class ClosedQuery(sql.Query):
    """A query that may be built (forms and the admin do, at import) but never run."""

    def get_compiler(self, *args: Any, **kwargs: Any) -> Any:
        raise NoTenantScope


class ClosedQuerySet(models.QuerySet[M]):
    """What a tenant manager hands out when nobody said for whom: every way to the database raises."""

    def __init__(self, model: Any = None, query: Any = None, using: Any = None, hints: Any = None) -> None:
        super().__init__(model, query or ClosedQuery(model), using, hints)

    def _closed(self, *args: Any, **kwargs: Any) -> Any:
        raise NoTenantScope

    update = bulk_create = bulk_update = _raw_delete = _insert = _update = create = raw = _closed


class TenantManager(models.Manager[M]):
    """Deny by default: outside `tenant_scope()` nothing can be read or written, inside it only one tenant's."""

    def get_queryset(self) -> models.QuerySet[M]:
        tenant_id = _scope.get().tenant_id
        if tenant_id is None:
            return ClosedQuerySet(self.model, using=self._db)
        return super().get_queryset().filter(tenant_id=tenant_id)


class OwnMembershipsManager(models.Manager[M]):
    """Reads across tenants what row-level security grants one user: their own memberships."""

    def get_queryset(self) -> models.QuerySet[M]:
        user_id = _scope.get().user_id
        if user_id is None:
            return ClosedQuerySet(self.model, using=self._db)
        return super().get_queryset().filter(user_id=user_id)
