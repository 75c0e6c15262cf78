"""Messages that wait together are one thought: answered once, on the last of them, and none is lost."""

from __future__ import annotations

import pytest

from conversations.adapters.event_log import EventLog
from conversations.models import ArchivedExchange, Session, Turn, TurnTrace
from conversations.services import thoughts
from conversations.services.answering import answer_session
from conversations.services.leases import lease_acquire
from conversations.services.snapshots import session_as_seen
from conversations.services.thoughts import thought_begin
from conversations.services.turns import turn_retry, turn_stop
from conversations.wiring import run_apart
from kernel.errors import DomainError
from tenants.scoping import tenant_scope
from tests.integration.memory.conftest import answer, answer_to


def states(session_id):
    return list(Turn.objects.filter(session=session_id).order_by("n").values_list("state", flat=True))


def events(session_id):
    return run_apart(EventLog(session_id).since(0))


@pytest.fixture
def three(person):
    first = person.says("I am asking about the maternity ward.")
    second = person.says("On the second floor.", first.session_id)
    third = person.says("When may I visit?", first.session_id)
    return first, second, third


ALL = "I am asking about the maternity ward.\nOn the second floor.\nWhen may I visit?"


def test_they_are_answered_once_on_the_last_of_them(three):
    first, second, third = three
    answer(first.session_id)
    assert states(first.session_id) == ["joined", "joined", "completed"]
    for turn in three:
        turn.refresh_from_db()
    assert first.joined_to == second.joined_to == third
    assert first.answer == second.answer == "" and third.answer == answer_to(ALL)
    assert TurnTrace.objects.get().data["message"] == ALL
    assert ArchivedExchange.objects.get().data["message"] == ALL


def test_every_tab_is_told_before_the_answer_begins_and_again_before_it_ends(three):
    """Again, because a message can be taken up before the door has told of its coming."""
    first, second, third = three
    answer(first.session_id)
    told = [(e["type"], e["turn"], e.get("joined_to")) for e in events(first.session_id)]
    joined = [
        ("turn.joined", str(first.pk), str(third.pk)),
        ("turn.joined", str(second.pk), str(third.pk)),
    ]
    assert told[:2] == told[-3:-1] == joined and told[-1][0] == "turn.completed"
    assert {turn for kind, turn, _ in told if kind != "turn.joined"} == {str(third.pk)}


def test_a_reloaded_page_shows_all_of_them_and_which_one_was_answered(three, person):
    session_id = three[0].session_id
    answer(session_id)
    seen = run_apart(session_as_seen(session_id=session_id, end_user_id=person.id))["turns"]
    assert [turn["text"] for turn in seen] == ALL.split("\n")
    assert [turn["joined_to"] for turn in seen] == [str(three[2].pk)] * 2 + [None]


def test_one_that_comes_while_an_answer_runs_waits_for_the_next(three, person):
    session_id = three[0].session_id
    begun = thought_begin(session_id=session_id).thought
    fourth = person.says("And is there a car park?", session_id)
    assert begun.message == ALL and begun.turn.pk != fourth.pk
    Session.objects.update(lease_until=None)
    answer(session_id)
    assert states(session_id) == ["joined", "joined", "completed", "completed"]
    assert list(ArchivedExchange.objects.values_list("n", "data__message")) == [(1, ALL), (2, fourth.message)]


def test_a_process_that_dies_in_between_leaves_the_same_thought_to_the_next(three):
    session_id = three[0].session_id
    thought_begin(session_id=session_id)
    assert states(session_id) == ["joined", "joined", "running"]
    Session.objects.update(lease_until=None)
    answer(session_id)
    assert states(session_id) == ["joined", "joined", "completed"]
    assert Turn.objects.get(n=3).answer == answer_to(ALL) and Turn.objects.get(n=3).attempts == 2


def test_a_session_that_another_process_answers_in_is_not_begun(three):
    session_id = three[0].session_id
    assert lease_acquire(session_id=session_id)
    assert thought_begin(session_id=session_id) is None
    assert states(session_id) == ["accepted"] * 3


def test_trying_again_asks_all_of_it_again(three, person):
    session_id = three[0].session_id

    def broken(_):
        raise RuntimeError("boom")

    run_apart(answer_session(session_id, ports_for=broken))
    assert states(session_id) == ["joined", "joined", "failed"]
    again = turn_retry(turn_id=three[0].pk, end_user_id=person.id, client_id="again").turn
    answer(session_id)
    again.refresh_from_db()
    assert again.message == ALL and again.answer == answer_to(ALL)


def test_stopping_an_earlier_one_stops_the_answer_to_all(three, person):
    session_id = three[0].session_id
    thought_begin(session_id=session_id)
    assert turn_stop(turn_id=three[0].pk, end_user_id=person.id).pk == three[2].pk
    assert Turn.objects.get(stop_requested=True).pk == three[2].pk


def test_one_that_was_withdrawn_while_it_waited_is_not_part_of_it(three, person):
    turn_stop(turn_id=three[1].pk, end_user_id=person.id)
    answer(three[0].session_id)
    assert states(three[0].session_id) == ["completed", "stopped", "completed"]
    assert Turn.objects.get(n=3).answer == answer_to("When may I visit?")


def test_together_they_are_no_longer_than_one_message_may_be(three, monkeypatch):
    monkeypatch.setattr(thoughts, "MESSAGE_LIMIT", len(ALL) - 1)
    answer(three[0].session_id)
    assert states(three[0].session_id) == ["joined", "completed", "completed"]


def test_a_thought_that_keeps_killing_its_process_fails_without_what_came_later(three, person):
    session_id = three[0].session_id
    thought_begin(session_id=session_id)
    Turn.objects.filter(n=3).update(attempts=3)
    Session.objects.update(lease_until=None)
    person.says("Something harmless?", session_id)
    answer(session_id)
    assert states(session_id) == ["joined", "joined", "failed", "completed"]


def test_another_person_reaches_none_of_them(three, their_person, rival):
    answer(three[0].session_id)
    with tenant_scope(rival.id), pytest.raises(DomainError) as refusal:
        turn_retry(turn_id=three[0].pk, end_user_id=their_person.id, client_id="x")
    assert refusal.value.code == "turn_not_found"
