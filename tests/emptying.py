"""Emptying the test database after a test whose transactions were real.

`truncate` makes new files for each of seventy tables and their indexes, whether anything is in them or not: 60 ms of
processor time after each of 900 tests. Here only what holds rows is emptied, by the superuser, who passes the wall and
whom append-only tables obey.
"""

from __future__ import annotations

from typing import Any

import psycopg

# Rows that migrations made; everything else is a test's own and goes after it.
LASTING = ["django_migrations", "django_content_type", "auth_permission"]

# Locked first: what somebody still writes is waited for, as `truncate` would. Vectors are truncated: their index keeps
# what is deleted until it is vacuumed, and finds less meanwhile.
_EMPTY = """
do $$
declare
    wanted record;
    filled boolean;
begin
    execute (
        select 'lock table ' || string_agg(oid::regclass::text, ', ' order by relname) || ' in share row exclusive mode'
        from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and relname <> all ({lasting})
    );
    for wanted in
        select c.oid::regclass as called, c.relkind, s.objid::regclass as counter
        from pg_class c
        left join pg_depend s on s.refobjid = c.oid and s.classid = 'pg_class'::regclass and s.deptype in ('a', 'i')
            and exists (select from pg_class q where q.oid = s.objid and q.relkind = 'S')
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relname <> all ({lasting})
    loop
        execute format('select exists (select from %s)', wanted.called) into filled;
        if filled and wanted.relkind = 'p' then
            execute format('truncate %s', wanted.called);
        elsif filled then
            execute format('delete from %s', wanted.called);
        end if;
        if filled and wanted.counter is not null then
            perform setval(wanted.counter, 1, false);
        end if;
    end loop;
end $$
"""


class Emptier:
    """A connection that is kept, since a new one has to learn every table first."""

    def __init__(self) -> None:
        self.url = ""
        self._open: psycopg.Connection[Any] | None = None

    def __call__(self) -> None:
        try:
            self._empty()
        except psycopg.OperationalError:  # a test had its server restarted, or every connection ended
            self._open = None
            self._empty()

    def _empty(self) -> None:
        if self._open is None or self._open.closed:
            self._open = psycopg.connect(self.url, autocommit=True)
            # Neither references nor append-only triggers are asked: everything goes.
            self._open.execute("set session_replication_role = replica")
        self._open.execute(_EMPTY.format(lasting=f"array[{', '.join(map(repr, LASTING))}]"))

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
