"""A whole session as a browser sees it, up to an event number."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from conversations.adapters.event_log import EventLog
from conversations.models import TurnState
from conversations.selectors import access_session, turn_as_seen, turns_of
from tenants.threads import in_thread


async def session_as_seen(*, session_id: UUID, end_user_id: UUID) -> dict[str, Any]:
    """{session, title, seq, turns}: stored turns, and of a running one what its events have said so far.

    The number is read before the rows: an event that falls in between is told once more, and telling it twice
    changes nothing. Raises `SessionNotFound`.
    """
    session = await in_thread(access_session, session_id=session_id, end_user_id=end_user_id)
    events = EventLog(session_id, floor=session.event_seq)
    seq = await events.last()
    turns = await in_thread(turns_of, session_id=session_id)
    seen = [turn_as_seen(turn) for turn in turns]
    if any(turn.state == TurnState.RUNNING for turn in turns):
        _tell(seen, [event for event in await events.since(0) if event["seq"] <= seq])
    return {"session": str(session.pk), "title": str(session), "seq": seq, "turns": seen}


def _tell(turns: list[dict[str, Any]], events: list[dict[str, Any]]) -> None:
    """Bring running turns up to date with what was told of them."""
    running = {turn["id"]: turn for turn in turns if turn["state"] == TurnState.RUNNING}
    for event in events:
        turn = running.get(event.get("turn", ""))
        if turn is None:
            continue
        match event["type"]:
            case "turn.query":
                turn |= {key: event[key] for key in ("query", "display", "kind", "rewritten", "verdict")}
            case "turn.sources":
                turn["citations"] = event["citations"]
            case "turn.delta":
                turn["answer"] = turn["answer"][: event["at"]] + event["text"]
