"""What one process can pass on: a model's stream, checked for citations, told as events and heard by who follows.

Everything that a streamed answer costs for as long as it streams, without the turn around it: nothing is understood,
searched or stored. Whole turns over sockets are `socket_bench.streams_per_second`.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import UUID, uuid4

import uvloop
from channels.layers import get_channel_layer

from config import bench_model
from conversations.adapters.event_log import EventLog, close_client, group_of
from conversations.adapters.openai_chat import OpenAIChat
from conversations.domain.answer.citations import CitationStream, cited
from conversations.domain.turn_events import AnswerPiece
from conversations.models import Turn
from conversations.services.live_turn import LiveTurn
from kernel.json import json_text
from tenants.scoping import tenant_scope

TOKENS = 200
_AT_ONCE = 50
_CHARACTERS = len(cited(bench_model.Script(TOKENS).text, ()).text)
_MESSAGES: Any = [{"role": "user", "content": "When does the branch open?"}]


def relayed_per_second(answers: int) -> float:
    """Answers of 200 tokens that one process passes on in a second, fifty at once."""
    with (
        bench_model.running(bench_model.Script(TOKENS)) as url,
        tenant_scope(uuid4()),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        model = OpenAIChat(base_url=url, api_key="bench", model="bench")  # pragma: allowlist secret
        return runner.run(_measured(model, answers))


async def _measured(model: OpenAIChat, answers: int) -> float:
    running: set[UUID] = set()
    places = asyncio.Semaphore(_AT_ONCE)

    async def one() -> None:
        async with places:
            await _relayed(model, running)

    try:
        await one()
        began = time.perf_counter()
        await asyncio.gather(*(one() for _ in range(answers)))
        return round(answers / (time.perf_counter() - began), 1)
    finally:
        await model.aclose()
        await close_client()


async def _relayed(model: OpenAIChat, running: set[UUID]) -> None:
    """One answer, from the model's server to somebody who follows the session."""
    turn = Turn(id=uuid4(), session_id=uuid4())
    layer: Any = get_channel_layer()
    channel, group = await layer.new_channel(), group_of(turn.session_id)
    await layer.group_add(group, channel)
    running.add(turn.id)
    live = LiveTurn(turn, EventLog(turn.session_id), at_once=lambda: len(running))
    async with asyncio.TaskGroup() as both:
        both.create_task(_heard(layer, channel))
        both.create_task(_said(model, live))
    running.discard(turn.id)
    await layer.group_discard(group, channel)


async def _said(model: OpenAIChat, live: LiveTurn) -> None:
    """Take the stream as a turn does: nothing of it is shown before it was checked."""
    checked, at = CitationStream(()), 0
    async for piece in model.stream(_MESSAGES):
        text = checked.feed(piece)
        live.take(AnswerPiece(at, text))
        at += len(text)
    live.take(AnswerPiece(at, checked.finish()))
    await live.flush()


async def _heard(layer: Any, channel: str) -> None:
    """Receive events as a socket does, until the whole answer has come."""
    heard = 0
    while heard < _CHARACTERS:
        for event in (await layer.receive(channel))["events"]:
            json_text(event)  # as it goes out on a socket
            heard += len(event["text"])
