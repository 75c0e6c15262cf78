"""Each test has an event loop of its own, and leaves no connection of that loop's client of Valkey behind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest


@pytest.fixture(autouse=True)
async def nothing_left_open() -> AsyncIterator[None]:
    from conversations import wiring
    from conversations.adapters.event_log import close_client

    yield
    await wiring.answers_ended()
    await close_client()
