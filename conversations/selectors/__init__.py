"""Reading conversations."""

from conversations.selectors.memory import (
    exchanges_naming,
    exchanges_nearest,
    exchanges_opening,
    memory_of,
    sessions_to_remember,
)
from conversations.selectors.sessions import (
    access_session,
    access_turn,
    session_newest,
    session_owner,
    session_waits,
    sessions_abandoned,
    sessions_of,
    state_of,
    turn_as_seen,
    turn_known_asked,
    turns_joined_to,
    turns_of,
    turns_unfinished,
)

__all__ = [
    "access_session",
    "access_turn",
    "exchanges_naming",
    "exchanges_nearest",
    "exchanges_opening",
    "memory_of",
    "session_newest",
    "session_owner",
    "session_waits",
    "sessions_abandoned",
    "sessions_of",
    "sessions_to_remember",
    "state_of",
    "turn_as_seen",
    "turn_known_asked",
    "turns_joined_to",
    "turns_of",
    "turns_unfinished",
]
