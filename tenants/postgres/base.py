"""Django's PostgreSQL engine, plus the current scope in every transaction.

Row-level security compares each row with a transaction-local setting. This engine sets it by itself, for ORM
and raw cursors alike, so no caller can forget it; a connection that goes back to a pool (ours or a transaction
pooler's) carries nothing over, because the setting ends with its transaction. The driver stays in autocommit: a
transaction begins with its first statement, in one message with its scope.
"""

from __future__ import annotations

import select
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError
from django.db.backends.postgresql import base, operations
from django.db.backends.utils import debug_transaction  # type: ignore[attr-defined]
from psycopg.pq import TransactionStatus
from psycopg.types.json import Jsonb

from kernel.json import json_text
from tenants.scoping import NOBODY, Scope, current_scope

if TYPE_CHECKING:

    class _Transactions(base.DatabaseWrapper):
        """Methods of Django's engine that its type stubs leave out."""

        def _commit(self) -> Any: ...
        def _rollback(self) -> Any: ...
        def _savepoint_rollback(self, sid: str) -> None: ...
        def _close(self) -> Any: ...
        def _set_autocommit(self, autocommit: bool) -> None: ...
        @property
        def pool(self) -> Any: ...
else:
    _Transactions = base.DatabaseWrapper


class DatabaseOperations(operations.DatabaseOperations):
    """Django's, with quick JSON for columns that bring no encoder of their own."""

    def adapt_json_value(self, value: Any, encoder: Any) -> Any:
        return Jsonb(value, dumps=json_text) if encoder is None else super().adapt_json_value(value, encoder)


class DatabaseWrapper(_Transactions):
    ops_class = DatabaseOperations

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._applied: Scope | None = None
        self.execute_wrappers.append(self._within_scope)

    def get_new_connection(self, conn_params: Any) -> Any:
        """From the pool only what is still there: those that died with their server are replaced on the way."""
        connection = super().get_new_connection(conn_params)
        while self.pool and has_hung_up(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = super().get_new_connection(conn_params)
        return connection

    def _within_scope(
        self, execute: Callable[..., Any], query: Any, params: Any, many: bool, context: Any
    ) -> Any:
        scope = current_scope()
        if self.in_atomic_block:
            self._apply(scope)
            return execute(query, params, many, context)
        if scope == NOBODY:
            return execute(query, params, many, context)
        return self._in_own_transaction(scope, execute, query, params, many, context)

    def begin_in_scope(self) -> None:
        """What the first statement inside `atomic()` does by itself; for those that go past Django to the driver."""
        self._apply(current_scope())

    def _apply(self, scope: Scope) -> None:
        has_begun = self.connection.pgconn.transaction_status != TransactionStatus.IDLE
        wanted = self._applied != scope and not (self._applied is None and scope == NOBODY)
        if has_begun and not wanted:
            return
        self.validate_no_broken_transaction()
        parts = ([] if has_begun else ["begin"]) + ([_settings_sql(scope)] if wanted else [])
        self._send("; ".join(parts))
        self._applied = scope if wanted else self._applied

    def _in_own_transaction(self, scope: Scope, execute: Callable[..., Any], *call: Any) -> Any:
        """One statement outside `atomic()`: begin, set and query, commit; two round trips more than bare."""
        self._send(f"begin; {_settings_sql(scope)}")
        try:
            result = execute(*call)
        except BaseException:
            with suppress(DatabaseError):  # a lost connection has no transaction left to end
                self._send("rollback")
            raise
        self._send("commit")
        return result

    def _send(self, statement: str) -> None:
        with self.wrap_database_errors:
            self.connection.cursor().execute(statement)

    def _start_transaction_under_autocommit(self) -> None:
        """Django's way to say that a transaction is meant; nothing is sent before there is something to do."""
        with debug_transaction(self, "BEGIN"):
            pass

    def _set_autocommit(self, autocommit: bool) -> None:
        if self.connection.autocommit != autocommit:
            super()._set_autocommit(autocommit)

    # The setting ends with its transaction, and a rolled-back savepoint takes back what was set inside it.

    def _commit(self) -> Any:
        self._applied = None
        return super()._commit()

    def _rollback(self) -> Any:
        self._applied = None
        return super()._rollback()

    def _savepoint_rollback(self, sid: str) -> None:
        # Past our own wrapper: in a failed transaction nothing but the rollback itself may be sent.
        self._send(self.ops.savepoint_rollback_sql(sid))
        self._applied = _UNKNOWN

    def _close(self) -> Any:
        self._applied = None
        return super()._close()


_UNKNOWN = Scope(user_id=-1)


def has_hung_up(connection: Any) -> bool:
    """Whether the server has ended an idle connection: its end can be read. Asking the server takes a round trip."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _settings_sql(scope: Scope) -> str:
    """Literals are safe here: a UUID and an int, or empty. Citus passes `set local` on to the nodes, no `set_config`."""
    tenant = str(scope.tenant_id) if scope.tenant_id else ""
    user = str(int(scope.user_id)) if scope.user_id is not None else ""
    return f"set local antecedent.tenant_id = '{tenant}'; set local antecedent.user_id = '{user}'"
