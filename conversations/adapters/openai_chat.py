"""The chat API of OpenAI and of every server that speaks it, behind the product's own values and errors.

Importing this loads the openai client (about a second), so wiring imports it only where a model is configured.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx2
import openai

from conversations.adapters.event_stream import (
    BadEvent,
    Delta,
    EventStream,
    ProviderEvent,
    delta_of,
    merged,
    parsed,
)
from conversations.adapters.openai_call import Call, Completion, Messages, StreamUsage, Timeouts
from conversations.adapters.openai_dialect import Dialect, Endpoint, endpoint
from conversations.adapters.openai_failures import Trouble, scrubbed, trouble_of
from conversations.domain.answer.failures import ModelError, ModelInterrupted, ModelUnavailable
from conversations.domain.ports import ModelReply
from kernel.json import json_text
from kernel.once import made_once

__all__ = ["Completion", "OpenAIChat", "StreamUsage", "Timeouts"]

T = TypeVar("T")
_GATHER_SECONDS_EACH, _GATHER_LEAST_SECONDS, _GATHER_MOST_SECONDS = 0.0005, 0.01, 0.1
_BACKOFF_BASE, _BACKOFF_CAP, _MOST_DIALECTS = 0.25, 2.0, 5


class _Refused(Exception):
    """The endpoint wants the request put in a simpler way."""

    def __init__(self, simpler: Dialect) -> None:
        self.simpler = simpler


class _Failed(Exception):
    """An attempt failed; its cause is the vendor's exception."""

    def __init__(self, trouble: Trouble, started: bool) -> None:
        self.trouble, self.started = trouble, started


class OpenAIChat:
    """One model at one endpoint. Safe to share between tasks and event loops of a process.

    Raises the ModelErrors of `conversations.domain.answer`: model_timeout, model_rate_limited,
    model_unavailable, model_malformed, model_interrupted, model_refused.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        timeouts: Timeouts | None = None,
        retries: int = 2,
        known: Endpoint | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        spread: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self.model = model
        self.host = _host(base_url)
        self._base_url, self._key = base_url, api_key
        self._timeouts, self._retries = timeouts or Timeouts(), retries
        self._known = known or endpoint(base_url, model)
        self._pause, self._spread = pause, spread
        self._streams = 0
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r} at {self.host!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, err: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections that this event loop opened."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    @property
    def label(self) -> str:
        """What people are shown as the answerer."""
        return self.model

    async def reply(self, messages: Messages, schema: dict[str, Any]) -> ModelReply:
        """`complete`, in the shape of the pipeline's port."""
        done = await self.complete(messages, schema=schema)
        return ModelReply(done.text, done.prompt_tokens, done.completion_tokens, done.ms)

    async def complete(
        self,
        messages: Messages,
        *,
        schema: dict[str, Any] | None = None,
        max_tokens: int = 400,
        temperature: float = 0.0,
        timeout: float | None = None,  # noqa: ASYNC109 - it spans several attempts, which a caller's scope cannot retry in
    ) -> Completion:
        """One whole answer, as JSON after `schema` where the endpoint can; `timeout` in seconds overrides `whole`."""
        by = self._now() + (timeout or self._timeouts.whole)
        call = self._call(messages, schema, max_tokens, temperature, stream=False, first_by=by, end_by=by)
        text = "".join([piece async for piece in self._attempts(call)])
        call.ended(text)
        usage = call.usage
        return Completion(
            text, usage.prompt_tokens, usage.completion_tokens, usage.ms, usage.attempts, usage.finish
        )

    async def stream(
        self,
        messages: Messages,
        *,
        max_tokens: int = 700,
        temperature: float = 0.0,
        usage: StreamUsage | None = None,
    ) -> AsyncGenerator[str, None]:
        """The answer piece by piece. Closing the generator ends the request at the provider."""
        now = self._now()
        first_by, end_by = now + self._timeouts.first_token, now + self._timeouts.total
        call = self._call(
            messages, None, max_tokens, temperature, stream=True, first_by=first_by, end_by=end_by
        )
        call.usage = usage if usage is not None else call.usage
        pieces: list[str] = []
        self._streams += 1
        try:
            async with aclosing(self._attempts(call)) as attempts:
                async for piece in attempts:
                    if not pieces:
                        call.usage.first_token_ms = (time.perf_counter() - call.started) * 1000
                    pieces.append(piece)
                    yield piece
        except ModelError as err:
            if not pieces:
                raise
            raise ModelInterrupted(text="".join(pieces), endpoint=self.host, reason=err.code) from err
        finally:
            self._streams -= 1
            call.ended("".join(pieces))

    def _call(
        self, messages: Messages, schema: dict[str, Any] | None, max_tokens: int, temperature: float, *,
        stream: bool, first_by: float, end_by: float,
    ) -> Call:  # fmt: skip
        asked = (messages, schema, max_tokens, temperature, stream)
        return Call(*asked, min(first_by, end_by), end_by, self._known.dialect, StreamUsage())

    async def _attempts(self, call: Call) -> AsyncGenerator[str, None]:
        """Tries until a first piece arrives; after that nothing is tried again."""
        failures = 0
        for _ in range(self._retries + 1 + _MOST_DIALECTS):
            trouble: Trouble | None = None
            async with aclosing(self._guarded(call)) as pieces:
                try:
                    async for piece in pieces:
                        yield piece
                    return
                except _Refused as refused:
                    call.dialect = refused.simpler
                except _Failed as failed:
                    failures += 1
                    trouble, cause = failed.trouble, failed.__cause__
                    wait = self._wait(trouble, failures)
                    late = self._now() + wait >= call.first_by
                    if failed.started or not trouble.again or failures > self._retries or late:
                        raise trouble.error from cause
            if trouble:
                await self._pause(wait)
        raise ModelUnavailable(endpoint=self.host, reason="no_common_dialect")

    async def _guarded(self, call: Call) -> AsyncGenerator[str, None]:
        """One attempt behind the circuit breaker, its outcome told to it whatever happens."""
        circuit = self._known.circuit
        if not circuit.admit():
            raise ModelUnavailable(
                endpoint=self.host, reason="circuit_open", retry_after=round(circuit.retry_after(), 1)
            )
        started = told = False
        try:
            call.usage.attempts += 1
            async with aclosing(self._attempt(call)) as pieces:
                async for piece in pieces:
                    if not started:
                        started = told = True
                        circuit.succeeded()
                        self._known.dialect = call.dialect
                    yield piece
        except (
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.StreamError,
            OSError,
            BadEvent,
            ProviderEvent,
        ) as err:
            trouble = trouble_of(err, self.host)
            told = True
            (circuit.succeeded if trouble.alive else circuit.failed)()
            if simpler := _simpler(err, call, self.model):
                raise _Refused(simpler) from err
            raise _Failed(trouble, started) from scrubbed(err, self._key)
        finally:
            if not told:
                circuit.abandoned()

    async def _attempt(self, call: Call) -> AsyncGenerator[str, None]:
        """One request. Raises the vendor's exceptions, TimeoutError, BadEvent or ProviderEvent."""
        response = await _by(call.first_by, self._opened(call))
        try:
            whole = not call.stream or "json" in response.headers.get("content-type", "")
            source = self._whole(call, response) if whole else self._events(call, response)
            empty = True
            async with aclosing(source) as deltas:
                async for delta in deltas:
                    call.note(delta)
                    if delta.text:
                        empty = False
                        yield delta.text
            if empty:
                raise BadEvent("the answer is empty")
        finally:
            with suppress(httpx2.HTTPError, httpx2.StreamError, OSError):
                await response.aclose()

    async def _opened(self, call: Call) -> httpx2.Response:
        """The response, its body unread. What is asked is a plain object already: `chat.completions.create` would spend
        two milliseconds on transforming it, and the client's own JSON half a millisecond more than ours."""
        return await self._client().post(
            "/chat/completions",
            cast_to=httpx2.Response,
            content=json_text(call.body(self.model)).encode(),
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )  # type: ignore[return-value]

    async def _whole(self, call: Call, response: httpx2.Response) -> AsyncGenerator[Delta, None]:
        yield delta_of(parsed(await _by(call.end_by, response.aread())))

    async def _events(self, call: Call, response: httpx2.Response) -> AsyncGenerator[Delta, None]:
        """Deltas up to the end mark. Only text counts as progress: keep-alive comments do not."""
        events, by, finished = EventStream(), call.first_by, False
        async with aclosing(response.aiter_bytes()) as came:
            while data := await _by(by, anext(came, b"")):
                progress = False
                for delta in merged(events.feed(data)):
                    finished = finished or delta.finish is not None
                    progress = progress or bool(delta.text)
                    yield delta
                    if delta.done:
                        return
                if progress:
                    await self._gather()
                    by = min(self._now() + self._timeouts.between_tokens, call.end_by)
        for delta in events.finish():
            finished = finished or delta.done or delta.finish is not None
            yield delta
        if not finished:
            raise httpx2.RemoteProtocolError("the stream ended before the answer did")

    async def _gather(self) -> None:
        """With many streams at once, let a few tokens come together: a read for each would take all of the time."""
        pause = min(_GATHER_MOST_SECONDS, self._streams * _GATHER_SECONDS_EACH)
        if pause >= _GATHER_LEAST_SECONDS:
            await self._pause(pause)

    def _client(self) -> openai.AsyncOpenAI:
        """One client per event loop, because its connections belong to the loop."""
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            _check_address(self._base_url)
            limits = openai.Timeout(self._timeouts.total, connect=self._timeouts.connect)
            client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._key or "none",
                max_retries=0,
                # By aiohttp: it reads what came in C, and together.
                http_client=openai.DefaultAioHttpClient(timeout=limits, verify=trusted()),
            )
            self._clients[loop] = client
        return client

    def _wait(self, trouble: Trouble, failures: int) -> float:
        """Full jitter (M. Brooker, AWS Architecture Blog, 2015), never less than the provider asks for."""
        return trouble.wait + self._spread(0.0, min(_BACKOFF_CAP, _BACKOFF_BASE * 2**failures))

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


async def _by(moment: float, awaitable: Awaitable[T]) -> T:
    """TimeoutError when it takes past `moment` on the event loop's clock."""
    async with asyncio.timeout_at(moment):
        return await awaitable


def _simpler(err: Exception, call: Call, model: str) -> Dialect | None:
    """How to put the request after a refusal of its form."""
    if not isinstance(err, openai.BadRequestError | openai.UnprocessableEntityError):
        return None
    return call.dialect.simpler(str(err.body or err.message), call.body(model))


@made_once
def trusted() -> SSLContext:
    """Whom to believe, for all clients of a process: reading the authorities takes longer than answering."""
    return httpx2.create_ssl_context()


def _check_address(base_url: str) -> None:
    """UnsupportedProtocol unless it is an http(s) address with a host and a possible port."""
    parts = urlsplit(base_url)
    with suppress(ValueError):
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return
    raise httpx2.UnsupportedProtocol("the model's base URL is not an http address")


def _host(base_url: str) -> str:
    """The host for people: without user, password and path."""
    try:
        return urlsplit(base_url).hostname or "model"
    except ValueError:
        return "model"
