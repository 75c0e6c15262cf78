"""Turns: ask, read along, stop, retry, rate, and look at what happened."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextvars import copy_context
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponseBase, StreamingHttpResponse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import wiring
from conversations.adapters.event_log import EventLog
from conversations.api import running, shapes
from conversations.api.askers import access_turn, asker_for, sight_for
from conversations.api.sessions import READERS
from conversations.errors import TurnNotFound
from conversations.identity import Asker
from conversations.models import UNFINISHED, Turn, TurnTrace
from conversations.services.following import turn_stored
from conversations.services.thoughts import MESSAGE_LIMIT
from conversations.services.turns import turn_rate
from conversations.tasks import remember_later
from kernel.errors import NotFound
from kernel.json import JsonObject
from tenants.rest.end_users import EndUserField, EndUserQuery
from tenants.rest.fields import Choice, Flag, Id, Input, JsonObjectField, Output, Text
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.threads import in_thread

TAG = "Turns"
Begin = Callable[[], Coroutine[Any, Any, Turn]]


class TurnInput(Input):
    text = Text(max_length=MESSAGE_LIMIT)
    session = Id(required=False, allow_null=True, help_text="A new conversation when left out.")
    id = Id(required=False, help_text="Your own id of the message: the same one never makes two turns.")
    end_user = EndUserField(required=False)
    stream = Flag(required=False, help_text="As server-sent events; so does `Accept: text/event-stream`.")


class AgainInput(Input):
    id = Id(required=False, help_text="Your own id of the new message.")
    end_user = EndUserField(required=False)
    stream = Flag(required=False)


class PersonInput(Input):
    end_user = EndUserField(required=False)


class RatingInput(Input):
    rating = Choice(["up", "down", "none"])
    reason = Text(max_length=500, required=False, allow_blank=True)
    end_user = EndUserField(required=False)


class TraceOutput(Output):
    turn = serializers.UUIDField()
    trace = JsonObjectField(help_text="What happened, stage by stage (docs/turns.md).")


class Turns(ApiView):
    """New messages."""

    @operation(
        "Ask",
        tag=TAG,
        may=May.CHAT,
        takes=TurnInput,
        answers=shapes.TurnOutput,
        status=201,
        repeatable=True,
        description=(
            "The message runs through the same pipeline as in the chat. The answer comes when the turn has ended, or, "
            "streamed, as the events of the chat protocol: each `event:` is a type, its `data:` the event, and the last "
            "one, `done`, holds the whole turn. An answer that takes longer than three minutes comes unfinished: read "
            "the turn later."
        ),
        sends={
            "text": "And for intensive care?",
            "session": shapes.TURN["session"],
            "end_user": {"subject": "patient-7"},
        },
        example=shapes.TURN,
    )
    def post(self, request: Request) -> Any:
        asked = self.read(TurnInput)
        asker = asker_for(self.caller, asked.get("end_user"))

        async def begin() -> Turn:
            return await wiring.ask(
                asker,
                session_id=asked.get("session"),
                client_id=str(asked.get("id") or uuid4()),
                text=asked["text"],
                after_turn=remember_later,
            )

        return answered(request, begin, stream=asked.get("stream", False))


class TurnDetail(ApiView):
    """One turn."""

    @operation(
        "Read a turn",
        tag=TAG,
        may=READERS,
        query=EndUserQuery,
        answers=shapes.TurnOutput,
        etag=True,
        example=shapes.TURN,
    )
    def get(self, request: Request, turn_id: UUID) -> Response:
        turn = access_turn(self.caller, turn_id, self.asked(EndUserQuery).get("end_user"))
        return Response(shapes.turn_shown(turn, sight_for(self.caller, turn.session)))


class TurnTraceDetail(ApiView):
    """What happened in a turn."""

    @operation(
        "Read the trace of a turn",
        tag=TAG,
        may=May.READ_CONVERSATIONS,
        answers=TraceOutput,
        etag=True,
        description="Without what would tell of documents that you may not see.",
        example={
            "turn": shapes.TURN["id"],
            "trace": {"stages": [{"name": "classify", "at": 0.0, "ms": 2.1}]},
        },
    )
    def get(self, request: Request, turn_id: UUID) -> Response:
        turn = access_turn(self.caller, turn_id, None)
        data = TurnTrace.objects.filter(turn=turn).values_list("data", flat=True).first()
        shown = sight_for(self.caller, turn.session).trace(data, turn.n)
        if shown is None:
            raise NotFound(what="trace")
        return Response({"turn": str(turn.pk), "trace": shown})


class TurnStop(ApiView):
    """The end of an answer that is being given."""

    @operation(
        "Stop an answer",
        tag=TAG,
        may=May.CHAT,
        takes=PersonInput,
        answers=shapes.TurnOutput,
        status=202,
        description="It ends where it is. A turn that has ended stays as it is.",
        sends={"end_user": {"subject": "patient-7"}},
        example={**shapes.TURN, "state": "stopped"},
    )
    def post(self, request: Request, turn_id: UUID) -> Response:
        asker = asker_for(self.caller, self.read(PersonInput).get("end_user"))
        running.run(request, lambda: wiring.stop(asker, turn_id=turn_id))
        return Response(shapes.turn_shown(_stored(turn_id)), status=202)


class TurnRetry(ApiView):
    """Another try at an answer that failed or was stopped."""

    @operation(
        "Ask the same again",
        tag=TAG,
        may=May.CHAT,
        takes=AgainInput,
        answers=shapes.TurnOutput,
        status=201,
        repeatable=True,
        description="As a new turn, for one that failed or was stopped.",
        sends={"end_user": {"subject": "patient-7"}},
        example=shapes.TURN,
    )
    def post(self, request: Request, turn_id: UUID) -> Any:
        asked = self.read(AgainInput)
        asker, client_id = asker_for(self.caller, asked.get("end_user")), str(asked.get("id") or uuid4())

        async def begin() -> Turn:
            return await wiring.retry(asker, turn_id=turn_id, client_id=client_id, after_turn=remember_later)

        return answered(request, begin, stream=asked.get("stream", False))


class TurnRating(ApiView):
    """What the person thinks of an answer."""

    @operation(
        "Rate an answer",
        tag=TAG,
        may=May.CHAT,
        takes=RatingInput,
        answers=shapes.TurnOutput,
        description="The last one holds.",
        sends={
            "rating": "down",
            "reason": "The hours are those of last year.",
            "end_user": {"subject": "patient-7"},
        },
        example={**shapes.TURN, "rating": "down"},
    )
    def put(self, request: Request, turn_id: UUID) -> Response:
        asked = self.read(RatingInput)
        asker = asker_for(self.caller, asked.get("end_user"))
        turn = running.run(request, lambda: rated(asker, turn_id, asked["rating"], asked.get("reason", "")))
        return Response(shapes.turn_shown(turn))


async def rated(asker: Asker, turn_id: UUID, rating: str, reason: str) -> Turn:
    """Store a rating and tell the tabs that show the turn."""
    turn = await in_thread(
        turn_rate, turn_id=turn_id, end_user_id=asker.end_user_id, rating=rating, reason=reason
    )
    await EventLog(turn.session_id).append("turn.rated", turn=str(turn.id), rating=turn.rating or "none")
    return turn


def answered(request: Request, begin: Begin, *, stream: bool) -> HttpResponseBase:
    """The ended turn, or its events while it is answered."""
    if stream or "text/event-stream" in request.headers.get("Accept", ""):
        return streamed(_frames(running.run(request, begin)))
    turn = running.run(request, lambda: running.finished(begin))
    return Response(shapes.turn_shown(turn), status=202 if turn.state in UNFINISHED else 201)


def streamed(frames: AsyncGenerator[str]) -> StreamingHttpResponse:
    """Server-sent events, past proxies that would collect them."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    told = running.in_context(frames, copy_context())
    return StreamingHttpResponse(told, content_type="text/event-stream; charset=utf-8", headers=headers)


async def _frames(turn: Turn) -> AsyncGenerator[str]:
    yield frame(
        "turn", {"id": str(turn.pk), "session": str(turn.session_id), "n": turn.n, "state": turn.state}
    )
    async for event in running.events(turn):
        yield frame(event["type"], event, number=event.get("seq"))
    ended = await in_thread(turn_stored, turn.pk)
    if ended is not None:
        yield frame("done", shapes.turn_shown(ended))


def frame(kind: str, data: JsonObject, *, number: int | None = None) -> str:
    numbered = f"id: {number}\n" if number is not None else ""
    return f"{numbered}event: {kind}\ndata: {json.dumps(data)}\n\n"


def _stored(turn_id: UUID) -> Turn:
    turn = turn_stored(turn_id)
    if turn is None:
        raise TurnNotFound
    return turn
