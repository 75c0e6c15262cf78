"""Reading conversations."""

from conversations.selectors.memory import (
    exchanges_naming,
    exchanges_nearest,
    memory_of,
    sessions_to_remember,
)
from conversations.selectors.sessions import (
    access_session,
    access_turn,
    event_seq_of,
    session_newest,
    session_waits,
    sessions_abandoned,
    sessions_of,
    state_of,
    state_version_of,
    stop_requested,
    turn_as_seen,
    turn_known,
    turns_joined_to,
    turns_of,
    turns_unfinished,
    turns_waiting,
)

__all__ = [
    "access_session",
    "access_turn",
    "event_seq_of",
    "exchanges_naming",
    "exchanges_nearest",
    "memory_of",
    "session_newest",
    "session_waits",
    "sessions_abandoned",
    "sessions_of",
    "sessions_to_remember",
    "state_of",
    "state_version_of",
    "stop_requested",
    "turn_as_seen",
    "turn_known",
    "turns_joined_to",
    "turns_of",
    "turns_unfinished",
    "turns_waiting",
]
