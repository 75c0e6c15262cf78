"""Conversations are kept as long as their tenant says, and not longer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import timedelta

import pytest
from django.db import connections

from conversations import tasks
from conversations.models import DeletionReceipt, Session, Turn
from conversations.services import retention
from conversations.services.leases import lease_acquire
from conversations.services.retention import sessions_purge
from conversations.services.sessions import session_end
from conversations.wiring import run_apart
from kernel.clock import now
from kernel.errors import DomainError
from tenants.models import Tenant
from tenants.scoping import no_scope, tenant_scope
from tenants.services import retention_set
from tests.integration.memory.conftest import Person


def keep(tenant, mode, days=None):
    retention_set(tenant_id=tenant.id, mode=mode, days=days)


def purge(tenant, **more):
    return run_apart(sessions_purge(tenant_id=tenant.id, **more))


def silent_for(session_id, **ago):
    """The last message and the last answer were so long ago."""
    moment = now() - timedelta(**ago)
    Session.objects.filter(pk=session_id).update(updated_at=moment, last_turn_at=moment)


def left():
    return list(Session.objects.order_by("created_at").values_list("pk", flat=True))


def test_keeping_deletes_nothing_however_old(person, tenant):
    session_id = person.asks("Where is the map room?").session_id
    silent_for(session_id, days=4000)
    assert purge(tenant) == 0 and left() == [session_id]


def test_days_count_from_the_last_activity(person, tenant):
    keep(tenant, "days", 30)
    old, young = (person.asks(text).session_id for text in ("Where is the map room?", "When do you open?"))
    silent_for(old, days=30, seconds=5)
    silent_for(young, days=29, hours=23)
    assert purge(tenant) == 1 and left() == [young]
    assert DeletionReceipt.objects.get().reason == "age"


def test_an_answer_that_came_late_counts_as_activity(person, tenant):
    keep(tenant, "days", 30)
    session_id = person.asks("Where is the map room?").session_id
    Session.objects.update(updated_at=now() - timedelta(days=31))
    assert purge(tenant) == 0 and left() == [session_id]


def test_keeping_none_deletes_what_the_person_has_left_for_a_new_conversation(person, tenant):
    keep(tenant, "none")
    first = person.asks("Where is the map room?").session_id
    assert purge(tenant) == 0
    second = person.asks("When do you open?").session_id
    other = Person("two").asks("Is there a lift?").session_id
    assert purge(tenant) == 1 and left() == [second, other] and first not in left()
    assert DeletionReceipt.objects.get().reason == "session_end"


def test_keeping_none_deletes_what_has_been_idle_for_half_an_hour(person, tenant):
    keep(tenant, "none")
    session_id = person.asks("Where is the map room?").session_id
    silent_for(session_id, minutes=29)
    assert purge(tenant) == 0
    silent_for(session_id, minutes=31)
    assert purge(tenant) == 1 and left() == []


def test_keeping_none_deletes_what_the_person_has_ended(person, tenant):
    keep(tenant, "none")
    session_id = person.asks("Where is the map room?").session_id
    session_end(session_id=session_id, end_user_id=person.id)
    assert purge(tenant) == 1


def test_going_on_in_an_earlier_conversation_takes_it_back(person, tenant):
    keep(tenant, "none")
    first = person.asks("Where is the map room?").session_id
    second = person.asks("When do you open?").session_id
    person.asks("And is it far?", first)
    assert purge(tenant) == 0 and left() == [first, second]


@pytest.mark.parametrize("mode", ["none", "days"])
def test_nothing_is_deleted_in_which_somebody_works(person, tenant, mode):
    keep(tenant, mode, 1)
    waiting = person.says("Where is the map room?").session_id
    answering = person.asks("When do you open?").session_id
    lease_acquire(session_id=answering)
    for session_id in (waiting, answering):
        silent_for(session_id, days=9)
    assert purge(tenant) == 0 and left() == [waiting, answering]


def test_a_message_that_comes_while_the_purge_runs_saves_its_conversation(person, tenant, monkeypatch):
    keep(tenant, "days", 1)
    session_id = person.asks("Where is the map room?").session_id
    silent_for(session_id, days=2)
    original = retention._some

    def then_a_message(*given):
        found = original(*given)
        person.says("And is it far?", session_id)
        return found

    monkeypatch.setattr(retention, "_some", then_a_message)
    assert purge(tenant) == 0 and Turn.objects.count() == 2


def test_it_works_in_batches_until_nothing_is_due(person, tenant):
    keep(tenant, "days", 1)
    for number in range(7):
        silent_for(person.asks(f"Where is room {number}?").session_id, days=2)
    assert purge(tenant, batch=3) == 7 and left() == []
    assert [receipt.counts["Session"] for receipt in DeletionReceipt.objects.order_by("created_at")] == [
        3,
        3,
        1,
    ]
    assert purge(tenant) == 0 and DeletionReceipt.objects.count() == 3


def test_two_purges_at_once_delete_each_conversation_once(person, tenant):
    keep(tenant, "days", 1)
    for number in range(6):
        silent_for(person.asks(f"Where is room {number}?").session_id, days=2)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(copy_context().run, purge, tenant, batch=2) for _ in range(2)]
        assert sum(run.result() for run in runs) == 6
        [pool.submit(connections.close_all) for _ in range(4)]
    assert sum(receipt.counts["Session"] for receipt in DeletionReceipt.objects.all()) == 6


def test_while_valkey_is_away_nothing_is_purged_that_could_stay_there(person, tenant, monkeypatch, settings):
    keep(tenant, "days", 1)
    session_id = person.asks("Where is the map room?").session_id
    silent_for(session_id, days=2)
    with monkeypatch.context() as patch:
        patch.setattr(settings, "VALKEY_URL", "redis://127.0.0.1:1/0")
        assert purge(tenant) == 0
    assert left() == [session_id] and purge(tenant) == 1


def test_the_rivals_conversations_are_the_rivals(person, tenant, rival, their_person):
    keep(tenant, "days", 1)
    with tenant_scope(rival.id):
        theirs = their_person.asks("Where is the map room?").session_id
        silent_for(theirs, days=99)
    silent_for(person.asks("Where is the map room?").session_id, days=99)
    assert purge(tenant) == 1
    with tenant_scope(rival.id):
        assert left() == [theirs] and not DeletionReceipt.objects.exists()


def test_the_sweep_goes_to_every_tenant_that_deletes_suspended_ones_too(tenant, rival, monkeypatch):
    sent = []
    monkeypatch.setattr(tasks.tenant_purge, "delay", sent.append)
    tasks.retention_sweep()
    assert sent == []
    keep(tenant, "none")
    keep(rival, "days", 7)
    Tenant.objects.filter(pk=rival.pk).update(suspended_at=now())
    tasks.retention_sweep()
    assert sorted(sent) == sorted([str(tenant.id), str(rival.id)])


def test_the_task_purges_inside_its_tenant(person, tenant):
    keep(tenant, "none")
    silent_for(person.asks("Where is the map room?").session_id, hours=1)
    with no_scope():
        tasks.tenant_purge(str(tenant.id))
    assert left() == []


@pytest.mark.parametrize(("mode", "days"), [("forever", None), ("days", None), ("days", 0), ("days", 3651)])
def test_a_retention_that_makes_no_sense_is_refused(tenant, mode, days):
    with pytest.raises(DomainError) as refusal:
        retention_set(tenant_id=tenant.id, mode=mode, days=days)
    assert refusal.value.code == "invalid"
    tenant.refresh_from_db()
    assert tenant.retention == "keep"
