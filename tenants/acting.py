"""Who is behind what happens now, for the audit log.

The doors say it once (`acting_as`), so that services need not hand it on; background work acts for the system.
Like the tenant's scope it lives in a context variable and follows `await` and threads started with a copied context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenants.models import ApiKey, EndUser, User


@dataclass(frozen=True, slots=True)
class Actor:
    """`kind` is user, key, staff, end_user or system; `id` is empty for the system."""

    kind: str
    id: str = ""
    label: str = ""


SYSTEM = Actor("system", label="Antecedent")
_actor: ContextVar[Actor] = ContextVar("antecedent_actor", default=SYSTEM)


def current_actor() -> Actor:
    return _actor.get()


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """What is changed inside is recorded as this actor's doing."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def user_actor(user: User) -> Actor:
    return Actor("user", str(user.pk), user.email)


def key_actor(key: ApiKey) -> Actor:
    return Actor("key", str(key.pk), str(key))


def end_user_actor(end_user: EndUser) -> Actor:
    return Actor("end_user", str(end_user.pk), str(end_user))
