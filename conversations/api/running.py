"""Answers on a request: waited for, or read along."""

from __future__ import annotations

from asyncio import create_task
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from contextvars import Context
from typing import Any, TypeVar

from asgiref.sync import async_to_sync
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from rest_framework.request import Request

from conversations import wiring
from conversations.errors import SessionNotFound
from conversations.models import UNFINISHED, Turn, TurnState
from conversations.services.following import end_of, turn_events, turn_finished
from kernel.json import JsonObject
from tenants.threads import in_thread

R = TypeVar("R")
LONGEST_SECONDS = 180.0


def run(request: Request, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    """Run asynchronous work for a request: in the server's event loop, else in one of its own.

    The request's connection goes back to the pool first, so that those who wait for answers keep it from nobody.
    """
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
    if isinstance(request._request, ASGIRequest):
        return async_to_sync(_called)(work)
    return wiring.run_apart(_alone(work))


async def _called(work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    return await work()


async def _alone(work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    try:
        return await work()
    finally:
        await wiring.answers_ended()


async def finished(begin: Callable[[], Coroutine[Any, Any, Turn]]) -> Turn:
    """Begin a turn and wait for its end, for so long as a request may take. Raises `SessionNotFound` when it is deleted."""
    turn = await begin()
    ended: Turn | None = turn
    if turn.state in UNFINISHED:
        ended = await turn_finished(turn, after=await floor(turn), seconds=LONGEST_SECONDS)
    elif turn.state == TurnState.JOINED:
        ended = await turn_finished(turn, after=0, seconds=0)
    if ended is None:
        raise SessionNotFound
    return ended


async def events(turn: Turn) -> AsyncGenerator[JsonObject]:
    """What happens to a begun turn, to its end; of an ended one its end."""
    if turn.state not in (*UNFINISHED, TurnState.JOINED):
        yield end_of(turn)
        return
    async with aclosing(turn_events(turn, after=await floor(turn))) as told:
        async for event in told:
            yield event


async def in_context(frames: AsyncGenerator[str], context: Context) -> AsyncGenerator[str]:
    """The same, made inside a request's scope, which has ended when the server comes to read them."""
    try:
        while (frame := await create_task(_next(frames), context=context)) is not None:
            yield frame
    finally:
        await create_task(frames.aclose(), context=context)


async def _next(frames: AsyncGenerator[str]) -> str | None:
    return await anext(frames, None)


async def floor(turn: Turn) -> int:
    """The last event number before the turn, as its session said when it was accepted."""
    return await in_thread(lambda: turn.session.event_seq)
