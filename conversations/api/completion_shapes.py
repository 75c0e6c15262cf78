"""What OpenAI's clients send and read: requests, whole answers, and the pieces of streamed ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from rest_framework import serializers

from conversations.models import Turn
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.rest.fields import JsonObjectField, Output, Text, whole_characters

MOST_MESSAGES = 500
_MARKER = re.compile(r"\[(\d+(?:\s*,\s*\d+)*)\]")


class ModelNotFound(DomainError):
    """There is no model called {model} here. Your workspace's assistant is called {known}."""

    code = "model_not_found"
    http_status = 404


class ParameterUnsupported(DomainError):
    """`{parameter}` is not supported: {reason}"""

    code = "unsupported_parameter"


class AnswerFailed(DomainError):
    """The answer could not be given: {reason}"""

    code = "answer_failed"
    retryable = True
    http_status = 503


class MessageInput(serializers.Serializer):  # type: ignore[type-arg]
    """A message. Of lists of parts the texts count."""

    role = serializers.ChoiceField(["system", "developer", "user", "assistant", "tool", "function"])
    content = serializers.JSONField(
        required=False,
        allow_null=True,
        validators=[whole_characters],
        help_text='A text, or a list of {"type": "text", "text": …}.',
    )


class StreamOptionsInput(serializers.Serializer):  # type: ignore[type-arg]
    include_usage = serializers.BooleanField(default=False)


class MetadataInput(serializers.Serializer):  # type: ignore[type-arg]
    session_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="The conversation to go on with."
    )


class CompletionInput(serializers.Serializer):  # type: ignore[type-arg]
    """Parameters that shape a model's sampling are read over: the workspace's own settings hold."""

    model = Text(max_length=100)
    messages = MessageInput(many=True)
    user = Text(
        max_length=190,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="Subject of the end user.",
    )
    stream = serializers.BooleanField(required=False, allow_null=True)
    stream_options = StreamOptionsInput(required=False, allow_null=True)
    metadata = MetadataInput(required=False, allow_null=True)
    n = serializers.IntegerField(required=False, allow_null=True, min_value=1, max_value=128)


class TokenUsageOutput(Output):
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()


class AnsweredMessage(Output):
    role = serializers.CharField()
    content = serializers.CharField(allow_blank=True)
    refusal = serializers.CharField(allow_null=True)
    annotations = serializers.ListField(
        child=JsonObjectField(), help_text="`url_citation` for each marker [n]."
    )


class ChoiceOutput(Output):
    index = serializers.IntegerField()
    message = AnsweredMessage()
    finish_reason = serializers.CharField()
    logprobs = serializers.CharField(allow_null=True)


class CompletionOutput(Output):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    model = serializers.CharField()
    choices = ChoiceOutput(many=True)
    usage = TokenUsageOutput()
    antecedent = JsonObjectField(
        help_text="Session, turn, query, verdict, kind, citations, engine, notice, and what became of the history."
    )


class ModelOutput(Output):
    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()


class ModelsOutput(Output):
    object = serializers.CharField()
    data = ModelOutput(many=True)  # type: ignore[assignment]


def heading(turn: Turn, kind: str, model: str) -> JsonObject:
    """What every answer and every piece begins with."""
    created = int(turn.created_at.timestamp())
    return {"id": f"chatcmpl-{turn.pk.hex}", "object": kind, "created": created, "model": model}


def completion(
    turn: Turn, *, model: str, usage: JsonObject, history: str, request: HttpRequest
) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": turn.answer, "refusal": None}
    message |= {"annotations": list(cited_places(turn, request))}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    told = {"choices": [choice], "usage": usage, "antecedent": extension(turn, history)}
    return heading(turn, "chat.completion", model) | told


def piece(turn: Turn, model: str, delta: JsonObject, *, end: str | None = None, **more: Any) -> JsonObject:
    choice = {"index": 0, "delta": delta, "finish_reason": end, "logprobs": None}
    return heading(turn, "chat.completion.chunk", model) | {"choices": [choice]} | more


def extension(turn: Turn, history: str) -> JsonObject:
    """What the product knows of an answer beside its text."""
    return {
        "session": str(turn.session_id),
        "turn": str(turn.pk),
        "query": turn.query or None,
        "kind": turn.kind or None,
        "verdict": turn.verdict or None,
        "citations": turn.citations,
        "engine": turn.engine,
        "notice": turn.notice,
        "history": history,
    }


def cited_places(turn: Turn, request: HttpRequest) -> Iterator[JsonObject]:
    """A citation for each number of each marker, with the address that its passage is read at."""
    by_number = {citation["n"]: citation for citation in turn.citations}
    for marker in _MARKER.finditer(turn.answer):
        for number in re.findall(r"\d+", marker[1]):
            if (citation := by_number.get(int(number))) is not None:
                url = request.build_absolute_uri(f"/api/v1/passages/{citation['chunk']}")
                place = {"start_index": marker.start(), "end_index": marker.end()}
                yield {
                    "type": "url_citation",
                    "url_citation": {**place, "title": citation["title"], "url": url},
                }


def text_of(content: Any) -> str:
    """The text of a message: a string, or the text parts of a list. Raises `ParameterUnsupported` for anything else."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise ParameterUnsupported(parameter="messages", reason="content is a text or a list of parts")
    if any(part.get("type") != "text" or not isinstance(part.get("text"), str) for part in content):
        raise ParameterUnsupported(
            parameter="messages", reason="only text can be read, no images, sounds or files"
        )
    return "\n".join(part["text"] for part in content)
