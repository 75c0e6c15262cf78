"""Connections go back to a pool and come out of it alive, or are replaced without anybody noticing."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

import pytest
from django.db import connection

from tenants.postgres.base import DatabaseWrapper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def pooled() -> Iterator[DatabaseWrapper]:
    settings = deepcopy(connection.settings_dict)
    settings["OPTIONS"]["pool"] = {"min_size": 2, "max_size": 2, "timeout": 5}
    wrapper = DatabaseWrapper(settings, alias="pooled")
    try:
        yield wrapper
    finally:
        wrapper.close()
        wrapper.close_pool()


def backend(wrapper: DatabaseWrapper) -> int:
    """The server process behind the connection that the pool hands out now."""
    with wrapper.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        pid: int = cursor.fetchone()[0]
    wrapper.close()
    return pid


def end(*pids: int) -> None:
    with connection.cursor() as cursor:
        for pid in pids:
            cursor.execute("select pg_terminate_backend(%s, 5000)", [pid])


def test_a_connection_comes_back(pooled):
    served = {backend(pooled) for _ in range(8)}
    assert 1 <= len(served) <= 2


def test_those_that_the_server_ended_are_replaced_before_anybody_gets_them(pooled):
    before = {backend(pooled) for _ in range(8)}
    end(*before)
    after = {backend(pooled) for _ in range(8)}
    assert after and not before & after
