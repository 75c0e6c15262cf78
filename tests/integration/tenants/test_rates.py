"""A rate lets exactly as many through as it says, whoever asks at once."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from tenants.errors import TooManyRequests
from tenants.scoping import tenant_scope
from tenants.services.rates import rate_check, waiting_time
from tests.integration.tenants.outages import valkey_out_of_reach

HOUR = 3600


def passes(subject: str = "ward", limit: int = 3, per_seconds: int = HOUR, cost: int = 1) -> bool:
    try:
        rate_check(subject=subject, limit=limit, per_seconds=per_seconds, cost=cost)
    except TooManyRequests:
        return False
    return True


@pytest.mark.parametrize("limit", [1, 7, 60])
def test_of_two_hundred_at_once_exactly_the_limit_passes(scoped, limit):
    with ThreadPoolExecutor(32) as pool:
        runs = [pool.submit(copy_context().run, passes, limit=limit) for _ in range(200)]
        assert sum(run.result() for run in runs) == limit


def test_the_rival_has_a_limit_of_its_own(scoped, rival):
    assert [passes() for _ in range(4)] == [True, True, True, False]
    with tenant_scope(rival.id):
        assert passes()


def test_each_subject_has_a_limit_of_its_own(scoped):
    assert [passes("a", 1), passes("a", 1), passes("b", 1)] == [True, False, True]


def test_a_refusal_says_how_long_to_wait_and_costs_nothing(scoped):
    for _ in range(3):
        rate_check(subject="desk", limit=3, per_seconds=HOUR)
    waits = []
    for _ in range(3):
        with pytest.raises(TooManyRequests) as refused:
            rate_check(subject="desk", limit=3, per_seconds=HOUR)
        waits.append(refused.value.extra["retry_after"])
    # One of three an hour comes back after a third of it; asking again does not push it further away.
    assert HOUR // 3 - 60 < waits[-1] <= waits[0] <= HOUR // 3
    assert refused.value.http_status == 429 and refused.value.retryable
    assert refused.value.extra["limit"] == 3
    assert "try again in 20 minutes" in refused.value.message


def test_what_was_used_comes_back_with_time(scoped):
    assert [passes(limit=2, per_seconds=1) for _ in range(3)] == [True, True, False]
    time.sleep(1.1)
    assert [passes(limit=2, per_seconds=1) for _ in range(2)] == [True, True]


def test_a_cost_counts_as_so_many(scoped):
    assert [passes(limit=5, cost=3), passes(limit=5, cost=3), passes(limit=5, cost=2)] == [True, False, True]


def test_a_cost_above_the_limit_takes_all_of_it_and_not_forever(scoped):
    assert [passes(limit=2, cost=9), passes(limit=2)] == [True, False]


def test_a_limit_of_nothing_lets_nothing_through(scoped):
    assert not passes(limit=0)


def test_without_valkey_everybody_passes_and_the_log_says_so(scoped, settings, caplog):
    with valkey_out_of_reach(settings), caplog.at_level(logging.WARNING):
        assert all(passes(limit=1) for _ in range(3))
    assert "the rate of ward was not checked" in caplog.text


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 second"),
        (59, "59 seconds"),
        (90, "90 seconds"),
        (121, "3 minutes"),
        (7200, "2 hours"),
        (200_000, "3 days"),
    ],
)
def test_waiting_is_said_as_people_say_it(seconds, said):
    assert waiting_time(seconds) == said
