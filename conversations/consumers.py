"""The chat socket: one method per message type, no rules. The protocol is in widget/docs/protocol.md."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from typing import Any
from uuid import UUID

from channels.generic.websocket import AsyncJsonWebsocketConsumer

from conversations import errors, wiring
from conversations.adapters.event_log import EventLog, group_of
from conversations.adapters.outages import OUTAGES
from conversations.identity import Asker, asker_of_scope
from conversations.services.turns import turn_rate
from conversations.tasks import remember_later
from kernel.errors import DomainError
from tenants.logins import login_group, login_is_current
from tenants.threads import in_thread

log = logging.getLogger(__name__)
FRAME_LIMIT = 128 * 1024
SIGN_IN_AGAIN = 4401
TRY_AGAIN = 1013  # RFC 6455 registry: "Try Again Later"


class ChatConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """One browser tab. It follows one session at a time; whatever it misses, it reads from the event log."""

    asker: Asker
    session_id: UUID | None = None
    seq = 0

    async def connect(self) -> None:
        asker = await in_thread(asker_of_scope, self.scope)
        await self.accept()
        if asker is None:
            await self.close(SIGN_IN_AGAIN)
            return
        self.asker = asker
        if self._login:
            await self.channel_layer.group_add(login_group(self._login), self.channel_name)

    async def disconnect(self, code: int) -> None:
        await self._leave()
        if self._login:
            await self.channel_layer.group_discard(login_group(self._login), self.channel_name)

    @property
    def _login(self) -> str | None:
        """The login that this socket hangs on, None for a visitor's device."""
        session, asker = self.scope.get("session"), getattr(self, "asker", None)
        return session.session_key if session is not None and asker is not None and asker.user else None

    async def _still_signed_in(self) -> bool:
        if self._login is None or self.asker.user is None:
            return True
        return await in_thread(login_is_current, self._login, self.asker.user.pk)

    async def login_ended(self, message: dict[str, Any]) -> None:
        await self.close(SIGN_IN_AGAIN)

    async def receive(
        self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any
    ) -> None:
        """Dispatch `{"type": "ask"}` to `on_ask`; a refusal is answered in the product's one error shape."""
        frame: dict[str, Any] = {}
        try:
            frame = _decoded(text_data)
            if not await self._still_signed_in():
                await self.close(SIGN_IN_AGAIN)
                return
            await getattr(self, f"on_{frame['type']}", self.on_unknown)(frame)
        except DomainError as error:
            await self._refuse(error, frame)
        except OUTAGES as outage:
            log.warning("a chat command could not be carried out now, its tab will come back: %s", outage)
            await self._come_back()
        except Exception:
            log.exception("a chat command failed")
            await self._refuse(errors.TurnBroken(), frame)

    async def on_unknown(self, frame: dict[str, Any]) -> None:
        raise errors.UnknownCommand(reason=f"no command is called {frame['type'][:40]!r}")

    async def on_ping(self, frame: dict[str, Any]) -> None:
        await self.send_json({"type": "pong"})

    async def on_open(self, frame: dict[str, Any]) -> None:
        session_id = await in_thread(wiring.session_to_open, self.asker, _optional_id(frame, "session"))
        await self._follow(session_id)

    async def on_ask(self, frame: dict[str, Any]) -> None:
        session_id, client_id = _optional_id(frame, "session"), str(_id(frame, "id"))
        turn = await wiring.ask(
            self.asker,
            session_id=session_id,
            client_id=client_id,
            text=_text(frame, "text"),
            after_turn=remember_later,
        )
        await self._follow_new(turn.session_id)

    async def on_retry(self, frame: dict[str, Any]) -> None:
        turn = await wiring.retry(
            self.asker, turn_id=_id(frame, "turn"), client_id=str(_id(frame, "id")), after_turn=remember_later
        )
        await self._follow_new(turn.session_id)

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

    async def session_event(self, message: dict[str, Any]) -> None:
        """The channel layer rang. Forward the next number; read what was missed from the log."""
        event = message["event"]
        if event["session"] != str(self.session_id) or event["seq"] <= self.seq:
            return
        if event["seq"] == self.seq + 1:
            await self._forward(event)
            return
        for missed in await EventLog(UUID(event["session"])).since(self.seq):
            await self._forward(missed)

    async def _forward(self, event: dict[str, Any]) -> None:
        self.seq = event["seq"]
        await self.send_json(event)

    async def _follow_new(self, session_id: UUID) -> None:
        if session_id != self.session_id:
            await self._follow(session_id)

    async def _follow(self, session_id: UUID | None) -> None:
        """Join first, then take the snapshot: events in between are dropped by their number, none is lost."""
        await self._leave()
        if session_id is None:
            await self.send_json({"type": "opened", "session": None, "title": "", "seq": 0, "turns": []})
            return
        await self.channel_layer.group_add(group_of(session_id), self.channel_name)
        self.session_id = session_id
        snapshot = await wiring.snapshot(self.asker, session_id)
        self.seq = snapshot["seq"]
        await self.send_json({"type": "opened", **snapshot})
        wiring.answer_soon(session_id, remember_later)

    async def _leave(self) -> None:
        if self.session_id is not None:
            await self.channel_layer.group_discard(group_of(self.session_id), self.channel_name)
        self.session_id, self.seq = None, 0

    async def _come_back(self) -> None:
        """Commands are safe to repeat: a tab connects anew and sends again whatever was not acknowledged."""
        with suppress(OSError):  # the tab itself may be what is gone
            await self.close(TRY_AGAIN)

    async def _refuse(self, error: DomainError, frame: dict[str, Any]) -> None:
        ref = frame.get("id") or frame.get("turn")
        await self.send_json(
            {"type": "error", **error.as_dict(), "ref": ref if isinstance(ref, str) else None}
        )


def _decoded(text: str | None) -> dict[str, Any]:
    if text is None or len(text) > FRAME_LIMIT:
        raise errors.UnknownCommand(reason="a text frame of at most 128 kB is expected")
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.UnknownCommand(reason="not JSON") from error
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
