"""What a chat frame says, whichever way it comes: one method per message type, no rules.

The socket (`consumers`) and its stand-in over HTTP (`views_stream`) both obey; the protocol is in widget/docs/protocol.md.
"""

from __future__ import annotations

import json
import logging
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any
from uuid import UUID

from conversations import errors, wiring
from conversations.adapters.event_log import EventLog
from conversations.adapters.outages import OUTAGES
from conversations.identity import Asker, asker_renewed, check_asker
from conversations.services.turns import turn_rate
from conversations.tasks import remember_later
from kernel.errors import DomainError
from kernel.observed import Counted, count
from kernel.traced import NOTHING, Kind, Span, span
from tenants.errors import SessionTokenExpired, TenantSuspended, WidgetKeyRevoked
from tenants.threads import in_thread

log = logging.getLogger(__name__)
FRAME_LIMIT = 128 * 1024
SIGN_IN_AGAIN = 4401
NO_ACCESS = 4403
FETCH_A_TOKEN = 4408
TRY_AGAIN = 1013  # RFC 6455 registry: "Try Again Later"
NOTHING_OPEN: dict[str, Any] = {"type": "opened", "session": None, "title": "", "seq": 0, "turns": []}


class Commands:
    """One browser tab's commands. Whoever carries them says how an answer reaches it and what following means."""

    asker: Asker
    ends_at: datetime | None = None
    """When what the tab came with ends by itself, as far as the last look showed."""

    async def tell(self, frame: dict[str, Any]) -> None:
        """Send the tab one frame."""
        raise NotImplementedError

    async def send_away(self, code: int) -> None:
        """End the connection with a code of the protocol."""
        raise NotImplementedError

    async def follow(self, session_id: UUID | None) -> None:
        """Show the tab a session, whole and as it goes on."""
        raise NotImplementedError

    async def follow_new(self, session_id: UUID) -> None:
        """The same unless it is followed already."""
        raise NotImplementedError

    async def obey(self, frame: Any) -> None:
        """Dispatch `{"type": "ask"}` to `on_ask`; a refusal is answered in the product's one error shape."""
        try:
            frame = checked(frame)
            method = getattr(self, f"on_{frame['type']}", self.on_unknown)
            with _traced(method.__name__):
                if frame["type"] != "renew" and not await self._still_counts():
                    return
                await method(frame)
        except DomainError as error:
            await self._refuse(error, frame)
        except OUTAGES as outage:
            log.warning("a chat command could not be carried out now, its tab will come back: %s", outage)
            await self.send_away(TRY_AGAIN)
        except Exception:
            log.exception("a chat command failed")
            await self._refuse(errors.TurnBroken(), frame)

    async def _still_counts(self) -> bool:
        """Before every command: what the tab came with may have ended meanwhile. If so, the tab is told and sent away."""
        try:
            self.ends_at = await in_thread(check_asker, self.asker)
        except DomainError as error:
            await self.send_away(close_code(error))
            return False
        return True

    async def _refuse(self, error: DomainError, frame: Any) -> None:
        count(Counted.REFUSALS, code=error.code)
        named = frame if isinstance(frame, dict) else {}
        ref = named.get("id") or named.get("turn")
        await self.tell({"type": "error", **error.as_dict(), "ref": ref if isinstance(ref, str) else None})

    async def on_unknown(self, frame: dict[str, Any]) -> None:
        raise errors.UnknownCommand(reason=f"no command is called {frame['type'][:40]!r}")

    async def on_ping(self, frame: dict[str, Any]) -> None:
        await self.tell({"type": "pong"})

    async def on_renew(self, frame: dict[str, Any]) -> None:
        """A fresh session token in place of the one that is about to expire."""
        self.asker = await in_thread(asker_renewed, self.asker, _text(frame, "token"))
        await self.tell({"type": "renewed"})

    async def on_open(self, frame: dict[str, Any]) -> None:
        session_id = await in_thread(wiring.session_to_open, self.asker, _optional_id(frame, "session"))
        await self.follow(session_id)

    async def on_ask(self, frame: dict[str, Any]) -> None:
        session_id, client_id = _optional_id(frame, "session"), str(_id(frame, "id"))
        turn = await wiring.ask(
            self.asker,
            session_id=session_id,
            client_id=client_id,
            text=_text(frame, "text"),
            after_turn=remember_later,
        )
        await self.follow_new(turn.session_id)

    async def on_retry(self, frame: dict[str, Any]) -> None:
        turn = await wiring.retry(
            self.asker, turn_id=_id(frame, "turn"), client_id=str(_id(frame, "id")), after_turn=remember_later
        )
        await self.follow_new(turn.session_id)

    async def on_stop(self, frame: dict[str, Any]) -> None:
        await wiring.stop(self.asker, turn_id=_id(frame, "turn"))

    async def on_rate(self, frame: dict[str, Any]) -> None:
        turn = await in_thread(
            turn_rate,
            turn_id=_id(frame, "turn"),
            end_user_id=self.asker.end_user_id,
            rating=_text(frame, "rating"),
            reason=_text(frame, "reason", ""),
        )
        await EventLog(turn.session_id).append("turn.rated", turn=str(turn.id), rating=turn.rating or "none")


def _traced(method: str) -> AbstractContextManager[Span]:
    """Every command begins a trace but the one that each open tab sends all the time."""
    name = method.removeprefix("on_")
    return NOTHING if name == "ping" else span(f"chat {name}", Kind.SERVED)


def close_code(error: DomainError) -> int:
    """What a tab is told when what it came with does not count."""
    if isinstance(error, SessionTokenExpired):
        return FETCH_A_TOKEN
    return NO_ACCESS if isinstance(error, WidgetKeyRevoked | TenantSuspended) else SIGN_IN_AGAIN


def decoded(text: str | None) -> Any:
    """The JSON of a text frame. Raises `UnknownCommand`."""
    if text is None or len(text) > FRAME_LIMIT:
        raise errors.UnknownCommand(reason="a text frame of at most 128 kB is expected")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.UnknownCommand(reason="not JSON") from error


def checked(frame: Any) -> dict[str, Any]:
    """The frame if it is one. Raises `UnknownCommand`."""
    if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
        raise errors.UnknownCommand(reason="an object with a `type` is expected")
    return frame


def _text(frame: dict[str, Any], name: str, default: str | None = None) -> str:
    value = frame.get(name, default)
    if not isinstance(value, str):
        raise errors.UnknownCommand(reason=f"`{name}` must be a text")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise errors.UnknownCommand(reason=f"`{name}` holds half a character")
    return value


def _id(frame: dict[str, Any], name: str) -> UUID:
    try:
        return UUID(_text(frame, name))
    except ValueError as error:
        raise errors.UnknownCommand(reason=f"`{name}` must be a UUID") from error


def _optional_id(frame: dict[str, Any], name: str) -> UUID | None:
    return None if frame.get(name) is None else _id(frame, name)
