"""The hot copy of a session saves time. Whatever happens to it, the conversation goes on as it was."""

from __future__ import annotations

import asyncio
import random
from uuid import uuid4

import pytest

from conversations.adapters import event_log, session_cache
from conversations.models import SessionState
from conversations.services import live_turn
from conversations.services.answering import load_state
from conversations.wiring import run_apart
from tenants.scoping import tenant_scope
from tests.integration.memory.conftest import Person


def load(person, session_id):
    return run_apart(session_cache.load(end_user_id=person.id, session_id=session_id))


def save(person, session_id, data):
    return run_apart(session_cache.save(end_user_id=person.id, session_id=session_id, data=data))


def keys():
    async def read():
        return await event_log.client().keys("*:state:*")

    return run_apart(read())


def loaded(turn):
    states = SessionState.objects.filter(session=turn.session_id)
    version = states.values_list("version", flat=True).first() or 0
    return run_apart(load_state(turn, version, load(turn.session.end_user, turn.session_id)))


@pytest.fixture
def talk(person):
    session_id = person.asks("Where is the children's library?").session_id
    return person.asks("When does it open?", session_id)


def test_it_is_kept_under_tenant_session_and_person_for_two_hours(talk, person, tenant):
    async def life(key):
        return await event_log.client().ttl(key)

    key = f"antecedent:{{{tenant.id}:{talk.session_id}}}:state:{person.id}"
    assert key in keys()
    assert 7100 < run_apart(life(key)) <= 7200


def test_a_slow_writer_does_not_replace_a_newer_copy(talk, person):
    newer = load(person, talk.session_id)
    assert not save(person, talk.session_id, {**newer, "version": 1, "turn": 1})
    assert load(person, talk.session_id) == newer


def test_many_writers_at_once_leave_the_newest(talk, person):
    versions = list(range(3, 43))
    random.Random(7).shuffle(versions)

    async def write_all():
        key = {"end_user_id": person.id, "session_id": talk.session_id}
        await asyncio.gather(*(session_cache.save(**key, data={"version": v}) for v in versions))
        return await session_cache.load(**key)

    assert run_apart(write_all()) == {"version": 42}


BROKEN = {
    "not JSON": lambda data: "{broken",
    "JSON of another kind": lambda data: "[1, 2]",
    "another shape": lambda data: '{"version": 2, "facts": []}',
    "null": lambda data: "null",
    "a slot of another shape": lambda data: data.replace('"slots":[]', '"slots":[{"colour":1}]'),
    "an exchange that is cut": lambda data: data.replace('"exchanges":[{', '"exchanges":[{"x":1,'),
}


@pytest.mark.parametrize("breakage", BROKEN)
def test_a_broken_copy_costs_only_a_read_of_the_database(talk, person, breakage):
    async def spoil():
        key = session_cache._key(person.id, talk.session_id)
        data = await event_log.client().hget(key, "data")
        spoiled = BROKEN[breakage](data)
        assert spoiled != data
        await event_log.client().hset(key, "data", spoiled)

    run_apart(spoil())
    turn = person.asks("And on Sundays?", talk.session_id)
    assert turn.state == "completed" and SessionState.objects.get().data["turn"] == 3
    assert load(person, talk.session_id)["turn"] == 3


def test_a_copy_that_an_earlier_release_kept_in_another_way_is_replaced(talk, person):
    async def as_before():
        key = session_cache._key(person.id, talk.session_id)
        await event_log.client().delete(key)
        await event_log.client().set(key, '{"turn": 2, "version": 2}')

    run_apart(as_before())
    assert load(person, talk.session_id) is None
    person.asks("And on Sundays?", talk.session_id)
    assert load(person, talk.session_id)["turn"] == 3


def test_without_valkey_the_conversation_goes_on(talk, person, settings, monkeypatch):
    monkeypatch.setattr(settings, "VALKEY_URL", "redis://127.0.0.1:1/0")
    monkeypatch.setattr(live_turn, "FLUSH_SECONDS", 60)
    turn = person.asks("And on Sundays?", talk.session_id)
    assert turn.state == "completed" and SessionState.objects.get().data["turn"] == 3


def test_a_copy_that_is_behind_the_database_is_not_used(talk, person):
    old = load(person, talk.session_id)
    person.asks("And on Sundays?", talk.session_id)
    run_apart(session_cache.forget(end_user_id=person.id, session_id=talk.session_id))
    save(person, talk.session_id, old)
    assert loaded(talk).turn == 3


def test_somebody_elses_copy_is_not_used_even_under_the_right_key(talk, person):
    """A key that was written for another person, by whatever fault, gives nothing away."""

    async def misplace():
        other = uuid4()
        await session_cache.save(end_user_id=other, session_id=talk.session_id, data={"version": 9})
        theirs, mine = (session_cache._key(who, talk.session_id) for who in (other, person.id))
        await event_log.client().copy(theirs, mine, replace=True)

    run_apart(misplace())
    assert load(person, talk.session_id) is None


def test_another_person_of_the_tenant_loads_nothing_of_it(talk):
    other = Person("two")
    assert load(other, talk.session_id) is None
    assert loaded(talk).turn == 2
    talk.session.end_user_id = other.id
    assert loaded(talk).turn == 0


def test_the_rival_loads_nothing_of_it(talk, person, rival):
    assert loaded(talk).turn == 2
    with tenant_scope(rival.id):
        assert load(person, talk.session_id) is None
        assert loaded(talk).turn == 0
