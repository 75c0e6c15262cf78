"""The chat without a socket: commands by POST, events as a stream. For networks that cut WebSockets."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from contextvars import copy_context
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from conversations import wiring
from conversations.api.running import in_context
from conversations.commands import FETCH_A_TOKEN, NOTHING_OPEN, Commands, close_code
from conversations.identity import (
    Asker,
    asker_of_token,
    check_asker,
    from_own_page,
    standing_groups,
    token_of_header,
)
from conversations.services.following import LOOK_SECONDS
from conversations.services.reading_along import MOVED, session_events
from conversations.tasks import remember_later
from kernel.errors import DomainError, Invalid
from tenants.errors import OriginNotAllowed, SessionTokenRefused
from tenants.standing import CHANGED
from tenants.threads import in_thread

LARGEST_BODY = 512 * 1024
MOST_FRAMES = 50
# A token is looked up again, and the line kept warm, after so many silences.
SILENCES = round(14 / LOOK_SECONDS)


class Exchange(Commands):
    """One request's commands; what a socket would be told is collected for its answer."""

    def __init__(self, asker: Asker, following: str | None) -> None:
        self.asker, self._following = asker, following
        self.frames: list[dict[str, Any]] = []
        self.is_over = False

    async def tell(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)

    async def send_away(self, code: int) -> None:
        self.is_over = True
        await self.tell(_close(code))

    async def follow_new(self, session_id: UUID) -> None:
        if str(session_id) != self._following:
            await self.follow(session_id)

    async def follow(self, session_id: UUID | None) -> None:
        if session_id is None:
            await self.tell(NOTHING_OPEN)
            return
        self._following = str(session_id)
        await self.tell({"type": "opened", **await wiring.snapshot(self.asker, session_id)})
        wiring.answer_soon(session_id, remember_later)


@csrf_exempt  # who asks is in a header that no other site's page can send
@require_POST
@never_cache
async def commands(request: HttpRequest) -> HttpResponse:
    """`{"following", "frames"}` → `{"frames"}`: what the socket would have answered, `close` included."""
    following, frames = _sent(request)
    try:
        exchange = Exchange(await in_thread(access_holder, request), following)
    except DomainError as error:
        return JsonResponse({"frames": [_close(close_code(error))]})
    for frame in frames:
        if not exchange.is_over:
            await exchange.obey(frame)
    return JsonResponse({"frames": exchange.frames})


@require_GET
@never_cache
async def events(request: HttpRequest) -> HttpResponseBase:
    """The numbered events of `?session=` after the header `Last-Event-ID`, as they come."""
    try:
        asker = await in_thread(access_holder, request)
    except DomainError as error:
        return _streamed(_only(_close(close_code(error))))
    session_id, after = _place(request)
    await in_thread(wiring.session_to_open, asker, session_id)
    return _streamed(_events(asker, session_id, after))


def access_holder(request: HttpRequest) -> Asker:
    """Who holds the request's session token. No cookie counts here. Raises what `asker_of_token` raises."""
    if not from_own_page(request):
        raise OriginNotAllowed(origin=request.headers["Origin"][:200])
    token = token_of_header(request.headers.get("Authorization", ""))
    if token is None:
        raise SessionTokenRefused
    return asker_of_token(request.tenant, token, login=request.session.session_key)  # type: ignore[attr-defined]


async def _events(asker: Asker, session_id: UUID, after: int) -> AsyncGenerator[str]:
    yield ": here\n\n"
    silences, owner, grounds = 0, asker.end_user_id, standing_groups(asker)
    async with aclosing(session_events(session_id, after=after, owner=owner, grounds=grounds)) as along:
        async for event in along:
            if event is None or event["type"] == CHANGED:
                silences += event is None
                is_due = event is not None or silences % SILENCES == 0
                if is_due and (code := await _refusal(asker)):
                    yield _frame(_close(code))
                    return
                yield ": still here\n\n" if is_due else ""
                continue
            yield _frame(_close(FETCH_A_TOKEN) if event["type"] == MOVED else event)


async def _refusal(asker: Asker) -> int | None:
    try:
        await in_thread(check_asker, asker)
    except DomainError as error:
        return close_code(error)
    return None


async def _only(frame: dict[str, Any]) -> AsyncGenerator[str]:
    yield _frame(frame)


def _frame(event: dict[str, Any]) -> str:
    numbered = f"id: {event['seq']}\n" if "seq" in event else ""
    return f"{numbered}data: {json.dumps(event)}\n\n"


def _close(code: int) -> dict[str, Any]:
    return {"type": "close", "code": code}


def _streamed(frames: AsyncGenerator[str]) -> StreamingHttpResponse:
    """Past proxies that would collect or compress it."""
    headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
    told = in_context(frames, copy_context())
    return StreamingHttpResponse(told, content_type="text/event-stream; charset=utf-8", headers=headers)


def _sent(request: HttpRequest) -> tuple[str | None, list[Any]]:
    try:
        body = json.loads(request.body) if len(request.body) <= LARGEST_BODY else None
    except (ValueError, RecursionError):
        body = None
    frames = body.get("frames") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(frames, list) or len(frames) > MOST_FRAMES:
        raise Invalid(reason=f"A JSON object with at most {MOST_FRAMES} `frames` is expected.")
    following = body.get("following")
    return (following if isinstance(following, str) else None), frames


def _place(request: HttpRequest) -> tuple[UUID, int]:
    try:
        return UUID(request.GET.get("session", "")), int(request.headers.get("Last-Event-ID", "0"))
    except ValueError as error:
        raise Invalid(reason="`session` is a UUID and `Last-Event-ID` a number.") from error
