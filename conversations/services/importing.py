"""A conversation that was held elsewhere goes on here: what the person said is taken along, what was answered is not.

Who sends a history may have written anything into its answers. Messages of the person say what they mean and what they
look for; that an assistant said something elsewhere is no source, and nothing here may rest on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

from django.db import transaction

from conversations.domain.ports import Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput
from conversations.domain.turn_replay import replay_turn
from conversations.models import ArchivedExchange, Session, Turn, TurnState
from conversations.services.answering import PortsFor
from conversations.services.sessions import session_open, session_state_save
from conversations.services.thoughts import MESSAGE_LIMIT, keys_of, vector_of
from kernel.clock import now
from tenants.threads import in_thread

# What a follow-up can be about lies in the last few messages; reading older ones costs time and changes little.
TAKEN_ALONG = 12
IMPORTED = "imported"


async def history_import(*, end_user_id: UUID, messages: Sequence[str], ports_for: PortsFor) -> UUID:
    """A new session in which the person has said these messages, the last few of them; returns its id."""
    turns = await in_thread(_store, end_user_id, [m[:MESSAGE_LIMIT] for m in messages[-TAKEN_ALONG:]])
    ports, policy = await in_thread(ports_for, turns[-1])
    state = ConversationState()
    quiet: Ports = replace(ports, model=None, pace=None)
    for turn in turns:
        state = await replay_turn(TurnInput(turn.message, state, policy), "", quiet)
        await in_thread(_remember, turn, state)
    return turns[-1].session_id


@transaction.atomic
def _store(end_user_id: UUID, messages: Sequence[str]) -> list[Turn]:
    session = session_open(
        end_user_id=end_user_id, client_id=f"{IMPORTED}:{uuid4()}", first_message=messages[0]
    )
    moment = now()
    turns = [
        Turn(
            session=session,
            n=n,
            client_id=f"{IMPORTED}:{uuid4()}",
            message=message,
            state=TurnState.COMPLETED,
            finished_at=moment,
        )
        for n, message in enumerate(messages, 1)
    ]
    Turn.objects.bulk_create(turns)
    Session.objects.filter(pk=session.pk).update(turn_count=len(turns), last_turn_at=moment)
    return turns


@transaction.atomic
def _remember(turn: Turn, state: ConversationState) -> None:
    data = state.to_json()
    session_state_save(session_id=turn.session_id, version=state.version, data=data)
    last = state.exchanges[-1]
    ArchivedExchange.objects.create(
        session_id=turn.session_id,
        turn=turn,
        n=last.turn,
        keys=sorted(keys_of(last)),
        vector=vector_of(last),
        data=data["exchanges"][-1],
    )
    Session.objects.filter(pk=turn.session_id).update(last_exchange=state.turn)
