"""A deleted conversation is gone from every table and every key, and nobody else's is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from conversations import errors, tasks
from conversations.adapters import event_log, session_cache
from conversations.models import DeletionReceipt, Session, Turn
from conversations.services import answering, live_turn
from conversations.services.retention import session_erase
from conversations.wiring import run_apart
from tenants.scoping import no_scope, tenant_scope
from tenants.services import retention_set
from tests.integration.conversations.conftest import answered, asker, library, visitor  # noqa: F401
from tests.integration.memory.conftest import Person, answer
from tests.integration.memory.searching import keys_with, tables_with

DELETED, SIBLING, THEIRS = "Quillworthy", "Brambleton", "Ostermarsh"
CONTENT = {
    "conversations_session",
    "conversations_sessionstate",
    "conversations_turn",
    "conversations_turntrace",
    "conversations_archivedexchange",
    "conversations_summarypart",
    "conversations_ledgerfact",
}


LITTLE = CONTENT - {"conversations_summarypart"}


def talk_about(who: Any, name: str, turns: int) -> UUID:
    """A real conversation that names something in every turn. Eight turns are long enough for a summary."""
    session_id = None
    messages = (
        f"The {name} project has 45 people. What is the RPO in Frankfurt?",
        f"And what is the RTO in Frankfurt for {name}?",
        f"Actually I meant 47 people in {name}.",
        "and in Dublin?",
        f"What does a customer-managed key cost for {name}?",
        f"How often is the key of {name} rotated?",
        f"What is the RPO in Dublin for {name}?",
        f"Is {name} in Frankfurt or Dublin?",
    )
    for message in messages[:turns]:
        session_id = answered(who, message, session_id).session_id
    assert session_id
    return session_id


@dataclass
class Three:
    """The conversation to delete, another of the same person, and one of the rival tenant."""

    deleted: UUID
    sibling: UUID
    theirs: UUID


@pytest.fixture
def three(asker, tenant, rival) -> Three:  # noqa: F811
    made = []
    for who, name, turns in ((asker, DELETED, 8), (asker, SIBLING, 2)):
        made.append(talk_about(who, name, turns))
        tasks.session_remember(str(tenant.id), str(made[-1]))
    with tenant_scope(rival.id):
        made.append(talk_about(visitor(rival), THEIRS, 2))
    tasks.session_remember(str(rival.id), str(made[-1]))
    return Three(*made)


def copies(session_id: UUID, name: str) -> None:
    """It must be where it is looked for, else finding nothing later means nothing."""
    kinds = {key.split("}:")[1].split(":")[0] for key in keys_with(name) if str(session_id) in key}
    assert kinds == {"events", "state"}


def test_whatever_a_person_deletes_is_found_nowhere(three, asker, stack):  # noqa: F811
    assert tables_with(DELETED, stack) == CONTENT
    assert tables_with(SIBLING, stack) == tables_with(THEIRS, stack) == LITTLE
    copies(three.deleted, DELETED)
    run_apart(session_erase(session_id=three.deleted, end_user_id=asker.end_user_id))
    assert tables_with(DELETED, stack) == set() and keys_with(DELETED) == set()
    for name, session_id in ((SIBLING, three.sibling), (THEIRS, three.theirs)):
        assert tables_with(name, stack) == LITTLE
        copies(session_id, name)
    assert not keys_with(str(three.deleted))
    receipt = DeletionReceipt.objects.get()
    assert receipt.reason == "end_user" and receipt.counts["Turn"] == receipt.counts["TurnTrace"] == 8
    assert receipt.counts["LedgerFact"] and receipt.counts["SummaryPart"] and receipt.counts["Session"] == 1


def test_whatever_a_tenant_does_not_keep_is_found_nowhere(three, tenant, stack):
    """The person has begun a newer conversation, and this tenant keeps none that has ended."""
    with no_scope():
        retention_set(tenant_id=tenant.id, mode="none")
        tasks.tenant_purge(str(tenant.id))
    assert tables_with(DELETED, stack) == set() and keys_with(DELETED) == set()
    for name, session_id in ((SIBLING, three.sibling), (THEIRS, three.theirs)):
        assert tables_with(name, stack) == LITTLE
        copies(session_id, name)
    assert DeletionReceipt.objects.get().reason == "session_end"


# While it is being answered


def deleting_in_the_middle(monkeypatch: pytest.MonkeyPatch, turn: Turn, person: Person) -> None:
    """Let the person delete the conversation between the first event of its answer and the second."""

    async def run_turn(given: Any, ports: Any, trace: Any = None) -> Any:
        events = original(given, ports, trace)
        yield await anext(events)
        await session_erase(session_id=turn.session_id, end_user_id=person.id)
        async for event in events:
            yield event

    original = answering.run_turn
    monkeypatch.setattr(answering, "run_turn", run_turn)
    monkeypatch.setattr(live_turn, "FLUSH_SECONDS", 0)


def test_a_conversation_deleted_in_mid_answer_does_not_come_back(person, monkeypatch, stack):
    turn = person.says(f"What about {DELETED}?")
    deleting_in_the_middle(monkeypatch, turn, person)
    answer(turn.session_id)
    assert not Session.objects.exists()
    assert tables_with(DELETED, stack) == set() and keys_with(DELETED) == set()


def test_an_answer_to_a_deleted_conversation_is_not_thought_out(person, monkeypatch):
    """The process that answers hears of it within a heartbeat and stops, instead of paying for the rest."""
    turn = person.says(f"What about {DELETED}?")
    heard = []

    async def long_answer(given: Any, ports: Any, trace: Any = None) -> Any:
        events = original(given, ports, trace)
        yield await anext(events)
        await session_erase(session_id=turn.session_id, end_user_id=person.id)
        await asyncio.wait_for(ports.halt.wait(), 30)
        heard.append(turn.pk)
        async for event in events:
            yield event

    original = answering.run_turn
    monkeypatch.setattr(answering, "run_turn", long_answer)
    monkeypatch.setattr(answering, "HEARTBEAT_SECONDS", 0.05)
    answer(turn.session_id)
    assert heard == [turn.pk] and keys_with(DELETED) == set()


def test_one_deleted_between_storing_and_caching_does_not_come_back(person, monkeypatch, stack):
    turn = person.says(f"What about {DELETED}?")
    original = session_cache.save

    async def late(**more: Any) -> bool:
        await session_erase(session_id=turn.session_id, end_user_id=person.id)
        return await original(**more)

    monkeypatch.setattr(session_cache, "save", late)
    answer(turn.session_id)
    assert tables_with(DELETED, stack) == set() and keys_with(DELETED) == set()


def test_without_valkey_a_person_can_still_delete(person, monkeypatch, settings, stack):
    turn = person.asks(f"What about {DELETED}?")
    with monkeypatch.context() as patch:
        patch.setattr(settings, "VALKEY_URL", "redis://127.0.0.1:1/0")
        run_apart(session_erase(session_id=turn.session_id, end_user_id=person.id))
    assert tables_with(DELETED, stack) == set()

    async def lives() -> list[int]:
        return [await event_log.client().ttl(key) for key in keys_with(DELETED)]

    assert all(0 < seconds <= 7200 for seconds in run_apart(lives()))


def test_nobody_else_can_delete_it(person, their_person, rival, stack):
    turn = person.asks(f"What about {DELETED}?")
    with pytest.raises(errors.SessionNotFound):
        run_apart(session_erase(session_id=turn.session_id, end_user_id=Person("two").id))
    with tenant_scope(rival.id), pytest.raises(errors.SessionNotFound):
        run_apart(session_erase(session_id=turn.session_id, end_user_id=their_person.id))
    assert "conversations_turn" in tables_with(DELETED, stack) and keys_with(DELETED)
    assert not DeletionReceipt.objects.exists()
