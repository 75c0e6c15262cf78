"""A turn that took place already, once more: understood, searched and remembered as any other, and not answered.

What the assistant said then is taken as it was said, so that a later turn can point at it. Nothing is stored and no
answer is generated: this is what shows which searches would come out differently under another policy or prompt.
A conversation that was held elsewhere is taken in the same way, one turn after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from conversations.domain.classify import Kind
from conversations.domain.ports import Candidate, Ports
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, TurnUnderWay, remembered, retrieved, understand
from conversations.domain.turn_events import QueryDecided
from conversations.domain.turn_trace import TurnTrace
from kernel.json import JsonObject

# Of an answer from elsewhere so many passages tell what it was drawn from, asked by its beginning.
HOME_ASKED, HOME_CHARACTERS = 5, 1_500


@dataclass(frozen=True, slots=True)
class Relived:
    """What came of it. `candidates` are the passages found, best first, none where it was not searched."""

    decided: QueryDecided
    candidates: tuple[Candidate, ...]
    state: ConversationState
    trace: JsonObject


async def relive_turn(
    given: TurnInput, answer: str, chunks: tuple[str, ...], ports: Ports, *, search: bool
) -> Relived:
    """`answer` is what was said, citing `chunks`. Without `search` only the state and the query matter."""
    turn = TurnUnderWay(given, ports, TurnTrace(ports.clock))
    decided = await understand(turn)
    candidates = (await retrieved(turn))[1] if search else ()
    state = await remembered(turn, answer, chunks)
    return Relived(decided, candidates, state, turn.trace.finish())


async def replay_turn(given: TurnInput, answer: str, ports: Ports) -> ConversationState:
    """The state after a turn whose answer is known already: understood and remembered, and not answered again.

    What the answer was drawn from is unknown: the passages nearest to question and answer stand in for it.
    """
    turn = TurnUnderWay(given, ports, TurnTrace(ports.clock))
    decided = await understand(turn)
    if given.policy.thresholds.elsewhere and turn.classification.kind is not Kind.SMALL_TALK:
        near = await ports.retriever.closest(f"{decided.query} {answer}"[:HOME_CHARACTERS], HOME_ASKED)
        turn.found = tuple(candidate.passage.chunk_id for candidate in near)
    return await remembered(turn, answer, ())
