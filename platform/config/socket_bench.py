"""The socket benchmark: one web process as `manage.py up` starts it, and what idle, talking and streaming tabs cost it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate
from statistics import median
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import psutil
from django.conf import settings
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve

from config import bench_model
from config.bench_tenant import message, tenant_with_documents
from config.measuring import p95
from config.progress import Report
from embedded.application import Web
from embedded.ports import choose_persistent
from embedded.process import spawn
from embedded.service import stop_process, wait_until
from tenants.devices import DEVICE_COOKIE, device_token
from tenants.models import Tenant

TOKENS = 200
PACE = 50.0
PACED_TOKENS = 1500
"""Half a minute: so long that the first answer still comes when the last one begins."""
_READY_SECONDS = 90
_ANSWER_SECONDS = 180
_WARM_TABS = 12


@dataclass(frozen=True, slots=True)
class Plan:
    idle: int = 2000
    chats: int = 50
    paced: int = 200
    streams: int = 100


@dataclass(frozen=True, slots=True)
class Running:
    """A web process, its address and the tenant that it serves."""

    process: psutil.Process
    port: int
    tenant: Tenant

    def tab(self) -> connect:
        """A new visitor's tab."""
        cookie = f"{DEVICE_COOKIE}={device_token(self.tenant.pk)}"
        url = f"ws://127.0.0.1:{self.port}/t/{self.tenant.slug}/ws/chat/"
        headers = {"Cookie": cookie, "Origin": f"http://127.0.0.1:{self.port}"}
        return connect(url, additional_headers=headers, compression=None, open_timeout=60, ping_interval=None)


@dataclass(frozen=True, slots=True)
class Heard:
    """When a tab heard what of one answer, in seconds after it had asked."""

    accepted: float
    first_event: float
    first_piece: float
    last_piece: float
    ended: float


class _Client:
    """What this process, which is the client of all tabs, takes of a processor from now on."""

    def __init__(self) -> None:
        self._began, self._cpu = time.perf_counter(), time.process_time()

    def share(self) -> float:
        return round((time.process_time() - self._cpu) / (time.perf_counter() - self._began), 3)


def run(plan: Plan, report: Report) -> dict[str, Any]:
    """The figures as JSON: memory of idle sockets, first events, paced streams, streams a second, and the floor.

    `load` is how many programs wanted a processor at the beginning and at the end, and how many processors there are.
    `client_share` is what the benchmark's own client took of one while it listened: near 1 it would measure itself.
    """
    began = os.getloadavg()[0]
    figures: dict[str, Any] = {"plan": {name: getattr(plan, name) for name in Plan.__slots__}}
    with bench_model.running(bench_model.Script(TOKENS)) as url, web_process(url) as web:
        figures |= asyncio.run(_at_full_speed(web, plan, report))
    with bench_model.running(bench_model.Script(PACED_TOKENS, PACE)) as url, web_process(url) as web:
        figures["paced"] = asyncio.run(_paced(web, plan.paced, report))
    load = {"began": began, "ended": os.getloadavg()[0], "processors": os.cpu_count()}
    return figures | {"floor": asyncio.run(_echo()), "load": load}


def streams_per_second(answers: int) -> float:
    """Answers of 200 tokens that one web process gives a second, over real sockets, whole turns included."""

    async def measured(web: Running) -> float:
        await _together(web, _WARM_TABS)
        return float((await _streams(web, answers, lambda *_: None))["streams_per_s"])

    with bench_model.running(bench_model.Script(TOKENS)) as url, web_process(url) as web:
        return asyncio.run(measured(web))


@contextmanager
def web_process(model_url: str) -> Iterator[Running]:
    """One web process on a free port, answering a throwaway tenant out of the model server at `model_url`."""
    with tenant_with_documents() as tenant, TemporaryFile() as output:
        port = choose_persistent()
        web = Web("127.0.0.1", port, lambda: _addresses(model_url))
        child = spawn(web.prepare(), output.fileno())
        try:
            wait_until(web.is_ready, child, _READY_SECONDS)
            yield Running(psutil.Process(child.pid), port, tenant)
        finally:
            stop_process(child, (signal.SIGTERM,), 15)


def _addresses(model_url: str) -> dict[str, str]:
    database = settings.DATABASES["default"]
    user, password = (quote(str(database[name]), safe="") for name in ("USER", "PASSWORD"))
    where = f"{user}:{password}@{database['HOST']}:{database['PORT']}"
    return {
        "DATABASE_URL": f"postgresql://{where}/{database['NAME']}",
        "VALKEY_URL": settings.VALKEY_URL,
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": "bench",  # pragma: allowlist secret
        "OPENAI_EMBEDDING_MODEL": "",
        "ALLOWED_HOSTS": "127.0.0.1",
        "SECRET_KEY": settings.SECRET_KEY,
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }


async def _at_full_speed(web: Running, plan: Plan, report: Report) -> dict[str, Any]:
    for _ in range(3):  # loads models, opens the pool's connections, plans statements
        await _together(web, _WARM_TABS)
    idle = await _idle(web, plan.idle, report)
    client = _Client()
    chats = await _together(web, plan.chats)
    return {
        "idle": idle,
        "client_share": client.share(),
        "first_event_ms": _spread([heard.first_event - heard.accepted for heard in chats]),
        "accepted_ms": _spread([heard.accepted for heard in chats]),
        "completed_ms": _spread([heard.ended for heard in chats]),
    } | await _streams(web, plan.streams, report)


async def _idle(web: Running, count: int, report: Report) -> dict[str, Any]:
    """What the process grows by, a socket; the first hundred pay for what is loaded once."""
    async with AsyncExitStack() as tabs:
        warm = min(100, count // 4)
        await _opened(web, tabs, warm)
        before = web.process.memory_info().rss
        for start in range(0, count, 50):
            await _opened(web, tabs, min(50, count - start))
            report("idle sockets", min(count, start + 50), count)
        await asyncio.sleep(1)
        grown = web.process.memory_info().rss - before
        used = web.process.cpu_times()
        await asyncio.sleep(2)
        later = web.process.cpu_times()
    busy = (later.user + later.system - used.user - used.system) / 2
    return {"sockets": count, "kb_each": round(grown / 1024 / count, 1), "cpu_share": round(busy, 3)}


async def _opened(web: Running, tabs: AsyncExitStack, count: int) -> None:
    for tab in await asyncio.gather(*(tabs.enter_async_context(web.tab()) for _ in range(count))):
        await tab.send(json.dumps({"type": "open", "session": None, "after": 0}))
        await tab.recv()


async def _ask(tab: ClientConnection, text: str) -> Heard:
    """Ask and listen to the end. The first event after the stored message is the query that was decided on."""
    began = time.perf_counter()
    await tab.send(json.dumps({"type": "ask", "session": None, "id": str(uuid4()), "text": text}))
    marks: dict[str, float] = {}
    async with asyncio.timeout(_ANSWER_SECONDS):
        while "ended" not in marks:
            frame = json.loads(await tab.recv())
            if frame["type"] in ("error", "turn.failed"):
                raise RuntimeError(f"the benchmark's question was refused: {frame}")
            moment = time.perf_counter() - began
            for mark in _marks(frame):
                marks.setdefault(mark, moment)
            if frame["type"] == "turn.delta":
                marks["last_piece"] = moment
    accepted = marks.get("accepted", 0.0)
    first = marks.get("first_event", marks["ended"])
    ended = marks["ended"]
    return Heard(accepted, first, marks.get("first_piece", ended), marks.get("last_piece", ended), ended)


def _marks(frame: dict[str, Any]) -> Sequence[str]:
    kind = frame["type"]
    if kind == "opened" and frame.get("session"):
        turn = (frame.get("turns") or [{}])[-1]
        return ("accepted", "ended") if turn.get("state") == "completed" else ("accepted",)
    known = {
        "turn.accepted": ("accepted",),
        "turn.query": ("first_event",),
        "turn.delta": ("first_event", "first_piece"),
        "turn.completed": ("first_event", "first_piece", "ended"),
    }
    return known.get(kind, ())


async def _together(web: Running, count: int) -> list[Heard]:
    """So many visitors ask at the same moment."""
    async with AsyncExitStack() as stack:
        tabs = [await stack.enter_async_context(web.tab()) for _ in range(count)]
        return list(await asyncio.gather(*(_ask(tab, message(n % 2)) for n, tab in enumerate(tabs))))


async def _streams(web: Running, answers: int, report: Report) -> dict[str, Any]:
    """Twenty visitors who ask one question after the other."""
    left, done = iter(range(answers)), [0]

    async def visitor() -> None:
        for number in left:
            async with web.tab() as tab:
                await _ask(tab, message(number % 2))
            done[0] += 1
            report("answers", done[0], answers)

    before, began = web.process.cpu_times(), time.perf_counter()
    await asyncio.gather(*(visitor() for _ in range(min(20, answers))))
    seconds, after = time.perf_counter() - began, web.process.cpu_times()
    cpu = after.user + after.system - before.user - before.system
    return {
        "streams_per_s": round(answers / seconds, 2),
        "cpu_ms_per_stream": round(cpu * 1000 / answers, 2),
        "streams_per_cpu_s": round(answers / cpu, 2),
    }


async def _paced(web: Running, count: int, report: Report) -> dict[str, Any]:
    """From the first piece to the last, against what the model took to say it."""
    await _together(web, min(count, _WARM_TABS))
    client, before = _Client(), web.process.cpu_times()
    heard = await _together(web, count)
    client_share, after = client.share(), web.process.cpu_times()
    report("paced streams", count, count)
    ideal = (PACED_TOKENS - 1) / PACE
    late = [(one.last_piece - one.first_piece) / ideal - 1 for one in heard]
    cpu = after.user + after.system - before.user - before.system
    return {
        "streams": count,
        "at_once": _most_at_once([(one.first_piece, one.last_piece) for one in heard]),
        "tokens": PACED_TOKENS,
        "tokens_per_s": PACE,
        "ideal_s": ideal,
        "late_share": {name: round(value, 4) for name, value in _quantiles(late).items()},
        "cpu_ms_per_stream": round(cpu * 1000 / count, 2),
        "client_share": client_share,
    }


async def _echo() -> dict[str, float]:
    """A socket that only repeats what it is told, one round trip."""

    async def echo(connection: ServerConnection) -> None:
        async for text in connection:
            await connection.send(text)

    async with serve(echo, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}/", compression=None) as tab:
            times = []
            for _ in range(200):
                began = time.perf_counter()
                await tab.send("x" * 200)
                await tab.recv()
                times.append((time.perf_counter() - began) * 1000)
    return {"echo_ms": round(median(times), 3)}


def _most_at_once(spans: Sequence[tuple[float, float]]) -> int:
    """How many of the spans hold the moment that most of them hold."""
    changes = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    return max(accumulate(change for _, change in changes), default=0)


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    return {name: round(value * 1000, 1) for name, value in _quantiles(seconds).items()}


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    return {"p50": median(values), "p95": p95(values)}
