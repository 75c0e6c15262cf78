"""Whoever has had the least is served next, and nothing is lost with the line."""

from __future__ import annotations

import logging
from collections import Counter
from uuid import UUID, uuid4

import pytest
from django.conf import settings as settings_module

from tenants.adapters import fair_line, shared_memory
from tenants.adapters.fair_line import MESSAGES, FairLine
from tenants.scoping import current_tenant_id, no_scope
from tenants.services import fairness
from tenants.services.fairness import FairWork
from tests.integration.tenants.outages import at_once, valkey_out_of_reach


class Desk:
    """Work that waits by tenant, as rows do in the database, and the messages on their way to the workers."""

    def __init__(self, name: str = "") -> None:
        self.waiting: Counter[UUID] = Counter()
        self.served: list[UUID] = []
        self.messages: list[str] = []
        self.later: list[tuple[UUID, float]] = []
        self.answer = None
        self.work = FairWork(
            name or f"desk-{uuid4()}",
            send=self.messages.append,
            serve=self.serve,
            wake_later=lambda name, tenant, seconds: self.later.append((tenant, seconds)),
        )

    def add(self, tenant: UUID, pieces: int = 1) -> None:
        for _ in range(pieces):
            self.waiting[tenant] += 1
            self.work.wake(tenant)

    def serve(self) -> float | None:
        tenant = current_tenant_id()
        if self.answer is not None:
            return self.answer()
        if not self.waiting[tenant]:
            return None
        self.waiting[tenant] -= 1
        self.served.append(tenant)
        return 0 if self.waiting[tenant] else None

    def run(self) -> None:
        """What workers do until no message is on its way."""
        while self.messages:
            self.work.work(self.messages.pop(0))


@pytest.fixture
def desk(django_db_modify_db_settings, settings, monkeypatch):
    monkeypatch.setattr(fairness, "_kinds", {})
    return Desk()


A, B, C = uuid4(), uuid4(), uuid4()


def test_a_backlog_of_one_does_not_delay_another(desk):
    desk.add(A, 300)
    desk.add(B)
    with no_scope():
        desk.run()
    assert desk.served.index(B) <= 1
    assert Counter(desk.served) == {A: 300, B: 1}


def test_equal_backlogs_take_turns(desk, monkeypatch):
    monkeypatch.setattr(fair_line, "QUANTUM", 0.0)
    monkeypatch.setattr(fairness.time, "monotonic", steps(0.01))
    for tenant in (A, B, C):
        desk.add(tenant, 30)
    desk.run()
    for start in range(0, 90, 3):
        assert set(desk.served[start : start + 3]) == {A, B, C}


def steps(size: float):
    """A clock on which every look is a little later than the one before."""
    moment = [0.0]

    def look() -> float:
        moment[0] += size
        return moment[0]

    return look


def test_who_comes_late_gets_no_advance_for_having_rested(desk, monkeypatch):
    monkeypatch.setattr(fair_line, "QUANTUM", 0.0)
    monkeypatch.setattr(fairness.time, "monotonic", steps(0.01))
    desk.add(A, 200)
    while len(desk.served) < 100:
        desk.work.work(desk.messages.pop(0))
    before = len(desk.served)
    desk.add(B, 50)
    desk.run()
    mixed = desk.served[before : before + 40]
    assert 18 <= mixed.count(B) <= 22


def test_work_that_takes_longer_counts_for_more(desk, monkeypatch):
    monkeypatch.setattr(fair_line, "QUANTUM", 0.0)
    clock = [0.0]
    monkeypatch.setattr(fairness.time, "monotonic", lambda: clock[0])
    plain = desk.serve

    def slow_for_a():
        clock[0] += 0.4 if current_tenant_id() == A else 0.1
        return plain()

    desk.work._serve = slow_for_a
    desk.add(A, 30)
    desk.add(B, 120)
    desk.run()
    first = Counter(desk.served[:100])
    assert 17 <= first[A] <= 23


def test_thousands_of_pieces_are_a_few_messages(desk):
    desk.add(A, 500)
    desk.add(B, 500)
    assert len(desk.messages) == MESSAGES


def test_workers_that_come_free_are_told_while_there_is_work(desk):
    """One message becomes more while they are being worked off, so that every worker joins in."""
    desk.add(A)
    first = desk.messages.pop()
    desk.messages.clear()
    sent = []

    def busy():
        sent.append(len(desk.messages))
        return None

    desk.answer = busy
    desk.work.work(first)
    assert sent == [MESSAGES - 1]


def test_lost_messages_are_replaced_when_their_time_is_over(desk):
    desk.add(A)
    desk.add(A)
    lost = desk.messages.copy()
    desk.messages.clear()
    desk.add(A)
    assert (len(lost), desk.messages) == (MESSAGES, [])
    client = shared_memory.client()
    client.zadd(desk.work._line._keys[3], dict.fromkeys(lost, 0))
    desk.add(A)
    desk.run()
    assert desk.waiting[A] == 0


def test_a_message_that_comes_twice_does_nothing_twice(desk):
    desk.add(A, 3)
    message = desk.messages[0]
    desk.run()
    desk.work.work(message)
    assert desk.served == [A, A, A]


def test_a_line_that_is_lost_is_back_with_the_sweep(desk):
    desk.add(A, 5)
    shared_memory.client().flushdb()
    desk.run()
    assert desk.waiting[A] == 5
    desk.work.wake(A)  # what the sweep does
    desk.run()
    assert desk.waiting[A] == 0


def test_work_that_comes_while_the_last_is_done_is_not_forgotten(desk):
    """The tenant was found without more work; before it leaves the line, new work joins."""
    line = FairLine(f"race-{uuid4()}")
    line.join(A)
    called = line.call()
    line.join(A)
    line.leave(called)
    again = line.call()
    assert again is not None and again.tenant_id == A
    line.leave(called)
    assert line.call() is not None
    line.leave(line.call())
    assert line.call() is None


def test_who_leaves_twice_takes_nobody_out_who_has_come_again(desk):
    line = FairLine(f"twice-{uuid4()}")
    line.join(A)
    first, second = line.call(), line.call()
    line.leave(first)
    line.join(A)
    line.leave(second)
    assert line.call() is not None


def test_a_failing_piece_stops_neither_the_others_nor_its_tenant(desk, caplog):
    def broken():
        if current_tenant_id() == A:
            raise RuntimeError("a bug")
        desk.served.append(current_tenant_id())

    desk.answer = broken
    with caplog.at_level(logging.ERROR):
        desk.add(A)
        desk.add(B)
        desk.run()
    assert desk.served == [B]
    assert [tenant for tenant, _ in desk.later] == [A]
    assert f"of tenant {A} failed" in caplog.text


def test_what_is_due_later_is_promised_once(desk):
    desk.answer = lambda: 7.5
    for _ in range(3):
        desk.work.wake(A)
        desk.run()
    assert desk.later == [(A, 7.5)]


def test_what_is_due_sooner_than_was_promised_is_promised_anew(desk):
    for seconds in (30.0, 5.0, 20.0):
        desk.answer = lambda seconds=seconds: seconds
        desk.add(A)
        desk.run()
    assert desk.later == [(A, 30.0), (A, 5.0)]


def test_many_workers_do_every_piece_once(desk):
    """The twin of the database hands every piece out once; the line must call often enough for all of them."""
    for tenant in (A, B, C):
        desk.add(tenant, 100)
    at_once(lambda _: desk.work.work(""), range(8))
    desk.run()
    assert Counter(desk.served) == {A: 100, B: 100, C: 100}


def test_a_worker_that_finds_the_only_piece_taken_does_not_end_the_tenants_turn(desk):
    taken = []

    def one_worker_at_a_time():
        if taken:
            return None
        taken.append(True)
        at_once(lambda _: desk.work.work(""), range(1))  # another worker looks in meanwhile
        taken.clear()
        desk.served.append(A)
        return 0 if len(desk.served) < 3 else None

    desk.answer = one_worker_at_a_time
    desk.add(A)
    desk.run()
    assert desk.served == [A, A, A]


def test_without_valkey_nothing_is_raised_and_the_sweep_is_named(desk, settings, caplog):
    with valkey_out_of_reach(settings), caplog.at_level(logging.WARNING):
        desk.add(A)
    assert "wait for the next sweep" in caplog.text


def test_a_worker_that_loses_valkey_at_its_work_ends_well_and_the_sweep_goes_on(desk, settings, caplog):
    def lose_valkey():
        outage.__enter__()
        desk.served.append(A)
        return 0

    outage = valkey_out_of_reach(settings)
    desk.answer = lose_valkey
    desk.add(A)
    with caplog.at_level(logging.WARNING):
        desk.run()
    assert "go on with the next sweep" in caplog.text
    assert desk.served == [A]
    outage.__exit__(None, None, None)
    desk.answer = None
    desk.add(A)
    desk.run()
    assert desk.waiting[A] == 0


def test_a_sweep_finds_room_for_a_message_after_those_before_were_lost():
    beats = settings_module.CELERY_BEAT_SCHEDULE
    sweeps = [beats[f"{name}-sweep"]["schedule"] for name in ("documents", "webhooks", "data", "evaluation")]
    assert min(sweeps) > fair_line.MESSAGE_SECONDS


def test_without_a_broker_nothing_is_raised_and_the_message_is_not_missed(desk, caplog):
    def away(message):
        raise ConnectionError("no broker")

    desk.work._send = away
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            desk.add(A)
    assert "no worker could be told" in caplog.text
    desk.work._send = desk.messages.append
    desk.add(A)
    assert desk.messages


def test_unknown_work_waits_for_the_sweep(desk):
    fairness.wake("nothing of the kind", A)
    fairness.wake(desk.work.name, B)
    assert len(desk.messages) == 1
