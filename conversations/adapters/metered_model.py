"""A chat model whose tokens are counted for the tenant that is answered.

Over its quota the tenant is refused in the words of a provider that is over quota: the turn is answered by the offline
engine then, with the same honest note. What is used up is looked up every few seconds; a few answers more do no harm.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from uuid import UUID

from conversations.adapters.openai_call import StreamUsage
from conversations.domain.answer.failures import ModelRateLimited
from conversations.domain.ports import Message, ModelReply
from tenants.errors import QuotaReached
from tenants.scoping import current_scope
from tenants.services.quotas import quota_check, usage_add
from tenants.threads import in_thread

if TYPE_CHECKING:
    from conversations.adapters.openai_chat import OpenAIChat

QUOTA, METRIC = "model_tokens_per_month", "model_tokens"
TRUSTED_SECONDS = 5.0


class MeteredModel:
    """A ChatModel. Outside of a tenant, as in benchmarks of the model alone, nothing is counted."""

    def __init__(self, inner: OpenAIChat) -> None:
        self._inner = inner
        self._trusted: dict[UUID, float] = {}

    @property
    def label(self) -> str:
        return self._inner.label

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        await self._check()
        reply = await self._inner.reply(messages, schema)
        await self._count(reply.prompt_tokens + reply.completion_tokens)
        return reply

    async def stream(self, messages: Sequence[Message]) -> AsyncGenerator[str, None]:
        await self._check()
        usage = StreamUsage()
        try:
            async with aclosing(self._inner.stream(messages, usage=usage)) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            await self._count(usage.prompt_tokens + usage.completion_tokens)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _check(self) -> None:
        tenant_id = current_scope().tenant_id
        if tenant_id is None or self._trusted.get(tenant_id, 0.0) > time.monotonic():
            return
        try:
            await in_thread(quota_check, QUOTA)
        except QuotaReached as error:
            raise ModelRateLimited(reason=error.code, retry_after=error.extra["retry_after"]) from error
        self._trusted[tenant_id] = time.monotonic() + TRUSTED_SECONDS

    async def _count(self, tokens: int) -> None:
        if tokens and current_scope().tenant_id is not None:
            await in_thread(usage_add, METRIC, tokens)
