"""Lets a chat model summarise a stretch of turns, and falls back to the offline summary whatever goes wrong.

A stretch that may still grow is summarised offline: it would be written again with every turn that is added.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from conversations.adapters.summary_offline import OfflineSummary
from conversations.domain.answer import ModelError
from conversations.domain.memory.model_summary import (
    SUMMARY_SCHEMA,
    MalformedSummary,
    parse_summary,
    summary_messages,
)
from conversations.domain.memory.summary import Analyse
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.domain.ports import ChatModel
from conversations.domain.prompts import SUMMARIZE, Prompt
from conversations.domain.state import Exchange

log = logging.getLogger(__name__)


class ModelSummary:
    """One model call for each finished stretch; what it writes is taken only when it is true to what was said."""

    def __init__(self, model: ChatModel, analyse: Analyse, prompt: Prompt = SUMMARIZE) -> None:
        self._model, self._analyse, self._prompt = model, analyse, prompt
        self._offline = OfflineSummary(analyse)

    async def part(
        self, exchanges: Sequence[Exchange], facts: Sequence[Fact] = (), *, final: bool = True
    ) -> SummaryPart:
        """The part about these exchanges, oldest first; `facts` are the ledger of these turns."""
        written = await self._written(exchanges, facts) if final else None
        return written or await self._offline.part(exchanges, facts)

    async def _written(self, exchanges: Sequence[Exchange], facts: Sequence[Fact]) -> SummaryPart | None:
        try:
            reply = await self._model.reply(summary_messages(exchanges, self._prompt), SUMMARY_SCHEMA)
        except ModelError as error:
            log.info("summary written offline: %s", error.code)
            return None
        parsed = await asyncio.to_thread(
            parse_summary,
            reply.text,
            exchanges,
            engine=self._model.label,
            analyse=self._analyse,
            facts=facts,
        )
        if isinstance(parsed, MalformedSummary):
            log.info("summary written offline: %s", parsed.reason.partition(":")[0])
            return None
        return parsed
