"""Is the process alive, and can it do its work?

Readiness is asked of every component at once, each in a thread with a time limit: a server that is paused answers
nothing at all, and must cost a probe two seconds and not the probe.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import valkey
from channels.layers import get_channel_layer
from django.conf import settings
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from kernel.json import JsonObject
from retrieval.services import equipment

SECONDS = 2.0


class NotReady(Exception):
    """Why a component cannot be worked with, in words for whoever runs the platform."""


@dataclass(frozen=True, slots=True)
class Found:
    """What asking a component gave: nothing wrong, or why it cannot be worked with."""

    reason: str = ""

    def as_dict(self) -> JsonObject:
        return {"ok": not self.reason, **({"reason": self.reason} if self.reason else {})}


class Question:
    """Asks one component in a thread. While an answer is still out, others wait for that one: threads never pile up."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._out: Future[None] | None = None
        self._since = 0.0

    def put(self) -> Future[None]:
        with self._lock:
            if self._out is None or self._out.done():
                self._out, self._since = Future(), time.monotonic()
                threading.Thread(target=self._run, args=(self._out,), name="ready", daemon=True).start()
            return self._out

    def answer(self, seconds: float) -> Found:
        """What was found within so many seconds since the question was put."""
        out = self.put()
        left = max(0.0, self._since + seconds - time.monotonic())
        try:
            out.result(timeout=left)
        except TimeoutError:
            return Found(f"no answer within {seconds:g} s")
        except NotReady as error:
            return Found(str(error))
        except Exception as error:  # whatever a driver raises, the component cannot be worked with
            return Found(type(error).__name__)
        return Found()

    def _run(self, out: Future[None]) -> None:
        try:
            self._ask_and_release()
        except BaseException as error:
            out.set_exception(error)
        else:
            out.set_result(None)

    def _ask_and_release(self) -> None:
        try:
            self._ask()
        finally:
            connections.close_all()


def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: the process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Ready: every component answers. 503 says which does not, and why."""
    found = components()
    ready = all(not one.reason for one in found.values())
    told = {"ready": ready, "components": {name: one.as_dict() for name, one in found.items()}}
    return JsonResponse(told, status=200 if ready else 503)


def components() -> Mapping[str, Found]:
    """What is found of every component, all asked at the same time."""
    for question in QUESTIONS.values():
        question.put()
    return {name: question.answer(SECONDS) for name, question in QUESTIONS.items()}


def _database() -> None:
    """Reads as the role that serves, which must not stand above the wall between tenants."""
    with connection.cursor() as cursor:
        cursor.execute("select rolsuper or rolbypassrls from pg_roles where rolname = current_user")
        if cursor.fetchone()[0]:
            raise NotReady("its role bypasses row-level security")
    _migrated()


def _migrated() -> None:
    # Nobody takes a migration back under a running process: what was found applied stays so.
    if _known.get("migrations") == connection.settings_dict["NAME"]:
        return
    missing = _migrations() - set(MigrationRecorder(connection).applied_migrations())
    if missing:
        raise NotReady(f"{len(missing)} migrations are not applied")
    _known["migrations"] = connection.settings_dict["NAME"]


@lru_cache(maxsize=1)
def _migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.nodes)


def _valkey() -> None:
    with valkey.Valkey.from_url(settings.VALKEY_URL, socket_timeout=1, socket_connect_timeout=1) as client:
        client.ping()


def _channel_layer() -> None:
    """A message to ourselves goes out and comes back."""
    asyncio.run(_round_trip())


async def _round_trip() -> None:
    layer: Any = get_channel_layer()
    channel = await layer.new_channel("ready.")
    await layer.send(channel, {"type": "ready"})
    await layer.receive(channel)


def _embedder() -> None:
    """The model loads and gives vectors as long as it says. Once it did, it is not asked again: that may cost money."""
    model = equipment().embeddings
    if _known.get("embedder") is model:
        return
    if len(model.embed_query("ready")) != model.space.dimensions:
        raise NotReady("its vectors have another length than it says")
    _known["embedder"] = model


_known: dict[str, object] = {}
QUESTIONS: Mapping[str, Question] = {
    "database": Question(_database),
    "valkey": Question(_valkey),
    "channel_layer": Question(_channel_layer),
    "embedder": Question(_embedder),
}
