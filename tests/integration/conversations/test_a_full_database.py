"""A database without room, or away for a moment, costs a turn that is under way some time and nothing else."""

from __future__ import annotations

from uuid import uuid4

import psycopg
import pytest
from django.db import OperationalError, ProgrammingError
from psycopg import errors as pg

from conversations import wiring
from conversations.adapters.outages import database_comes_back
from conversations.models import Session, Turn, TurnTrace
from conversations.services import answering, live_turn
from conversations.services.answering import answer_session
from conversations.services.turns import turn_accept


def caused(error, cause):
    error.__cause__ = cause
    return error


FULL = caused(OperationalError("could not extend file"), pg.DiskFull("could not extend file"))
AWAY = caused(OperationalError("refused"), psycopg.OperationalError("connection refused"))
BAD = caused(ProgrammingError("no such column"), pg.UndefinedColumn("no such column"))
SLOW = caused(OperationalError("too slow"), pg.QueryCanceled("statement timeout"))


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(live_turn, "STORE_AGAIN_SECONDS", 0)


@pytest.fixture
def turn(asker):
    return turn_accept(
        end_user_id=asker.end_user_id,
        session_id=None,
        client_id=str(uuid4()),
        text="What is the RPO in Frankfurt?",
    ).turn


def failing(monkeypatch, owner, name, error, times):
    """The function raises so often, and does its work from then on. Returns where its calls are counted."""
    real, calls = getattr(owner, name), []

    def instead(*arguments, **named):
        calls.append(1)
        if len(calls) <= times:
            raise error
        return real(*arguments, **named)

    monkeypatch.setattr(owner, name, instead)
    return calls


def answer(turn):
    wiring.run_apart(answer_session(turn.session_id, ports_for=wiring.ports_for_quick))
    turn.refresh_from_db()


@pytest.mark.parametrize("outage", [FULL, AWAY], ids=["full", "away"])
def test_its_end_is_stored_as_soon_as_there_is_room_and_the_answer_is_not_made_twice(
    turn, monkeypatch, outage
):
    stored = failing(monkeypatch, live_turn, "turn_finish", outage, times=3)
    answer(turn)
    assert (turn.state, turn.attempts, len(stored)) == ("completed", 1, 4)
    assert "5 minutes" in turn.answer and TurnTrace.objects.filter(turn=turn).count() == 1


@pytest.mark.parametrize("is_taken_over", [False, True], ids=["stored", "taken over"])
def test_an_end_that_was_stored_unheard_is_told_once_unless_another_process_took_over(
    turn, monkeypatch, is_taken_over
):
    """The database commits and goes away before it says so."""
    real, told = live_turn.turn_finish, []

    def unheard(**values):
        ended = real(**values)
        if not values["again"]:
            if is_taken_over:
                Turn.objects.filter(pk=turn.pk).update(attempts=2)
            raise AWAY
        return ended

    async def telling(self, kind, /, **payload):
        told.append(kind)

    monkeypatch.setattr(live_turn, "turn_finish", unheard)
    monkeypatch.setattr(live_turn.LiveTurn, "_tell_end", telling)
    answer(turn)
    assert turn.state == "completed" and TurnTrace.objects.filter(turn=turn).count() == 1
    assert told == ([] if is_taken_over else ["turn.completed"])


@pytest.mark.parametrize("outage", [FULL, AWAY], ids=["full", "away"])
def test_a_turn_that_outlasts_patience_is_taken_up_again_and_not_given_up(turn, monkeypatch, outage):
    monkeypatch.setattr(live_turn, "STORE_TIMES", 2)
    failing(monkeypatch, live_turn, "turn_finish", outage, times=2)
    with pytest.raises(OperationalError):
        answer(turn)
    turn.refresh_from_db()
    assert turn.state == "running" and Session.objects.get(pk=turn.session_id).lease_until is None
    answer(turn)
    assert (turn.state, turn.attempts) == ("completed", 2) and Turn.objects.count() == 1


def test_an_outage_in_the_middle_fails_no_turn(turn, monkeypatch):
    failing(monkeypatch, wiring, "ports_for_quick", FULL, times=1)
    with pytest.raises(OperationalError):
        answer(turn)
    answer(turn)
    assert turn.state == "completed"


def test_a_lease_that_could_not_be_renewed_for_a_moment_is_not_lost(turn, monkeypatch):
    asked = failing(monkeypatch, answering, "lease_renew", AWAY, times=1)

    async def beat():
        held = [await answering._held(turn, uuid4()) for _ in range(2)]
        assert held == [False, None]  # the second is a real answer: nobody has this lease

    wiring.run_apart(beat())
    assert len(asked) == 2


def test_what_waiting_does_not_mend_is_not_waited_for(turn, monkeypatch):
    stored = failing(monkeypatch, live_turn, "turn_finish", BAD, times=1)
    answer(turn)
    assert (turn.state, turn.error["code"], len(stored)) == ("failed", "turn_broken", 2)
    assert [database_comes_back(error) for error in (FULL, AWAY, BAD, SLOW)] == [True, True, False, False]
