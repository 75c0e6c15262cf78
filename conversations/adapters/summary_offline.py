"""Summarises a stretch of turns by its own sentences: no model, no network, and the twin of the model's summary."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from conversations.domain.memory.summary import Analyse, rolling_part
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.domain.state import Exchange


class OfflineSummary:
    """Keeps every number, name and decision. `analyse` is the language of the deployment."""

    def __init__(self, analyse: Analyse) -> None:
        self._analyse = analyse

    async def part(
        self, exchanges: Sequence[Exchange], facts: Sequence[Fact] = (), *, final: bool = True
    ) -> SummaryPart:
        """The part about these exchanges, oldest first; computed beside the event loop."""
        return await asyncio.to_thread(rolling_part, exchanges, self._analyse)
