"""Changing the keys that secrets are sealed with: everything sealed anew with the newest one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from tenants.audit_chain import Head
from tenants.errors import SecretUnreadable
from tenants.models import (
    Algorithm,
    AuditHead,
    IdempotentRequest,
    IdentityKey,
    SignInProvider,
    TenantSecret,
    Webhook,
)
from tenants.sealing import mac, resealed
from tenants.selectors.audit import SEAL, is_sealed
from tenants.services.audit import audit_record

BATCH = 100


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """Where sealed values are: a column of the rows that meet the condition. Empty ones are not sealed."""

    model: Any
    field: str
    condition: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.model.__name__}.{self.field}"


SEALED = (
    SealedColumn(TenantSecret, "value", {}),
    SealedColumn(IdentityKey, "material", {"algorithm": Algorithm.HS256}),
    SealedColumn(SignInProvider, "client_secret", {}),
    SealedColumn(Webhook, "secret", {}),
    SealedColumn(Webhook, "previous_secret", {}),
    SealedColumn(IdempotentRequest, "body", {"body__isnull": False}),
)


@dataclass(frozen=True, slots=True)
class Rotation:
    """What a tenant's rotation did. `unreadable` names the rows that no key opens; they are left as they are."""

    resealed: int
    current: int
    unreadable: tuple[str, ...]


def secrets_rotate(*, report: Callable[[int], None] | None = None) -> Rotation:
    """Seal the current tenant's secrets and the end of its audit log with the newest key.

    Each value is changed on its own, and only if nobody changed it meanwhile: it can be stopped, run again and run
    twice at once, and what it has not come to yet is read with the key before. `report(values so far)` is called.
    """
    is_head_right = _reseal_head()
    done, resealed_count, unreadable = 0, 0, []
    for column in SEALED:
        for row_id, value in _values(column):
            try:
                resealed_count += _reseal(column, row_id, value)
            except SecretUnreadable:
                unreadable.append(f"{column} {row_id}")
            done += 1
            if report:
                report(done)
    if resealed_count:
        audit_record("secrets.rotated", resealed=resealed_count)
    current = done - resealed_count - len(unreadable)
    return Rotation(resealed_count, current, (*unreadable, *([] if is_head_right else ["AuditHead.seal"])))


def sealed_count() -> int:
    """How many sealed values the current tenant has."""
    return sum(_filled(column).count() for column in SEALED)


def _filled(column: SealedColumn) -> Any:
    return column.model.objects.filter(**column.condition).exclude(**{column.field: ""})


def _values(column: SealedColumn) -> Iterator[tuple[Any, str]]:
    rows = list(_filled(column).order_by("pk").values_list("pk", column.field)[:BATCH])
    while rows:
        yield from rows
        later = _filled(column).filter(pk__gt=rows[-1][0]).order_by("pk")
        rows = list(later.values_list("pk", column.field)[:BATCH])


def _reseal(column: SealedColumn, row_id: Any, value: str) -> bool:
    """Whether the value was sealed anew; one that somebody changed meanwhile has the newest key already."""
    fresh = resealed(value)
    if fresh == value:
        return False
    same = column.model.objects.filter(pk=row_id, **{column.field: value})
    return bool(same.update(**{column.field: fresh}))


@transaction.atomic
def _reseal_head() -> bool:
    """Whether the head's seal is right; a broken one is evidence and is never replaced."""
    head = AuditHead.objects.select_for_update().first()
    if head is None:
        return True
    if not is_sealed(head):
        return False
    head.seal = mac(SEAL, Head(head.seq, head.hash).message)
    head.save(update_fields=["seal"])
    return True
