"""The chat socket: how a tab is connected and kept up to date. What it may say is in `commands`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any
from uuid import UUID

from channels.generic.websocket import AsyncJsonWebsocketConsumer

from conversations import wiring
from conversations.adapters.event_log import EventLog, group_of
from conversations.adapters.outages import OUTAGES
from conversations.commands import (
    FETCH_A_TOKEN,
    NOTHING_OPEN,
    SIGN_IN_AGAIN,
    Commands,
    close_code,
    decoded,
)
from conversations.identity import SUBPROTOCOL, asker_of_scope, standing_groups
from conversations.services.following import news
from conversations.tasks import remember_later
from conversations.turnstile import Place, turnstile
from kernel.clock import now
from kernel.errors import DomainError
from kernel.log_ids import logged_as
from kernel.observed import Held, hold
from tenants.threads import in_thread

log = logging.getLogger(__name__)
LOOK_SECONDS = 30.0
"""How long a socket that says nothing goes unlooked at. The frame's own pings come more often."""
SOON = 0.1


class ChatConsumer(Commands, AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """One browser tab. It follows one session at a time; whatever it misses, it reads from the event log."""

    session_id: UUID | None = None
    seq = 0
    groups: frozenset[str] = frozenset()
    is_over = False
    look_at = 0.0
    _looking: asyncio.Task[None] | None = None
    _place: Place | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """The whole life of the connection, however it ends."""
        hold(Held.SOCKETS_OPEN, 1)
        try:
            await super().__call__(scope, receive, send)
        finally:
            hold(Held.SOCKETS_OPEN, -1)

    async def connect(self) -> None:
        asker, refused = None, SIGN_IN_AGAIN
        try:
            asker = await in_thread(asker_of_scope, self.scope)
        except DomainError as error:
            refused = close_code(error)
        # Accepted before it is closed: the browser would not learn the code of a refused handshake.
        await self.accept(SUBPROTOCOL if SUBPROTOCOL in self.scope["subprotocols"] else None)
        if asker is None:
            await self.close(refused)
            return
        self.asker = asker
        # Joined first, then looked: a change in between is not missed.
        await self._stand()
        await self._look()
        self._looking = asyncio.create_task(self._keep_looking())

    async def disconnect(self, code: int) -> None:
        self.is_over = True
        if self._looking is not None:
            self._looking.cancel()
        self._make_room()
        await self._leave()
        for group in self.groups:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def standing_changed(self, message: dict[str, Any]) -> None:
        """Something that lets this tab in was changed (`tenants.standing`)."""
        await self._look()

    async def on_renew(self, frame: dict[str, Any]) -> None:
        await super().on_renew(frame)
        await self._stand()

    async def on_ask(self, frame: dict[str, Any]) -> None:
        await self._in_turn(super().on_ask(frame))

    async def on_retry(self, frame: dict[str, Any]) -> None:
        await self._in_turn(super().on_retry(frame))

    async def _in_turn(self, asking: Coroutine[Any, Any, None]) -> None:
        """Not all at once: see `turnstile`. The place is kept beyond the asking, until what is searched for is told."""
        self._make_room()
        try:
            self._place = await turnstile().enter()
            await asking
        except BaseException:
            asking.close()
            self._make_room()
            raise

    def _make_room(self) -> None:
        if self._place is not None:
            self._place.leave()

    async def _stand(self) -> None:
        """Be told of changes to whatever lets this tab in."""
        groups = standing_groups(self.asker)
        for group in groups - self.groups:
            await self.channel_layer.group_add(group, self.channel_name)
        self.groups |= groups

    async def _keep_looking(self) -> None:
        """For what rings no bell (an end that was foreseen) and for bells that were missed."""
        while not self.is_over:
            left = self.look_at - asyncio.get_running_loop().time()
            if left > 0:
                await asyncio.sleep(left)
            else:
                await self._look()

    async def _look(self) -> None:
        try:
            await self._still_counts()
        except OUTAGES as outage:
            log.warning(
                "whether a tab still counts cannot be seen now, it will be looked at again: %s", outage
            )
            self._looked()

    async def _still_counts(self) -> bool:
        counts = await super()._still_counts()
        self._looked()
        return counts

    def _looked(self) -> None:
        left = (self.ends_at - now()).total_seconds() if self.ends_at else LOOK_SECONDS
        self.look_at = asyncio.get_running_loop().time() + min(LOOK_SECONDS, max(SOON, left))

    async def receive(
        self, text_data: str | None = None, bytes_data: bytes | None = None, **kwargs: Any
    ) -> None:
        if self.is_over or not hasattr(self, "asker"):
            return  # sent before the tab had heard that it was refused
        try:
            frame = decoded(text_data)
        except DomainError as error:
            await self._refuse(error, {})
            return
        with logged_as(session=self.session_id):
            await self.obey(frame)

    async def tell(self, frame: dict[str, Any]) -> None:
        await self.send_json(frame)

    async def send_away(self, code: int) -> None:
        """Commands are safe to repeat: a tab that may come back sends again whatever was not acknowledged."""
        if self.is_over:
            return
        self.is_over = True
        with suppress(*OUTAGES):
            await self._leave()
        with suppress(OSError):  # the tab itself may be what is gone
            await self.close(code)

    async def session_moved(self, message: dict[str, Any]) -> None:
        """The session is another's now, who came to be known on this device: nothing more of it is shown here."""
        if message["session"] == str(self.session_id) and message["owner"] != str(self.asker.end_user_id):
            await self.send_away(FETCH_A_TOKEN)

    async def session_events(self, message: dict[str, Any]) -> None:
        """The channel layer rang. Forward the next numbers; read what was missed from the log."""
        if message["session"] == str(self.session_id):
            log = EventLog(UUID(message["session"]))
            for event in await news(log, self.seq, message["events"]):
                await self._forward(event)

    async def _forward(self, event: dict[str, Any]) -> None:
        self.seq = event["seq"]
        if event["type"] != "turn.accepted":
            self._make_room()
        await self.send_json(event)

    async def follow_new(self, session_id: UUID) -> None:
        if session_id != self.session_id:
            await self.follow(session_id)

    async def follow(self, session_id: UUID | None) -> None:
        """Join first, then take the snapshot: events in between are dropped by their number, none is lost."""
        await self._leave()
        if session_id is None:
            await self.send_json(NOTHING_OPEN)
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
