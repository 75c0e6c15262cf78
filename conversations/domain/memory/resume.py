"""Reopens a session after a long pause, clean of the old request.

What the assistant was waiting for is no longer awaited, and what was live is stale until the user names it again.
Nothing is lost: everything that was open can be brought back by naming it, and what was closed stays closed.
"""

from __future__ import annotations

from dataclasses import replace

from conversations.domain.liveness import Slot, Status
from conversations.domain.state import ConversationState

RESUME_AFTER_SECONDS = 6 * 3600.0


def resumed(
    state: ConversationState, gap_seconds: float, after_seconds: float = RESUME_AFTER_SECONDS
) -> ConversationState:
    """The state as a message after a pause of `gap_seconds` finds it. Unchanged after a short pause or when it is clean.

    The segment begins anew; `remember` makes the topic of it when the turn is done.
    """
    if gap_seconds < after_seconds or not state.exchanges or _is_clean(state):
        return state
    return replace(
        state,
        slots=tuple(map(_rested, state.slots)),
        pending=None,
        segment=max(state.segment, *(e.segment for e in state.exchanges)) + 1,
        version=state.version + 1,
    )


def _is_clean(state: ConversationState) -> bool:
    """Whether the session has been reopened already and nothing was said since."""
    newest = max(exchange.segment for exchange in state.exchanges)
    live = any(slot.status is Status.LIVE for slot in state.slots)
    return state.segment > newest and state.pending is None and not live


def _rested(slot: Slot) -> Slot:
    return replace(slot, status=Status.STALE) if slot.status is Status.LIVE else slot
