"""Who is behind what happens now, for the audit log.

The doors say it once (`acting_as`), so that services need not hand it on; background work acts for the system.
Like the tenant's scope it lives in a context variable and follows `await` and threads started with a copied context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
VISITOR = Actor("end_user", label="Somebody not signed in")
_actor: ContextVar[Actor | Callable[[], Actor]] = ContextVar("antecedent_actor", default=SYSTEM)


def current_actor() -> Actor:
    actor = _actor.get()
    return actor if isinstance(actor, Actor) else actor()


@contextmanager
def acting_as(actor: Actor | Callable[[], Actor]) -> Iterator[None]:
    """What is changed inside is recorded as this actor's doing; a callable is asked only if something is."""
    token = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(token)


def or_else(actor: Actor) -> Callable[[], Actor]:
    """Whoever acts already if that is somebody in particular, else this one: `acting_as(or_else(…))`."""
    said = _actor.get()

    def chosen() -> Actor:
        known = said if isinstance(said, Actor) else said()
        return known if known.id else actor

    return chosen


def user_actor(user: User) -> Actor:
    return Actor("user", str(user.pk), user.email)


def staff_actor(user: User) -> Actor:
    return Actor("staff", str(user.pk), user.email)


def key_actor(key: ApiKey) -> Actor:
    return Actor("key", str(key.pk), str(key))


def end_user_actor(end_user: EndUser) -> Actor:
    return Actor("end_user", str(end_user.pk), str(end_user))
