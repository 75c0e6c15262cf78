"""Summary and ledger follow the conversation in the background, whenever and however often that work runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection, connections

from conversations import selectors, tasks
from conversations.adapters.summary_offline import OfflineSummary
from conversations.domain.memory.survival import survival
from conversations.models import ArchivedExchange, LedgerFact, Session, SummaryPart, Turn
from conversations.selectors.memory import ledger_of, parts_of
from conversations.services import answering
from conversations.services.memory import memory_due, memory_store, memory_update
from conversations.services.sessions import session_delete
from conversations.wiring import language, run_apart
from kernel.clock import now
from tenants.scoping import no_scope, tenant_scope
from tests.integration.memory.conftest import answer, tell
from tests.unit.memory.talks import exchange, long_talk

TALK = 40


@pytest.fixture(scope="module")
def talk():
    return long_talk("hospital", language().analyse)[:TALK]


def remember(session_id, summarizer=None):
    update = memory_update(
        session_id=session_id,
        language=language(),
        summarizer=summarizer or OfflineSummary(language().analyse),
    )
    return run_apart(update)


def rows(session_id):
    """Everything that is stored of a session's memory."""
    columns = ("position", "turn", "key", "attribute", "fact", "value", "replaced_in", "words")
    facts = LedgerFact.objects.filter(session=session_id).order_by("position").values_list(*columns)
    parts = SummaryPart.objects.filter(session=session_id).order_by("first_turn", "level")
    return list(facts), list(parts.values_list("level", "first_turn", "last_turn", "text", "entities"))


def test_it_covers_a_long_conversation(person, talk):
    session_id = tell(person, talk)
    assert remember(session_id) == TALK
    memory = selectors.memory_of(session_id=session_id)
    assert memory.covered == TALK == Session.objects.get().memory_turn
    turns = [turn for part in memory.parts for turn in range(part.first_turn, part.last_turn + 1)]
    assert turns == list(range(1, TALK - 6 + 1))
    assert {part.level for part in memory.parts} == {1, 2}
    covered = talk[: TALK - 6]
    assert survival(covered, memory.parts, ledger_of(session_id), language().analyse) >= 0.98
    assert remember(session_id) == 0


def test_catching_up_gives_what_keeping_up_gives(person, talk):
    at_once = tell(person, talk[:33])
    remember(at_once)
    step_by_step = None
    for one in talk[:33]:
        step_by_step = tell(person, [one], step_by_step)
        assert remember(step_by_step) == 1
    assert rows(step_by_step) == rows(at_once)


def test_doing_it_many_times_at_once_doubles_nothing(person, talk):
    alone, crowded = tell(person, talk[:20]), tell(person, talk[:20])
    remember(alone)
    language()
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(copy_context().run, remember, crowded) for _ in range(4)]
        assert sum(run.result() for run in runs) == 20
        [pool.submit(connections.close_all) for _ in range(8)]
    assert rows(crowded) == rows(alone)


def test_the_work_of_a_slower_process_does_not_count(person, talk):
    session_id = tell(person, talk[:8])
    late = memory_due(session_id=session_id)
    remember(session_id)
    before = rows(session_id)
    assert not memory_store(session_id=session_id, due=late, facts=(), parts=())
    assert rows(session_id) == before


def test_a_session_that_was_deleted_meanwhile_is_not_brought_back(person, talk):
    session_id = tell(person, talk[:8])
    due = memory_due(session_id=session_id)
    session_delete(session_id=session_id, end_user_id=person.id)
    assert not memory_store(session_id=session_id, due=due, facts=due.facts, parts=())
    assert remember(session_id) == 0 and not LedgerFact.objects.exists()


def test_a_correction_replaces_the_value_and_keeps_the_old_one(person):
    said = [
        exchange(1, "We plan for 120 visitors in the reading room.", "Noted.", ["reading room"]),
        exchange(2, "How many chairs are there?", "The reading room has 150 chairs.", ["chair"]),
        replace(exchange(3, "Sorry, that should be 130 visitors.", "Noted.", ["visitor"]), kind="correction"),
    ]
    session_id = tell(person, said)
    remember(session_id)
    values = {fact.value: fact.replaced_in for fact in ledger_of(session_id) if fact.said_by == "user"}
    old, new = (next(v for k, v in values.items() if n in k) for n in ("120", "130"))
    assert (old, new) == (3, 0)


def test_what_took_anothers_role_is_known_from_the_trace(person):
    said = [
        exchange(1, "We have decided to use Hall North.", "Noted.", ["Hall North"]),
        replace(exchange(2, "Actually I meant Hall South.", "Noted.", ["Hall South"]), kind="correction"),
    ]
    memory = {
        2: {
            "slots": [
                {"id": "s1", "name": "Hall North", "superseded_by": "s2"},
                {"id": "s2", "name": "Hall South", "superseded_by": None},
            ],
            "changes": [{"slot_id": "s1", "after": "superseded"}],
        }
    }
    session_id = tell(person, said, memory=memory)
    remember(session_id)
    kept = [fact for fact in ledger_of(session_id) if "North" in fact.value]
    assert kept and all(fact.replaced_in == 2 for fact in kept)


def test_a_fact_of_a_text_that_the_state_has_cut_is_kept(person):
    long = " ".join(f"Shelf {n} holds {n + 300} volumes of maps." for n in range(1, 56))
    cut = exchange(1, "How many volumes are on each shelf?", long[:1500], ["shelf"])
    session_id = tell(person, [cut])
    Turn.objects.filter(session=session_id).update(answer=long)
    remember(session_id)
    assert any("355 volumes" in fact.fact for fact in ledger_of(session_id))


# What a turn loads


def test_a_turn_loads_the_facts_that_share_a_word_with_it_and_the_persons_own(person):
    said = [
        exchange(1, "We are 14 people.", "Noted.", ["people"]),
        exchange(2, "What does a locker cost?", "A locker costs 3 euros a day.", ["locker"]),
        exchange(3, "When does the archive open?", "The archive opens at 9:30.", ["archive"]),
    ]
    session_id = tell(person, said)
    remember(session_id)
    loaded = selectors.memory_of(session_id=session_id, keys=["And the lockers?"]).facts
    assert {fact.turn for fact in loaded} == {1, 2}
    assert {fact.turn for fact in selectors.memory_of(session_id=session_id).facts} == {1, 2, 3}


def test_nobody_else_loads_anything_of_it(person, talk, rival):
    session_id = tell(person, talk[:10])
    remember(session_id)
    with tenant_scope(rival.id):
        nothing = selectors.memory_of(session_id=session_id)
        assert (nothing.parts, nothing.facts, nothing.covered) == ((), (), 0)
        assert selectors.exchanges_naming(session_id=session_id, keys=["ward"], before=99) == ()
        assert remember(session_id) == 0 and not selectors.sessions_to_remember()


def test_a_turn_is_given_its_memory_and_how_long_the_session_has_rested(person, monkeypatch):
    given = []

    def listening(turn, ports, trace=None):
        given.append(turn)
        return original(turn, ports, trace)

    original = answering.run_turn
    monkeypatch.setattr(answering, "run_turn", listening)
    first = person.asks("A locker costs 3 euros, we are 14 people.")
    remember(first.session_id)
    Session.objects.update(last_turn_at=now() - timedelta(days=3))
    person.asks("And the lockers?", first.session_id)
    assert (given[0].memory.facts, given[0].idle_seconds) == ((), 0.0)
    assert given[1].memory.covered == 1 and "14" in str(given[1].memory.facts)
    assert timedelta(days=3).total_seconds() <= given[1].idle_seconds < timedelta(days=4).total_seconds()


# What may go wrong


def test_a_queue_that_is_down_costs_the_turn_nothing(person):
    def broken(_):
        raise OSError("no broker")

    turn = person.says("Where is the cloakroom?")
    answer(turn.session_id, after_turn=broken)
    turn.refresh_from_db()
    assert turn.state == "completed" and Session.objects.get().last_exchange == 1


def test_the_work_is_queued_for_every_stored_exchange_and_for_no_other(person, tenant, monkeypatch):
    queued = []
    monkeypatch.setattr(tasks.session_remember, "delay", lambda *ids: queued.append(ids))
    turn = person.says("Where is the cloakroom?")
    answer(turn.session_id, after_turn=tasks.remember_later)
    assert queued == [(str(tenant.id), str(turn.session_id))]
    failing = person.says("And the lift?", turn.session_id)
    Turn.objects.filter(pk=failing.pk).update(attempts=3)
    answer(turn.session_id, after_turn=tasks.remember_later)
    assert len(queued) == 1


def swept(monkeypatch):
    """Let the sweep find what lags, as some time later, and do what it queues."""
    Session.objects.update(last_turn_at=now() - timedelta(minutes=5))
    queued = []
    monkeypatch.setattr(tasks.session_remember, "delay", lambda *ids: queued.append(ids))
    with no_scope():
        tasks.memory_sweep()
        for ids in queued:
            tasks.session_remember(*ids)
    return queued


def test_a_process_that_dies_before_it_queues_loses_no_memory(person, talk, tenant, monkeypatch):
    session_id = tell(person, talk[:12])
    assert not selectors.sessions_to_remember()
    assert swept(monkeypatch) == [(str(tenant.id), str(session_id))]
    assert Session.objects.get().memory_turn == 12 and parts_of(session_id)
    assert swept(monkeypatch) == []


KILLED = """
    import os, signal, sys
    from uuid import UUID
    sys.path[:0] = [".", "platform"]
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django
    django.setup()
    from conversations.services import answering
    from conversations.wiring import run_apart
    from tenants.scoping import tenant_scope
    from tests.integration.memory.conftest import quick_ports, quick_turn

    answering.run_turn = quick_turn

    def die(session_id):
        os.kill(os.getpid(), signal.SIGKILL)

    with tenant_scope(UUID(sys.argv[1])):
        run_apart(answering.answer_session(UUID(sys.argv[2]), ports_for=quick_ports, after_turn=die))
"""


def test_a_process_killed_between_answer_and_memory_loses_nothing(person, tenant, monkeypatch):
    turn = person.says("The blue room holds 45 guests.")
    given = connection.settings_dict
    where = f"{given['HOST']}:{given['PORT']}/{given['NAME']}"
    address = f"postgresql://{given['USER']}:{given['PASSWORD']}@{where}"
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED), str(tenant.id), str(turn.session_id)],
        env={**os.environ, "DATABASE_URL": address, "VALKEY_URL": settings.VALKEY_URL},
        cwd=settings.ROOT,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL
    turn.refresh_from_db()
    assert turn.state == "completed" and ArchivedExchange.objects.get().turn_id == turn.pk
    assert not LedgerFact.objects.exists()
    swept(monkeypatch)
    assert "45" in LedgerFact.objects.filter(said_by="user").first().value
    Session.objects.update(lease_until=None)
    assert person.asks("And the red room?", turn.session_id).state == "completed"
    assert list(ArchivedExchange.objects.values_list("n", flat=True).order_by("n")) == [1, 2]
