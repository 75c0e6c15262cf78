"""Each lock of the wall, broken on purpose: a check that cannot fail is no check.

Never part of the product. In a source checkout `ANTECEDENT_BROKEN_LOCK=<name> manage.py isolation_selftest` breaks one
for the length of the command, and the command must find it; the tests break each in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch
from uuid import UUID

import psycopg
import valkey
from django.conf import settings
from django.db import connection, models

from conversations.adapters import event_log, session_cache
from conversations.errors import SessionNotFound, TurnNotFound
from conversations.models import Session, Turn
from tenants import scoping
from tenants.postgres import base as engine
from tenants.postgres.statements import Statement, named
from tenants.tasks import TenantTask

Break = Callable[[str], AbstractContextManager[Any]]


@contextmanager
def _as_superuser(url: str, broken: str, mended: str) -> Iterator[None]:
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(broken)
        try:
            yield
        finally:
            connection.close()
            server.execute(mended)


def open_manager(url: str) -> Any:
    """The manager hands out rows without a scope."""
    return patch.object(
        scoping.TenantManager, "get_queryset", lambda self: models.QuerySet(self.model, using=self._db)
    )


def wall_off_one_table(url: str) -> Any:
    table = "conversations_turn"
    return _as_superuser(
        url,
        f"alter table {table} disable row level security",
        f"alter table {table} enable row level security",
    )


def wall_not_forced(url: str) -> Any:
    """The role that serves owns the tables: without FORCE it is not bound."""
    table = "retrieval_chunk"
    return _as_superuser(
        url,
        f"alter table {table} no force row level security",
        f"alter table {table} force row level security",
    )


def wall_off_a_partition(url: str) -> Any:
    table = "retrieval_chunkembedding_shared"
    return _as_superuser(
        url,
        f"alter table {table} disable row level security",
        f"alter table {table} enable row level security",
    )


def role_that_bypasses(url: str) -> Any:
    return _as_superuser(url, f"alter role {_role()} bypassrls", f"alter role {_role()} nobypassrls")


@contextmanager
def setting_outlives_the_transaction(url: str) -> Iterator[None]:
    whole = engine._settings_sql

    def lasting(scope: Any) -> str:
        words = whole(scope).replace("set local ", "set ")
        assert words != whole(scope), "nothing was broken"
        return words

    with patch.object(engine, "_settings_sql", lasting):
        yield
    connection.close()  # what was set on it would stay


def reference_by_id_alone(url: str) -> Any:
    name = "tenants_enduseraudience_audience_id_same_tenant"
    return _as_superuser(
        url,
        f"alter table tenants_enduseraudience drop constraint {name}",
        f"alter table tenants_enduseraudience add constraint {name} foreign key (tenant_id, audience_id)"
        " references tenants_audience (tenant_id, id) on delete cascade deferrable initially deferred",
    )


@contextmanager
def scope_of_the_process(url: str) -> Iterator[None]:
    """The scope is a global variable instead of a context's."""

    class Everybodys:
        value = scoping.NOBODY

        def get(self) -> Any:
            return self.value

        def set(self, scope: Any) -> Any:
            before, self.value = self.value, scope
            return before

        def reset(self, before: Any) -> None:
            self.value = before

    with patch.object(scoping, "_scope", Everybodys()):
        yield


@contextmanager
def task_leaves_its_scope(url: str) -> Iterator[None]:
    def call(self: Any, tenant_id: str, *args: Any, **kwargs: Any) -> Any:
        scoping._scope.set(scoping.Scope(tenant_id=UUID(tenant_id)))
        return super(TenantTask, self).__call__(tenant_id, *args, **kwargs)

    before = scoping._scope.get()
    with patch.object(TenantTask, "__call__", call):
        yield
    scoping._scope.set(before)


@contextmanager
def session_of_anybody(url: str) -> Iterator[None]:
    """A session is found by its id, whoever asks."""
    from conversations.services import turns

    mine = "and s.end_user_id = %(end_user_id)s::uuid"
    hold, store = named("conversations", "session_hold"), named("conversations", "turn_store")
    assert mine in hold and mine in store

    def access(*, session_id: Any, end_user_id: Any) -> Any:
        session = Session.objects.filter(pk=session_id).first()
        if session is None:
            raise SessionNotFound
        return session

    with (
        _everywhere("access_session", access),
        patch.object(turns, "_HOLD", Statement(hold.replace(mine, ""))),
        patch.object(turns, "_STORE", Statement(store.replace(mine, ""))),
    ):
        yield


def turn_of_anybody(url: str) -> Any:
    def access(*, turn_id: Any, end_user_id: Any) -> Any:
        turn = Turn.objects.filter(pk=turn_id).first()
        if turn is None:
            raise TurnNotFound
        return turn

    return _everywhere("access_turn", access)


@contextmanager
def cache_without_an_owner(url: str) -> Iterator[None]:
    """Hot copies are found by the session's id alone, those that are there included."""
    with valkey.Valkey.from_url(settings.VALKEY_URL, decode_responses=True) as server:
        for key in list(server.scan_iter("antecedent:*:state:*")):
            shared = f"state:{key.split(':')[2].rstrip('}')}"
            server.copy(key, shared, replace=True)
            server.hset(shared, "owner", "everybody")
    with (
        patch.object(session_cache, "_key", lambda end_user_id, session_id: f"state:{session_id}"),
        patch.object(session_cache, "_owner", lambda end_user_id, session_id: "everybody"),
    ):
        yield


def bell_of_all_tenants(url: str) -> Any:
    return patch(
        "conversations.audits.isolation.caches.group_of", lambda session_id: f"session.{session_id.hex}"
    )


@contextmanager
def events_of_all_tenants(url: str) -> Iterator[None]:
    """Events are found by the session's id alone, those that are there included."""
    with valkey.Valkey.from_url(settings.VALKEY_URL, decode_responses=True) as server:
        for key in list(server.scan_iter("antecedent:*:events")):
            server.copy(key, f"{key.split(':')[2].rstrip('}')}:events", replace=True)

    class Open(event_log.EventLog):
        def __init__(self, session_id: Any, *, floor: int = 0) -> None:
            super().__init__(session_id, floor=floor)
            self.keys = (f"{session_id}:events", f"{session_id}:seq")

    with _everywhere("EventLog", Open):
        yield


def search_for_anybody(url: str) -> Any:
    """Everybody searches with the eyes of an admin."""
    from conversations.audits.isolation import searching

    def principal(*, tenant_id: Any, user: Any, end_user: Any) -> Any:
        return searching.Principal(tenant_id, sees_all=True)

    return patch.object(searching, "principal_for", principal)


def principal_of_everybody(url: str) -> Any:
    """Every asker holds the grants of an admin, in turns, searches and probes alike."""
    from tenants.access import Principal
    from tenants.selectors import people

    asked = people.principal_asked

    def admin(*, tenant_id: Any, user_id: Any, end_user_id: Any) -> Any:
        mine = asked(tenant_id=tenant_id, user_id=user_id, end_user_id=end_user_id)
        return replace(mine, read=lambda rows: Principal(tenant_id, sees_all=True))

    return _everywhere("principal_asked", admin)


@contextmanager
def passages_without_permission(url: str) -> Iterator[None]:
    from retrieval import selectors

    everything = {
        "documents_visible_to": lambda principal: selectors.Document.objects.all(),
        "passages_visible": lambda chunk_ids, principal: frozenset(chunk_ids),
    }
    with patch.multiple(selectors, **everything):
        yield


def nearness_without_permission(url: str) -> Any:
    """A message is compared with passages as if an admin had sent it."""
    from retrieval.adapters.pgvector import comparing
    from tenants.access import Principal

    def open_to_all(layouts: Any, *, whole: Any = comparing.nearness, **values: Any) -> Any:
        return whole(layouts, **{**values, "principal": Principal(values["tenant_id"], sees_all=True)})

    return patch.object(comparing, "nearness", open_to_all)


def socket_without_a_check(url: str) -> Any:
    """The socket believes a device token that nobody signed for this tenant."""
    from conversations.identity import Asker
    from tenants.models import EndUser

    def asker(scope: Any) -> Any:
        return Asker(scope["tenant"], EndUser.objects.order_by("created_at")[0], None)

    return patch("conversations.consumers.asker_of_scope", asker)


# Which trials must notice what. A lock that several trials watch is named with the plainest of them.
LOCKS: dict[str, tuple[Break, str]] = {
    "open_manager": (open_manager, "no scope: every model refuses"),
    "wall_off_one_table": (wall_off_one_table, "no scope: raw SQL finds nothing"),
    "wall_not_forced": (wall_not_forced, "no scope: raw SQL finds nothing"),
    "wall_off_a_partition": (wall_off_a_partition, "every tenant table has its wall, forced"),
    "role_that_bypasses": (role_that_bypasses, "the serving role is bound by row-level security"),
    "setting_outlives_the_transaction": (
        setting_outlives_the_transaction,
        "a statement's tenant ends with its transaction",
    ),
    "reference_by_id_alone": (reference_by_id_alone, "no reference leads into another tenant"),
    "scope_of_the_process": (scope_of_the_process, "a new thread starts without a scope"),
    "task_leaves_its_scope": (task_leaves_its_scope, "a task of one tenant does nothing with another's ids"),
    "session_of_anybody": (
        session_of_anybody,
        "a socket of another person of the same tenant reaches no conversation",
    ),
    "turn_of_anybody": (
        turn_of_anybody,
        "a socket of another person of the same tenant reaches no conversation",
    ),
    "cache_without_an_owner": (
        cache_without_an_owner,
        "a guessed cache key opens no conversation of another tenant or person",
    ),
    "bell_of_all_tenants": (
        bell_of_all_tenants,
        "events of a conversation are heard in its own tenant only",
    ),
    "events_of_all_tenants": (
        events_of_all_tenants,
        "events of a conversation are heard in its own tenant only",
    ),
    "search_for_anybody": (
        search_for_anybody,
        "search finds nothing restricted for somebody of the same tenant",
    ),
    "principal_of_everybody": (
        principal_of_everybody,
        "search finds nothing restricted for somebody of the same tenant",
    ),
    "passages_without_permission": (
        passages_without_permission,
        "a citation of a restricted passage opens nothing without a grant",
    ),
    "nearness_without_permission": (
        nearness_without_permission,
        "how near a message comes is told of no passage out of sight",
    ),
    "socket_without_a_check": (
        socket_without_a_check,
        "a socket with another tenant's token reaches no conversation",
    ),
}


def broken(name: str, superuser_url: str) -> AbstractContextManager[Any]:
    """The lock of this name, broken for as long as the block runs."""
    breaking, _ = LOCKS[name]
    return breaking(superuser_url)


def _role() -> str:
    return connection.ops.quote_name(connection.settings_dict["USER"])


@contextmanager
def _all(*patches: Any) -> Iterator[None]:
    with ExitStack() as stack:
        for one in patches:
            stack.enter_context(one)
        yield


def _everywhere(name: str, replacement: Any) -> Any:
    """Replaced in every module of the product that has imported it."""
    places = [
        module
        for key, module in list(sys.modules.items())
        if key.split(".")[0] in {"conversations", "tenants", "retrieval"} and hasattr(module, name)
    ]
    return _all(*(patch.object(module, name, replacement) for module in places))
