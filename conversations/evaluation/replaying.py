"""Brings a conversation that already took place into a session's state, as if it had been held here.

Its user messages go through the same reading, classifying, rewriting and remembering as any other; the answers
are the conversation's own, so the documents are asked at most what a message means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput
from conversations.domain.turn_replay import replay_turn
from conversations.evaluation.items import Exchanged


@dataclass(slots=True)
class Replays:
    """Replays conversations under one policy. A beginning that several of them share is replayed once."""

    ports: Ports
    policy: ScopePolicy
    guarded: bool = True
    _known: dict[tuple[Exchanged, ...], ConversationState] = field(default_factory=dict)

    async def state_after(self, prefix: Sequence[Exchanged]) -> ConversationState:
        state = ConversationState()
        for count, turn in enumerate(prefix, 1):
            told = tuple(prefix[:count])
            if told not in self._known:
                given = TurnInput(turn.message, state, self.policy, guarded=self.guarded)
                self._known[told] = await replay_turn(given, turn.answer, self.ports)
            state = self._known[told]
        return state


async def replayed(prefix: Sequence[Exchanged], ports: Ports, policy: ScopePolicy) -> ConversationState:
    """The state of a session in which `prefix` took place."""
    return await Replays(ports, policy).state_after(prefix)
