"""What is used is counted once, whatever dies between counting and writing down."""

from __future__ import annotations

from datetime import timedelta

import pytest

from kernel.clock import now
from tenants import tasks
from tenants.adapters import shared_memory, usage_counts
from tenants.models import UsageDay
from tenants.scoping import no_scope, tenant_scope
from tenants.selectors.usage import usage_by_day, usage_of
from tenants.services import usage
from tenants.services.quotas import usage_add
from tenants.services.usage import usage_flush
from tests.integration.tenants.outages import at_once, valkey_out_of_reach

pytestmark = pytest.mark.django_db(transaction=True)


def today() -> dict[str, int]:
    return usage_of(since=now().date(), until=now().date())


def test_what_many_count_at_once_is_exact_after_the_flush(scoped):
    at_once(lambda _: usage_add("turns"), range(300))
    at_once(lambda _: usage_add("requests", 2), range(100))
    assert today() == {}
    usage_flush()
    assert today() == {"turns": 300, "requests": 200}


def test_flushing_at_once_and_again_counts_nothing_twice(scoped):
    for _ in range(3):
        usage_add("turns", 5)
        at_once(lambda _: usage_flush(), range(8))
        usage_flush()
    assert today() == {"turns": 15}


def test_counting_goes_on_while_it_is_written_down(scoped):
    def both(_):
        usage_add("turns")
        usage_flush()

    at_once(both, range(60))
    usage_flush()
    assert today() == {"turns": 60}


@pytest.mark.parametrize("dies", ["before it is written", "after it is written"])
def test_a_flush_that_dies_is_finished_by_the_next(scoped, monkeypatch, dies):
    usage_add("turns", 4)

    class Killed(BaseException):
        """Stands for `kill -9`."""

    def kill(*_):
        raise Killed

    with monkeypatch.context() as patched:
        if dies == "before it is written":
            patched.setattr(usage, "_write", kill)
        else:
            patched.setattr(usage_counts, "written", kill)
        with pytest.raises(Killed):
            usage_flush()
    usage_add("turns", 3)
    for _ in range(3):
        usage_flush()
    assert today() == {"turns": 7}


def test_a_valkey_that_has_lost_everything_costs_only_what_was_not_written_down(scoped):
    usage_add("turns", 5)
    usage_flush()
    usage_add("turns", 2)
    shared_memory.client().flushdb()
    usage_add("turns", 1)
    usage_flush()
    assert today() == {"turns": 6}


def test_without_valkey_it_is_counted_in_the_database(scoped, settings):
    usage_add("turns", 2)
    with valkey_out_of_reach(settings):
        usage_add("turns", 3)
        usage_add("requests", 1)
        assert usage_flush() == 0
    usage_flush()
    assert today() == {"turns": 5, "requests": 1}


def test_taking_back_is_counted_too(scoped):
    usage_add("turns", 3)
    usage_add("turns", -1)
    usage_flush()
    assert today() == {"turns": 2}


def test_the_rival_is_counted_apart_and_the_sweep_serves_both(tenant, rival):
    for who, n in ((tenant, 2), (rival, 9)):
        with tenant_scope(who.id):
            usage_add("turns", n)
    with no_scope():
        tasks.usage_sweep()
        tasks.usage_sweep()
    for who, n in ((tenant, 2), (rival, 9)):
        with tenant_scope(who.id):
            assert today() == {"turns": n}


def test_a_period_is_both_its_ends_and_what_is_between(scoped):
    day = now().date()
    for ago, n in ((0, 1), (1, 10), (2, 100), (3, 1000)):
        UsageDay.objects.create(day=day - timedelta(days=ago), metric="turns", value=n)
    assert usage_of(since=day - timedelta(days=2), until=day - timedelta(days=1)) == {"turns": 110}
    days = usage_by_day(since=day - timedelta(days=1), until=day, metric="turns")
    assert [row.value for row in days] == [10, 1]
