"""A stored message becomes a stored answer, once, whoever asks and whatever dies."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import DataError

from conversations import errors, wiring
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog
from conversations.domain.state import ConversationState
from conversations.models import Session, SessionState, Turn, TurnTrace
from conversations.selectors import sessions_abandoned, state_of
from conversations.services.answering import answer_session
from conversations.services.leases import lease_acquire, lease_release, lease_renew
from conversations.services.sessions import session_delete
from conversations.services.snapshots import session_as_seen
from conversations.services.thoughts import turn_finish
from conversations.services.turns import turn_accept, turn_rate, turn_retry, turn_stop
from kernel.clock import now
from kernel.errors import DomainError
from tenants.postgres import statements
from tenants.scoping import tenant_scope
from tests.integration.conversations.conftest import answered, visitor


def accept(asker, text="What is the RPO in Frankfurt?", session_id=None, client_id=None):
    return turn_accept(
        end_user_id=asker.end_user_id,
        session_id=session_id,
        client_id=client_id or str(uuid4()),
        text=text,
    )


def test_it_answers_with_citations_and_keeps_the_trace(asker):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.state == "completed" and "5 minutes" in turn.answer
    assert turn.citations[0]["title"] and turn.engine["mode"] == "offline"
    trace = TurnTrace.objects.get(turn=turn).data
    assert [stage["name"] for stage in trace["stages"]][-1] == "remember"


def test_it_carries_the_conversation_into_the_search(asker):
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    assert second.rewritten and "RPO" in second.query
    assert "15 minutes" in second.answer


def test_it_makes_one_turn_of_one_message_however_often_it_is_sent(asker):
    ids = {accept(asker, client_id="same").turn.pk for _ in range(3)}
    assert len(ids) == 1 and Session.objects.count() == 1
    assert [accept(asker, client_id="same").created for _ in range(2)] == [False, False]


def test_it_answers_as_one_thought_what_was_sent_in_a_row(asker):
    first = accept(asker, "My data is in Dublin.").turn
    second = accept(asker, "What is the RPO there?", first.session_id).turn
    wiring.run_apart(answer_session(first.session_id, ports_for=wiring.ports_for_quick))
    states = Turn.objects.filter(session=first.session_id).order_by("n").values_list("state", flat=True)
    assert list(states) == ["joined", "completed"]
    second.refresh_from_db()
    assert "15 minutes" in second.answer and "Dublin" in second.query


def test_it_refuses_more_than_a_few_waiting_messages(asker):
    session = accept(asker).turn.session_id
    for number in range(4):
        accept(asker, f"question {number}", session)
    with pytest.raises(errors.TooManyWaiting):
        accept(asker, "one too many", session)


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "message_empty"), (" \x00\n", "message_empty"), ("x" * 20_001, "message_too_long")],
)
def test_it_refuses_what_is_no_message(asker, text, code):
    with pytest.raises(DomainError) as refusal:
        accept(asker, text)
    assert refusal.value.code == code
    assert Turn.objects.count() == 0


def test_two_processes_do_not_answer_the_same_session(asker):
    turn = accept(asker).turn

    async def both():
        await asyncio.gather(
            *(answer_session(turn.session_id, ports_for=wiring.ports_for_quick) for _ in range(4))
        )

    wiring.run_apart(both())
    assert Turn.objects.get(pk=turn.pk).attempts == 1


def test_a_turn_whose_process_died_is_found_and_answered_by_another(asker):
    turn = accept(asker).turn
    token = lease_acquire(session_id=turn.session_id)
    Turn.objects.filter(pk=turn.pk).update(state="running", attempts=1)
    assert token and list(sessions_abandoned()) == []
    Session.objects.filter(pk=turn.session_id).update(lease_until=now() - timedelta(seconds=1))
    assert list(sessions_abandoned()) == [turn.session_id]
    wiring.run_apart(answer_session(turn.session_id, ports_for=wiring.ports_for_quick))
    turn.refresh_from_db()
    assert turn.state == "completed" and turn.attempts == 2
    assert list(sessions_abandoned()) == []


def test_a_turn_that_keeps_dying_fails_with_a_clear_code(asker):
    turn = accept(asker).turn
    Turn.objects.filter(pk=turn.pk).update(attempts=3)
    wiring.run_apart(answer_session(turn.session_id, ports_for=wiring.ports_for_quick))
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.error["code"] == "turn_interrupted" and turn.error["retryable"]


def test_the_outcome_of_a_process_that_lost_its_lease_does_not_count(asker):
    turn = accept(asker).turn
    late = lease_acquire(session_id=turn.session_id)
    Session.objects.filter(pk=turn.session_id).update(lease_until=now() - timedelta(seconds=1))
    assert lease_acquire(session_id=turn.session_id)
    assert lease_renew(session_id=turn.session_id, token=late, turn_id=turn.pk) is None
    with pytest.raises(errors.LeaseLost):
        turn_finish(turn=turn, lease=late, result={"state": "completed", "answer": "late"})
    lease_release(session_id=turn.session_id, token=late, event_seq=9)
    assert Session.objects.get(pk=turn.session_id).lease_until is not None


def test_a_pipeline_that_breaks_ends_in_a_clear_state_and_can_be_retried(asker):
    turn = accept(asker).turn

    def broken(_):
        raise RuntimeError("boom")

    wiring.run_apart(answer_session(turn.session_id, ports_for=broken))
    turn.refresh_from_db()
    assert turn.state == "failed" and turn.error["code"] == "turn_broken"
    again = turn_retry(turn_id=turn.pk, end_user_id=asker.end_user_id, client_id="again").turn
    wiring.run_apart(answer_session(again.session_id, ports_for=wiring.ports_for_quick))
    again.refresh_from_db()
    assert again.state == "completed" and again.n == 2
    with pytest.raises(errors.NotRetryable):
        turn_retry(turn_id=again.pk, end_user_id=asker.end_user_id, client_id="third")


def test_losing_the_cache_costs_nothing_but_time(asker):
    first = answered(asker, "What is the RPO in Frankfurt?")
    wiring.run_apart(session_cache.forget(end_user_id=asker.end_user_id, session_id=first.session_id))
    assert answered(asker, "and in Dublin?", first.session_id).rewritten


def test_the_durable_copy_is_the_hot_one_and_holds_no_archived_exchange_twice(asker):
    """A correction takes something out of an exchange that is archived already: that one is kept as it is now."""
    first = answered(asker, "What is the RPO in Frankfurt?")
    for message in ("Sorry, I meant Dublin, not Frankfurt.", "And the RTO?"):
        answered(asker, message, first.session_id)
    whose = {"end_user_id": asker.end_user_id, "session_id": first.session_id}
    hot = wiring.run_apart(session_cache.load(**whose))
    kept = SessionState.objects.get(session=first.session_id).data["exchanges"]
    assert [one if isinstance(one, int) else one["message"] for one in kept] == [first.message, 2, 3]
    assert "Frankfurt" not in str(kept[0]["terms"]) and kept[0]["corrected"]
    assert state_of(**whose) == hot
    assert ConversationState.from_json(hot).exchanges[0].corrected


def test_a_stale_cache_loses_against_the_database(asker):
    first = answered(asker, "What is the RPO in Frankfurt?")
    old = SessionState.objects.get(session=first.session_id).data
    answered(asker, "Different question: what does a customer-managed key cost?", first.session_id)
    key = {"end_user_id": asker.end_user_id, "session_id": first.session_id}
    wiring.run_apart(session_cache.save(**key, data=old))
    answered(asker, "how often is it rotated?", first.session_id)
    assert SessionState.objects.get(session=first.session_id).data["turn"] == 3


def test_the_snapshot_of_a_running_turn_holds_what_was_streamed_so_far(asker):
    turn = accept(asker).turn
    Turn.objects.filter(pk=turn.pk).update(state="running")

    async def told():
        log = EventLog(turn.session_id)
        await log.append("turn.delta", turn=str(turn.pk), at=0, text="The RPX")
        await log.append("turn.delta", turn=str(turn.pk), at=6, text="O is")
        return await session_as_seen(session_id=turn.session_id, end_user_id=asker.end_user_id)

    seen = wiring.run_apart(told())
    assert seen["turns"][0]["answer"] == "The RPO is" and seen["seq"] == 2


def test_event_numbers_go_on_after_valkey_has_lost_everything(asker):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    known = Session.objects.get(pk=turn.session_id).event_seq
    assert known > 0

    async def lost():
        log = EventLog(turn.session_id, floor=known)
        from conversations.adapters.event_log import client

        used = await log.last()
        await client().flushall()
        await log.append("turn.rated", turn=str(turn.pk), rating="up")
        return used, log.seq

    used, after = wiring.run_apart(lost())
    assert after > used > known, "the last events are told after the turn was stored"


# Who sees what


def test_another_end_user_reaches_nothing_of_it(asker, tenant):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    other = visitor(tenant, "two")
    for attempt in (
        lambda: accept(other, "and in Dublin?", turn.session_id),
        lambda: turn_stop(turn_id=turn.pk, end_user_id=other.end_user_id),
        lambda: turn_rate(turn_id=turn.pk, end_user_id=other.end_user_id, rating="up"),
        lambda: turn_retry(turn_id=turn.pk, end_user_id=other.end_user_id, client_id="x"),
        lambda: session_delete(session_id=turn.session_id, end_user_id=other.end_user_id),
        lambda: wiring.session_to_open(other, turn.session_id),
        lambda: wiring.run_apart(session_as_seen(session_id=turn.session_id, end_user_id=other.end_user_id)),
    ):
        with pytest.raises((errors.SessionNotFound, errors.TurnNotFound)):
            attempt()
    assert wiring.session_to_open(other, None) is None


def test_the_rival_reaches_nothing_of_it(asker, rival):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    with tenant_scope(rival.id):
        theirs = visitor(rival)
        with pytest.raises(errors.SessionNotFound):
            accept(theirs, "and in Dublin?", turn.session_id)
        assert not Turn.objects.exists() and not TurnTrace.objects.exists()
        their_answer = answered(theirs, "What is the RPO in Frankfurt?")
        assert "5 minutes" not in their_answer.answer


def test_it_never_answers_from_the_rivals_documents(asker):
    turn = answered(asker, "Tell me about project Aurora and the Reykjavik region")
    assert "March" not in turn.answer and "12 people" not in turn.answer
    titles = {c["title"] for c in TurnTrace.objects.get(turn=turn).data["candidates"]}
    assert not any("Aurora" in title for title in titles)


def test_deleting_a_conversation_leaves_nothing_of_it(asker):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    wiring.session_delete(asker, turn.session_id)
    assert not Session.objects.exists() and not Turn.objects.exists()
    assert not TurnTrace.objects.exists() and not SessionState.objects.exists()
    key = {"end_user_id": asker.end_user_id, "session_id": turn.session_id}
    assert wiring.run_apart(session_cache.load(**key)) is None
    assert wiring.run_apart(EventLog(turn.session_id).since(0)) == []


def test_holding_on_tells_whether_the_turn_was_asked_to_stop(asker, rival):
    turn = accept(asker).turn
    mine = {
        "session_id": turn.session_id,
        "token": lease_acquire(session_id=turn.session_id),
        "turn_id": turn.pk,
    }
    assert lease_renew(**mine) is False
    turn_stop(turn_id=turn.pk, end_user_id=asker.end_user_id)
    assert lease_renew(**mine) is True
    assert Session.objects.get(pk=turn.session_id).lease_until > now()
    with tenant_scope(rival.id):
        assert lease_renew(**mine) is None


def test_where_tables_are_distributed_a_turn_is_stored_in_transactions_of_its_own(asker, monkeypatch):
    monkeypatch.setitem(settings.ANTECEDENT, "DISTRIBUTED", True)
    monkeypatch.delattr(statements, "_scope_text")  # what a message without a transaction would be sent with
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    assert (first.state, second.state) == ("completed", "completed") and "15 minutes" in second.answer


def test_a_turn_whose_end_cannot_be_stored_leaves_nothing_of_it(asker):
    """Outcome, trace, state and archive are one statement: what one of them refuses, none of them keeps."""
    turn = accept(asker).turn
    lease = lease_acquire(session_id=turn.session_id)
    with pytest.raises(DataError):
        turn_finish(
            turn=turn, lease=lease, result={"state": "completed", "answer": "five"}, trace={"half": "\ud800"}
        )
    turn.refresh_from_db()
    assert (turn.state, turn.answer) == ("accepted", "") and not TurnTrace.objects.exists()
    assert Session.objects.get(pk=turn.session_id).lease_token == lease
