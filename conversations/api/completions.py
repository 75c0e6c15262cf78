"""The door that OpenAI's clients know: a workspace's assistant as a model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from rest_framework.request import Request
from rest_framework.response import Response

from conversations import wiring
from conversations.api import completion_shapes as shapes
from conversations.api import running
from conversations.api.askers import asker_for
from conversations.api.completion_history import Said, session_of_history
from conversations.api.turns import streamed
from conversations.identity import Asker
from conversations.models import UNFINISHED, Turn, TurnState, TurnTrace
from conversations.services.following import turn_stored
from conversations.services.importing import history_import
from conversations.tasks import remember_later
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.rest.authentication import ByKey
from tenants.rest.callers import Caller
from tenants.rest.errors import BadFields
from tenants.rest.operations import ANYBODY_KNOWN, operation
from tenants.rest.views import MEGABYTE, ApiView
from tenants.roles import May
from tenants.services.end_users import end_user_for_subject
from tenants.threads import in_thread

TAG = "OpenAI-compatible"
SESSION_HEADER = "X-Antecedent-Session"
# Clients that ask for these cannot do with an answer that passes them over.
REFUSED = {
    "tools": "answers come from the workspace's documents, and no tool is called",
    "functions": "answers come from the workspace's documents, and no function is called",
    "response_format": "answers are Markdown with numbered citations",
    "modalities": "answers are text",
    "audio": "answers are text",
    "logprobs": "there are no probabilities to give",
}
_NOTHING: tuple[Any, ...] = (None, [], {}, False, {"type": "text"}, ["text"])


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request, read: who asks, what, in which session, after which history."""

    asker: Asker
    model: str
    text: str
    session_id: UUID | None
    history: tuple[Said, ...]
    include_usage: bool


@dataclass(frozen=True, slots=True)
class Begun:
    """A turn on its way. `history` is what became of the one that was sent: none, known, imported or session."""

    turn: Turn
    history: str


class Models(ApiView):
    """The models that a key may use: one."""

    authentication_classes: Any = (ByKey,)
    strict_query = False

    @operation(
        "List models",
        tag=TAG,
        may=ANYBODY_KNOWN,
        answers=shapes.ModelsOutput,
        description="The workspace's assistant, named by the workspace's short name.",
        example={
            "object": "list",
            "data": [{"id": "hospital", "object": "model", "created": 1795000000, "owned_by": "hospital"}],
        },
    )
    def get(self, request: Request) -> Response:
        return Response({"object": "list", "data": [model_shown(self.caller)]})


class ModelDetail(ApiView):
    """One model."""

    authentication_classes: Any = (ByKey,)
    strict_query = False

    @operation(
        "Read a model",
        tag=TAG,
        may=ANYBODY_KNOWN,
        answers=shapes.ModelOutput,
        example={"id": "hospital", "object": "model", "created": 1795000000, "owned_by": "hospital"},
    )
    def get(self, request: Request, model: str) -> Response:
        check_model(self.caller, model)
        return Response(model_shown(self.caller))


class ChatCompletions(ApiView):
    """Questions in OpenAI's dialect."""

    authentication_classes: Any = (ByKey,)
    strict_query = False
    most_bytes = 4 * MEGABYTE

    @operation(
        "Complete a chat",
        tag=TAG,
        may=May.CHAT,
        takes=shapes.CompletionInput,
        answers=shapes.CompletionOutput,
        description=(
            "The last user message is the turn. `user` names the end user; the conversation is named by "
            "`metadata.session_id` or the header `X-Antecedent-Session`, and its id comes back in both. Without one, a "
            "history that was held here is recognised and goes on; of any other, what the person said is taken along, "
            "and what an assistant said is not. System messages and sampling parameters are read over. See "
            "docs/openai.md."
        ),
        sends={
            "model": "hospital",
            "user": "patient-7",
            "messages": [{"role": "user", "content": "When are visiting hours?"}],
        },
    )
    def post(self, request: Request) -> Any:
        wanted = wanted_of(self.caller, request, self.read(shapes.CompletionInput))
        if request.data.get("stream"):
            begun = running.run(request, lambda: begin(wanted))
            response = streamed(_pieces(begun, wanted, request))
            response.headers[SESSION_HEADER] = str(begun.turn.session_id)
            return response
        begun = running.run(request, lambda: answered(wanted))
        told = shapes.completion(
            begun.turn,
            model=wanted.model,
            usage=usage_of(begun.turn),
            history=begun.history,
            request=request._request,
        )
        return Response(told, headers={SESSION_HEADER: str(begun.turn.session_id)})


def check_model(caller: Caller, model: str) -> None:
    if model != caller.tenant.slug:
        raise shapes.ModelNotFound(model=model[:100], known=caller.tenant.slug)


def model_shown(caller: Caller) -> JsonObject:
    tenant = caller.tenant
    created = int(tenant.created_at.timestamp())
    return {"id": tenant.slug, "object": "model", "created": created, "owned_by": tenant.slug}


def wanted_of(caller: Caller, request: Request, asked: JsonObject) -> Wanted:
    """Raises `ModelNotFound`, `ParameterUnsupported`, `BadFields`."""
    check_model(caller, asked["model"])
    _check_supported(request.data, asked)
    said = [Said(m["role"], shapes.text_of(m.get("content"))) for m in asked["messages"]]
    history, text = _parted(said)
    return Wanted(
        asker=asker_of(caller, asked, request),
        model=asked["model"],
        text=text,
        session_id=_session_asked(request, asked),
        history=history,
        include_usage=bool((asked.get("stream_options") or {}).get("include_usage")),
    )


def asker_of(caller: Caller, asked: JsonObject, request: Request) -> Asker:
    """The named end user; where a program names nobody, a person of the key's own, who may see what visitors see."""
    subject = asked.get("user") or request.data.get("safety_identifier")
    if isinstance(subject, str) and subject:
        return asker_for(caller, {"subject": subject})
    assert caller.key is not None, "this door is entered by key"
    nobody = end_user_for_subject(subject=f"key-{caller.key.pk}", name=caller.key.name)
    return Asker(caller.tenant, nobody, None)


def _check_supported(data: Any, asked: JsonObject) -> None:
    for parameter, reason in REFUSED.items():
        if data.get(parameter) not in _NOTHING:
            raise shapes.ParameterUnsupported(parameter=parameter, reason=reason)
    if (asked.get("n") or 1) != 1:
        raise shapes.ParameterUnsupported(parameter="n", reason="there is one answer to a question")
    if len(asked["messages"]) > shapes.MOST_MESSAGES:
        reason = f"at most {shapes.MOST_MESSAGES} are read. Name the session, and send the new one alone"
        raise shapes.ParameterUnsupported(parameter="messages", reason=reason)


def _parted(said: Sequence[Said]) -> tuple[tuple[Said, ...], str]:
    """The history and the message to answer: the user messages at the end, which count as one thought."""
    talk = [one for one in said if one.role in ("user", "assistant") and one.text.strip()]
    latest: list[str] = []
    while talk and talk[-1].role == "user":
        latest.insert(0, talk.pop().text)
    if not latest:
        reason = "The last message is to be the user's, and a text."
        raise BadFields(detail=reason, fields={"messages": [reason]})
    return tuple(talk), "\n".join(latest)


def _session_asked(request: Request, asked: JsonObject) -> UUID | None:
    named = (asked.get("metadata") or {}).get("session_id")
    header = request.headers.get(SESSION_HEADER)
    if named is not None or not header:
        return named
    try:
        return UUID(header)
    except ValueError as error:
        reason = f"{SESSION_HEADER} is the id of a session."
        raise BadFields(detail=reason, fields={SESSION_HEADER: [reason]}) from error


async def begin(wanted: Wanted) -> Begun:
    """Store the message in the session that it belongs to, and begin to answer."""
    session_id, history = wanted.session_id, "session" if wanted.session_id else "none"
    if session_id is None and wanted.history:
        session_id, history = await _with_history(wanted)
    turn = await wiring.ask(
        wanted.asker,
        session_id=session_id,
        client_id=str(uuid4()),
        text=wanted.text,
        after_turn=remember_later,
    )
    return Begun(turn, history)


async def _with_history(wanted: Wanted) -> tuple[UUID | None, str]:
    owner = wanted.asker.end_user_id
    known = await in_thread(session_of_history, end_user_id=owner, history=wanted.history)
    if known is not None:
        return known, "known"
    messages = [said.text for said in wanted.history if said.role == "user"]
    if not messages:
        return None, "none"
    ports_for = wiring.ports_for
    return await history_import(end_user_id=owner, messages=messages, ports_for=ports_for), "imported"


async def answered(wanted: Wanted) -> Begun:
    """The turn as it ended. Raises `AnswerFailed`."""
    told: list[Begun] = []

    async def first() -> Turn:
        told.append(await begin(wanted))
        return told[0].turn

    turn = await running.finished(first)
    check_answered(turn)
    return Begun(turn, told[0].history)


def check_answered(turn: Turn) -> None:
    if turn.state == TurnState.FAILED:
        raise shapes.AnswerFailed(
            reason=(turn.error or {}).get("message", ""), cause=(turn.error or {}).get("code")
        )
    if turn.state in UNFINISHED:
        raise shapes.AnswerFailed(reason="it takes too long. Read the turn later.", turn=str(turn.pk))


def usage_of(turn: Turn) -> JsonObject:
    """Tokens that the answer was made of: what stood in its window, at least the message, and its own."""
    trace = TurnTrace.objects.filter(turn=turn).values_list("data", flat=True).first() or {}
    count = wiring.token_counter().count
    prompt = sum((trace.get("tokens") or {}).values()) or count(turn.message)
    written = count(turn.answer)
    return {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written}


async def _pieces(begun: Begun, wanted: Wanted, request: Request) -> AsyncGenerator[str]:
    """The answer piece by piece, then what is known of it, then usage where it was asked for."""
    turn, model = begun.turn, wanted.model
    usual: JsonObject = {"usage": None} if wanted.include_usage else {}
    yield _line(shapes.piece(turn, model, {"role": "assistant", "content": "", "refusal": None}, **usual))
    told = Told()
    async for event in running.events(turn):
        if text := told.news(event):
            yield _line(shapes.piece(turn, model, {"content": text}, **usual))
    ended = await in_thread(turn_stored, turn.pk)
    if ended is None or ended.state not in (TurnState.COMPLETED, TurnState.STOPPED):
        yield _line(_broken(ended))
        return
    last = {"annotations": list(shapes.cited_places(ended, request._request))}
    more = {"antecedent": shapes.extension(ended, begun.history)} | usual
    yield _line(shapes.piece(turn, model, last, end="stop", **more))
    if wanted.include_usage:
        head = shapes.heading(turn, "chat.completion.chunk", model)
        yield _line(head | {"choices": [], "usage": await in_thread(usage_of, ended)})
    yield "data: [DONE]\n\n"


class Told:
    """What a client has been sent of an answer. It cannot take back a word: a change of mind is told as a new text."""

    def __init__(self) -> None:
        self._sent = self._text = ""

    def news(self, event: JsonObject) -> str:
        if event["type"] == "turn.delta":
            self._text = self._text[: event["at"]] + event["text"]
            if not self._text.startswith(self._sent):
                return ""
            return self._send(self._text[len(self._sent) :])
        if event["type"] in ("turn.completed", "turn.stopped"):
            answer: str = event["answer"]
            if answer.startswith(self._sent):
                return self._send(answer[len(self._sent) :])
            return self._send(f"\n\n{answer}")
        return ""

    def _send(self, text: str) -> str:
        self._sent += text
        return text


def _broken(turn: Turn | None) -> JsonObject:
    error: DomainError = shapes.AnswerFailed(reason="the conversation was deleted.")
    if turn is not None:
        error = shapes.AnswerFailed(reason=(turn.error or {}).get("message", "it takes too long."))
    told = {"message": error.message, "type": "server_error", "param": None, "code": error.code}
    return {"error": told}


def _line(data: JsonObject) -> str:
    return f"data: {json.dumps(data)}\n\n"
