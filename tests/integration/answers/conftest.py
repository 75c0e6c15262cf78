"""A model server, and clients with short timeouts against it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from conversations.adapters.circuit import Circuit
from conversations.adapters.openai_chat import OpenAIChat, Timeouts
from conversations.adapters.openai_dialect import Endpoint
from tests.fakes.model_server import ModelServer, model_server

KEY = "sk-very-secret-0123456789"
SHORT = Timeouts(connect=1.0, first_token=3.0, between_tokens=0.8, total=6.0, whole=3.0)


@pytest.fixture(scope="session")
def running_server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def server(running_server: ModelServer) -> ModelServer:
    running_server.reset()
    return running_server


@pytest_asyncio.fixture
async def client(server: ModelServer) -> AsyncIterator[Callable[..., OpenAIChat]]:
    """Makes clients; each has an endpoint of its own unless `known` is given. Pauses take no time."""

    async def no_pause(seconds: float) -> None:
        pauses.append(seconds)

    pauses: list[float] = []
    async with AsyncExitStack() as stack:

        def make(**options: Any) -> OpenAIChat:
            options = {
                "base_url": server.url,
                "api_key": KEY,
                "model": "test-chat",
                "timeouts": SHORT,
                "known": Endpoint(circuit=Circuit(threshold=50)),
                "pause": no_pause,
                "spread": lambda low, high: low,
            } | options
            chat = OpenAIChat(**options)
            stack.push_async_callback(chat.aclose)
            return chat

        make.pauses = pauses  # type: ignore[attr-defined]
        yield make
