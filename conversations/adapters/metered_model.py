"""A chat model whose tokens are counted for the tenant that is answered.

Over its quota the tenant is refused in the words of a provider that is over quota: the turn is answered by the offline
engine then, with the same honest note. What is used up is looked up every few seconds; a few answers more do no harm.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from conversations.adapters.model_calls import call_observed, tokens_observed
from conversations.adapters.openai_call import StreamUsage
from conversations.domain.answer.failures import ModelRateLimited
from conversations.domain.ports import Message, ModelReply
from conversations.domain.prompt import REWRITE_SCHEMA
from kernel.traced import Span
from tenants.errors import QuotaReached, QuotaZero
from tenants.scoping import current_scope
from tenants.services.quotas import Limits, quota_check, quota_limits, usage_add
from tenants.threads import in_thread

if TYPE_CHECKING:
    from conversations.adapters.openai_chat import OpenAIChat

log = logging.getLogger(__name__)

QUOTA, METRIC = "model_tokens_per_month", "model_tokens"
TRUSTED_SECONDS = 5.0
_ZERO_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Trust:
    """What was looked up of a tenant, and until when that counts on `time.monotonic`."""

    until: float
    limits: Limits


class MeteredModel:
    """A ChatModel. Outside of a tenant, as in benchmarks of the model alone, nothing is counted."""

    def __init__(self, inner: OpenAIChat) -> None:
        self._inner = inner
        self._trusted: dict[UUID, Trust] = {}
        self._counting: set[asyncio.Task[None]] = set()

    @property
    def label(self) -> str:
        return self._inner.label

    async def reply(self, messages: Sequence[Message], schema: dict[str, Any]) -> ModelReply:
        is_rewrite = schema.get("name") == REWRITE_SCHEMA["name"]
        with self._observed("rewrite" if is_rewrite else "summary") as called:
            await self._check()
            reply = await self._inner.reply(messages, schema)
            tokens_observed(reply.prompt_tokens, reply.completion_tokens, called)
        self._count_soon(reply.prompt_tokens + reply.completion_tokens)
        return reply

    async def stream(self, messages: Sequence[Message]) -> AsyncGenerator[str, None]:
        usage = StreamUsage()
        try:
            with self._observed("answer") as called:
                try:
                    await self._check()
                    async with aclosing(self._inner.stream(messages, usage=usage)) as pieces:
                        async for piece in pieces:
                            yield piece
                finally:
                    tokens_observed(usage.prompt_tokens, usage.completion_tokens, called)
        finally:
            self._count_soon(usage.prompt_tokens + usage.completion_tokens)

    async def aclose(self) -> None:
        """Closes what this event loop opened, when what it has to count is counted."""
        here = asyncio.get_running_loop()
        await asyncio.gather(*(task for task in self._counting if task.get_loop() is here))
        await self._inner.aclose()

    def _observed(self, purpose: str) -> AbstractContextManager[Span]:
        return call_observed(purpose, self._inner.label, self._inner.host)

    async def _check(self) -> None:
        tenant_id = current_scope().tenant_id
        trust = self._trusted.get(tenant_id) if tenant_id else None
        if tenant_id is None or (trust and trust.until > time.monotonic()):
            return
        try:
            limits = await in_thread(_checked)
        except (QuotaReached, QuotaZero) as error:
            waiting = error.extra.get("retry_after", _ZERO_SECONDS)
            raise ModelRateLimited(reason=error.code, retry_after=waiting) from error
        self._trusted[tenant_id] = Trust(time.monotonic() + TRUSTED_SECONDS, limits)

    def _count_soon(self, tokens: int) -> None:
        """Beside the turn, which does not wait for it."""
        tenant_id = current_scope().tenant_id
        if tokens and tenant_id is not None:
            task = asyncio.create_task(self._count(tenant_id, tokens))
            self._counting.add(task)
            task.add_done_callback(self._counting.discard)

    async def _count(self, tenant_id: UUID, tokens: int) -> None:
        trust = self._trusted.get(tenant_id)
        try:
            await in_thread(usage_add, METRIC, tokens, limits=trust.limits if trust else None)
        except Exception:
            log.exception("%d tokens of tenant %s were not counted", tokens, tenant_id)


def _checked() -> Limits:
    """The tenant's limits, when there is room left under that of the model. Raises `QuotaReached` or `QuotaZero`."""
    limits = quota_limits()
    quota_check(QUOTA, limits=limits)
    return limits
