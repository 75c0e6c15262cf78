"""The archive behind a turn: a session's exchanges that have left its state, read only when a turn asks for them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from conversations import selectors
from conversations.domain.state import Exchange
from conversations.domain.vectors import Vector
from tenants.threads import in_thread


class SessionArchive:
    """The archive of one session of the current tenant (port `Archive`)."""

    def __init__(self, session_id: UUID) -> None:
        self._session_id = session_id

    async def naming(self, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
        return await in_thread(
            selectors.exchanges_naming, session_id=self._session_id, keys=keys, before=before
        )

    async def nearest(self, vector: Vector | None, before: int) -> tuple[Exchange, ...]:
        return await in_thread(
            selectors.exchanges_nearest, session_id=self._session_id, vector=vector, before=before
        )

    async def opening(self, count: int) -> tuple[Exchange, ...]:
        return await in_thread(selectors.exchanges_opening, session_id=self._session_id, count=count)
