"""What one OpenAI-compatible endpoint understands, learnt from what it refuses.

Servers differ in structured output, in the name of the token limit, in whether usage can be asked for in a
stream and whether a temperature may be set. A refusal (400, 422) is answered by asking in a simpler way; what
then works is remembered for the endpoint.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from conversations.adapters.circuit import Circuit

_ABOUT_CONTENT = re.compile(
    r"context.?(length|window)|maximum context|too (long|many tokens)|content.?(filter|policy)|safety", re.I
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How requests are put. Starts with everything and only loses."""

    structured: Literal["json_schema", "json_object", "none"] = "json_schema"
    tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    stream_usage: bool = True

    def body(
        self, *, model: str, messages: Sequence[dict[str, str]], schema: dict[str, Any] | None, max_tokens: int,
        temperature: float, stream: bool,
    ) -> dict[str, Any]:  # fmt: skip
        """Arguments of `chat.completions.create`."""
        body: dict[str, Any] = {
            "model": model,
            "messages": list(messages),
            "stream": stream,
            self.tokens_field: max_tokens,
        }
        if self.temperature:
            body["temperature"] = temperature
        if stream and self.stream_usage:
            body["stream_options"] = {"include_usage": True}
        if schema is not None and self.structured == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": _named(schema)}
        elif schema is not None and self.structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def simpler(self, complaint: str, body: dict[str, Any]) -> Dialect | None:
        """The next thing to try after a refusal of `body`; None when the refusal is not about form."""
        if _ABOUT_CONTENT.search(complaint):
            return None
        if "max_completion_tokens" in complaint and "max_tokens" in body:
            return replace(self, tokens_field="max_completion_tokens")
        if "temperature" in complaint and "temperature" in body:
            return replace(self, temperature=False)
        if "stream_options" in body and ("stream_options" in complaint or "response_format" not in body):
            return replace(self, stream_usage=False)
        if "response_format" in body:
            return replace(self, structured="json_object" if self.structured == "json_schema" else "none")
        return None


@dataclass(slots=True)
class Endpoint:
    """What is known of one (base_url, model): shared by every client of it in this process."""

    circuit: Circuit = field(default_factory=Circuit)
    dialect: Dialect = field(default_factory=Dialect)


_endpoints: dict[tuple[str, str], Endpoint] = {}
_lock = threading.Lock()


def endpoint(base_url: str, model: str) -> Endpoint:
    """The shared knowledge of an endpoint."""
    with _lock:
        return _endpoints.setdefault((base_url.rstrip("/"), model), Endpoint())


def _named(schema: dict[str, Any]) -> dict[str, Any]:
    """A bare JSON schema, or one that already has its name beside it, as `response_format` wants it."""
    if isinstance(schema.get("schema"), dict) and "name" in schema:
        return schema
    return {"name": "reply", "strict": schema.get("additionalProperties") is False, "schema": schema}
