"""What has come of a response is taken together, and its failure comes after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from conversations.adapters.read_ahead import ReadAhead


async def chunks(*parts: bytes, error: Exception | None = None) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    if error is not None:
        raise error


async def test_it_takes_everything_that_has_come_and_then_nothing():
    async with ReadAhead(chunks(b"one ", b"", b"two ", b"three")) as ahead:
        assert await ahead.take() == b"one two three"
        assert [await ahead.take(), await ahead.take()] == [b"", b""]


async def test_it_hands_out_what_came_before_the_reading_failed():
    async with ReadAhead(chunks(b"one", error=OSError("gone"))) as ahead:
        assert await ahead.take() == b"one"
        with pytest.raises(OSError, match="gone"):
            await ahead.take()


async def test_it_stops_reading_when_its_block_ends():
    ended = asyncio.Event()

    async def silent() -> AsyncIterator[bytes]:
        try:
            await asyncio.sleep(60)
            yield b"never"
        finally:
            ended.set()

    async with ReadAhead(silent()) as ahead:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await ahead.take()
    assert ended.is_set()
