"""Reads a response ahead of whoever takes it, so that what came together is handled together.

The HTTP client hands out a chunk at a time even where a hundred have arrived; waiting for each under a timeout of its
own costs more than reading it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

_MOST_CHUNKS = 1024


class ReadAhead:
    """Inside `async with`, a task reads; the source is left alone when the block ends."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._read: asyncio.Queue[bytes] = asyncio.Queue(_MOST_CHUNKS)
        self._failure: Exception | None = None
        self._ended = False

    async def __aenter__(self) -> Self:
        self._reader = asyncio.create_task(self._read_on())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def take(self) -> bytes:
        """Everything that has come, at least something; nothing at the end. Then raises what the reading raised."""
        pieces: list[bytes] = []
        while not self._ended and not (pieces and self._read.empty()):
            pieces.append(await self._read.get())
            self._ended = not pieces[-1]
        if self._failure is not None and not any(pieces):
            raise self._failure
        return b"".join(pieces)

    async def _read_on(self) -> None:
        try:
            async for chunk in self._chunks:
                if chunk:
                    await self._read.put(chunk)
        except Exception as error:
            self._failure = error
        await self._read.put(b"")
