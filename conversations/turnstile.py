"""Lets the questions of a process in a few at a time, in the order in which they came.

A process thinks with one processor. Fifty questions thought about at once are all answered at the end; one after the
other, most are answered long before, the last no later, and answers that are being streamed are not held up. A question
keeps its place until what is searched for was told, or a model is asked before that: nobody waits for a place while a
model is waited for, which costs no processor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from conversations.domain.ports import ChatModel, Message, ModelReply

PLACES = 2
LONGEST_SECONDS = 0.5
"""For a question that neither hears anything nor asks a model: its session is being answered, or the database is slow."""


class Place:
    """One question's place. Leaving it twice is leaving it once."""

    def __init__(self, turnstile: Turnstile, longest_seconds: float) -> None:
        self._turnstile: Turnstile | None = turnstile
        self._due = asyncio.get_running_loop().call_later(longest_seconds, self.leave)

    def leave(self) -> None:
        self._due.cancel()
        turnstile, self._turnstile = self._turnstile, None
        if turnstile is not None:
            turnstile.left()


class Turnstile:
    """Of one event loop. `longest_seconds` is for how long a place may be kept."""

    def __init__(self, places: int, longest_seconds: float) -> None:
        self._free, self._longest_seconds = asyncio.Semaphore(places), longest_seconds

    async def enter(self) -> Place:
        """Wait for a place, behind those who came before. What the caller begins from now on knows of it."""
        await self._free.acquire()
        place = Place(self, self._longest_seconds)
        _held.set(place)
        return place

    def left(self) -> None:
        self._free.release()


class MakingRoom:
    """A ChatModel, asking which ends the place of the question at hand."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner

    @property
    def label(self) -> str:
        return self._inner.label

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        _make_room()
        return await self._inner.reply(messages, schema)

    def stream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        _make_room()
        return self._inner.stream(messages)

    async def aclose(self) -> None:
        await self._inner.aclose()


_held: ContextVar[Place | None] = ContextVar("antecedent_place", default=None)


def _make_room() -> None:
    if (place := _held.get()) is not None:
        place.leave()


def turnstile() -> Turnstile:
    """That of the running event loop."""
    return _of_loop(asyncio.get_running_loop())


@lru_cache(maxsize=1)
def _of_loop(loop: asyncio.AbstractEventLoop) -> Turnstile:
    return Turnstile(PLACES, LONGEST_SECONDS)
