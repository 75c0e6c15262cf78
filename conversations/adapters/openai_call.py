"""One call of a chat model: its limits, what it sends, what it brought back and what that cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.adapters.event_stream import Delta
from conversations.adapters.openai_dialect import Dialect
from conversations.domain.ports import Message
from retrieval.domain.tokens import estimate_tokens

Messages = Sequence[Message]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds. `first_token` and `total` run from the call on, over all its attempts.

    `whole` is for an answer that is not streamed; it takes the place of the other two there.
    """

    connect: float = 2.0
    first_token: float = 8.0
    between_tokens: float = 10.0
    total: float = 60.0
    whole: float = 10.0


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. Token counts are the provider's, or estimates where it sends none."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    ms: float
    attempts: int = 1
    finish: str = ""


@dataclass(slots=True)
class StreamUsage:
    """Filled in while a stream runs. Token counts as in Completion, complete when the stream has ended."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    first_token_ms: float | None = None
    ms: float = 0.0
    attempts: int = 0
    finish: str = ""


@dataclass(slots=True)
class Call:
    """One call over all its attempts. Moments are on the event loop's clock."""

    messages: Messages
    schema: dict[str, Any] | None
    max_tokens: int
    temperature: float
    stream: bool
    first_by: float
    end_by: float
    dialect: Dialect
    usage: StreamUsage
    started: float = field(default_factory=time.perf_counter)

    def body(self, model: str) -> dict[str, Any]:
        return self.dialect.body(
            model=model, messages=self.messages, schema=self.schema, max_tokens=self.max_tokens,
            temperature=self.temperature, stream=self.stream,
        )  # fmt: skip

    def note(self, delta: Delta) -> None:
        self.usage.finish = delta.finish or self.usage.finish
        if delta.usage:
            self.usage.prompt_tokens = int(delta.usage.get("prompt_tokens") or 0)
            self.usage.completion_tokens = int(delta.usage.get("completion_tokens") or 0)

    def ended(self, text: str) -> None:
        self.usage.ms = (time.perf_counter() - self.started) * 1000
        self.usage.prompt_tokens = self.usage.prompt_tokens or sum(
            estimate_tokens(m["content"]) for m in self.messages
        )
        self.usage.completion_tokens = self.usage.completion_tokens or estimate_tokens(text)
