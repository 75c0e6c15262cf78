"""What a turn costs at the very least, measured in the same run: bare clients, bare SQL, the bare embedder."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx
import openai
from django.db import connection

from conversations.domain.prompt import REWRITE_SCHEMA
from conversations.models import Session, Turn
from retrieval.services import equipment
from tenants.scoping import tenant_scope
from tenants.threads import in_thread

ROUNDS = 15
_MESSAGES: Any = [{"role": "user", "content": "When does the branch open?"}]

NO_KEY = "bench"  # pragma: allowlist secret


async def floors(base_url: str, tenant_id: Any) -> dict[str, float]:
    """Milliseconds, the median of some rounds each."""
    assert urlsplit(base_url).hostname == "127.0.0.1"

    def sql() -> None:
        with tenant_scope(tenant_id):
            bare_sql()

    async def bare_sql_in_thread() -> None:
        await in_thread(sql)

    async def embed() -> None:
        await in_thread(
            equipment().embeddings.embed_query, f"When does the branch open on day {time.perf_counter_ns()}?"
        )

    async with (
        httpx.AsyncClient(trust_env=False) as raw,
        openai.AsyncOpenAI(base_url=base_url, api_key=NO_KEY, max_retries=0) as client,
    ):
        return {
            "httpx_reply_ms": await _median(lambda: _httpx(raw, base_url, stream=False)),
            "httpx_stream_ms": await _median(lambda: _httpx(raw, base_url, stream=True)),
            "openai_stream_ms": await _median(lambda: _openai(client)),
            "sql_ms": await _median(bare_sql_in_thread),
            "embed_query_ms": await _median(embed),
        }


async def _median(call: Callable[[], Awaitable[None]]) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await call()
        times.append((time.perf_counter() - began) * 1000)
    return round(median(times), 2)


async def _httpx(client: httpx.AsyncClient, base_url: str, *, stream: bool) -> None:
    body: dict[str, Any] = {"model": "bench", "messages": _MESSAGES, "stream": stream}
    if not stream:
        body["response_format"] = {"type": "json_schema", "json_schema": REWRITE_SCHEMA}
    async with client.stream("POST", f"{base_url}/chat/completions", json=body) as response:
        data = b"".join([chunk async for chunk in response.aiter_bytes()])
    for event in data.split(b"\n\n") if stream else [b"data: " + data]:
        if event.startswith(b"data: {"):
            json.loads(event[6:])


async def _openai(client: openai.AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(model="bench", messages=_MESSAGES, stream=True)
    async for _ in stream:
        pass


def bare_sql() -> None:
    """The least that a stored turn needs: read its session, store the message, store the outcome; two transactions."""
    turns, sessions = Turn._meta.db_table, Session._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"select id, turn_count from {sessions} order by created_at desc limit 1")  # noqa: S608
        row = cursor.fetchone()
        cursor.execute(f"update {sessions} set turn_count = turn_count where id = %s", [row[0]])  # noqa: S608
        cursor.execute(f"update {turns} set answer = answer where session_id = %s and n = 1", [row[0]])  # noqa: S608
