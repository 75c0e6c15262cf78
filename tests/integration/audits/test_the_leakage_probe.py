"""The probes find nothing on a whole wall, and something wherever a lock that they lean on is broken."""

from __future__ import annotations

import logging

import pytest

from conversations.audits.isolation import ground
from conversations.audits.probing import KINDS, probed
from tests.broken_locks import broken

pytestmark = pytest.mark.django_db(transaction=True)

# The lock and the kinds of probe that must notice, with enough probes that each kind has some of every asker.
NOTICED = {
    "session_of_anybody": "session_id",
    "turn_of_anybody": "session_id",
    "cache_without_an_owner": "cache_and_events",
    "events_of_all_tenants": "cache_and_events",
    "passages_without_permission": "passage_id",
    "principal_of_everybody": "search",
}


def quiet(what: str, done: int, total: int) -> None:
    pass


@pytest.mark.takes(15)
def test_nothing_leaks_and_broken_locks_are_noticed(transactional_db, stack, caplog):
    with ground(application=None) as sides:
        report = probed(sides, 80, quiet)
        assert report["leaks"] == 0, report["evidence"]
        alarms = [record.getMessage() for record in caplog.records if record.levelno >= logging.CRITICAL]
        assert alarms == [], "a run on a whole wall wakes nobody"
        assert report["probes"] == 80 and all(report["by_kind"][kind]["probes"] for kind in KINDS)
        for lock, kind in NOTICED.items():
            with broken(lock, stack.superuser_database_url):
                found = probed(sides, 60, quiet, seed=3)
            assert found["by_kind"][kind]["leaks"], f"{lock} was not noticed"
            assert all("…" in word for leak in found["evidence"] for word in leak["words"])
