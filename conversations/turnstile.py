"""Lets the questions of a process in a few at a time, in the order in which they came.

A process thinks with one processor. Fifty questions thought about at once are all answered at the end; one after the
other, most are answered long before, the last no later, and answers that are being streamed are not held up. A question
keeps its place until what is searched for was told, and never for long: from then on others are waited for (a model, a
database), which costs no processor.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache

PLACES = 2
LONGEST_SECONDS = 0.08
"""Together 25 questions a second, more than a process can think about: nobody is kept waiting for a slow model's sake."""


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
        """Wait for a place, behind those who came before."""
        await self._free.acquire()
        return Place(self, self._longest_seconds)

    def left(self) -> None:
        self._free.release()


def turnstile() -> Turnstile:
    """That of the running event loop."""
    return _of_loop(asyncio.get_running_loop())


@lru_cache(maxsize=1)
def _of_loop(loop: asyncio.AbstractEventLoop) -> Turnstile:
    return Turnstile(PLACES, LONGEST_SECONDS)
