"""A turn is one trace: from the frame on the socket through stages, model and statements to the worker, and no word of it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from celery.contrib.testing.worker import start_worker
from celery.signals import task_postrun

from config import celery, telemetry
from conversations import wiring
from conversations.adapters.metered_model import MeteredModel
from conversations.adapters.openai_chat import OpenAIChat, Timeouts
from kernel.traced import trace_with
from tenants.devices import DEVICE_COOKIE, device_token
from tests.fakes.collector import Collector, collecting, facts
from tests.fakes.model_server import model_server
from tests.integration.conversations.conftest import library  # noqa: F401
from tests.sockets.tab import opened_tab

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).parents[2]
QUESTION = "What is the RPO in Frankfurt?"
OURS = {
    "config.telemetry",
    "config.traced_tasks",
    "config.traced_statements",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "google.protobuf",
}
STAGES = {
    "load",
    "classify",
    "scope",
    "contextualize",
    "guard",
    "authorize",
    "retrieve",
    "answer",
    "remember",
}


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as collector:
        yield collector


@pytest.fixture
def traced(collector: Collector, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from config import traced_statements, traced_tasks  # noqa: F401 -- as an app that is traced does

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    tracer = telemetry.install("web")
    monkeypatch.setattr(traced_tasks, "_install", lambda: tracer)
    yield tracer
    trace_with(None)
    tracer.provider.shutdown()


@pytest.fixture
async def model(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    with model_server() as server:
        chat = OpenAIChat(
            base_url=server.url, api_key="test", model="test-chat", timeouts=Timeouts(), retries=0
        )
        monkeypatch.setattr(wiring, "chat_model", lambda: MeteredModel(chat))
        yield
        await chat.aclose()


async def _asked(tenant: Any) -> str:
    """Ask over the socket; the answer's text."""
    cookie = f"{DEVICE_COOKIE}={device_token(tenant.pk, 'one')}"
    async with opened_tab(cookie=cookie) as tab:
        await tab.send_frame({"type": "ping"})
        await tab.send_frame({"type": "ask", "session": None, "id": str(uuid4()), "text": QUESTION})
        ended = (await tab.until("turn.completed"))[-1]
    await wiring.answers_ended()
    return str(ended["answer"])


async def test_from_the_socket_to_the_model_and_the_database(
    library: Any,  # noqa: F811
    tenant: Any,
    model: None,
    collector: Collector,
    traced: Any,
) -> None:
    answer = await _asked(tenant)
    traced.provider.force_flush()
    asked, turn = collector.one("chat ask"), collector.one("turn")
    assert not asked.parent_span_id and turn.parent_span_id == asked.span_id
    assert {one.trace_id for one in collector.spans} == {asked.trace_id}
    assert collector.services == {"antecedent-web"}
    stages = [one for one in collector.spans if one.name.startswith("stage ")]
    assert {one.name.removeprefix("stage ") for one in stages} == STAGES
    assert {one.parent_span_id for one in stages} == {turn.span_id}
    call = collector.one("chat test-chat")
    assert collector.parent_of(call) == collector.one("stage answer")
    told = facts(call)
    assert told["gen_ai.request.model"] == "test-chat" and told["server.address"] == "127.0.0.1"
    assert told["gen_ai.usage.input_tokens"] > 0 and told["gen_ai.usage.output_tokens"] > 0
    assert collector.parent_of(collector.one("search passages")) == collector.one("stage retrieve")
    assert collector.named("session_hold, turn_store")
    told = facts(turn)
    assert told["antecedent.tenant"] == str(tenant.pk) and told["antecedent.outcome"] == "completed"
    sent = b"".join(collector.raw)
    for said in (QUESTION, "Frankfurt", "recovery", "Regions", answer[:20]):
        assert said.encode() not in sent, said


def _work_until(name: str) -> None:
    """Be a worker on the real queue until a task of this name has run."""
    done = threading.Event()

    def ended(sender: Any, **_: Any) -> None:
        if sender.name.endswith(name):
            done.set()

    task_postrun.connect(ended)
    try:
        with start_worker(celery.app, pool="solo", perform_ping_check=False, shutdown_timeout=20):
            assert done.wait(30)
    finally:
        task_postrun.disconnect(ended)


async def test_work_after_the_answer_is_its_child(
    library: Any,  # noqa: F811
    tenant: Any,
    collector: Collector,
    traced: Any,
) -> None:
    await _asked(tenant)
    await asyncio.to_thread(_work_until, "session_remember")
    traced.provider.force_flush()
    task = collector.one("task session_remember")
    assert task.parent_span_id == collector.one("turn").span_id
    assert task.trace_id == collector.one("chat ask").trace_id
    assert facts(task)["antecedent.tenant"] == str(tenant.pk)
    assert any(collector.parent_of(one) == task for one in collector.spans)


async def test_nothing_is_sent_unless_it_is_asked_for(
    library: Any,  # noqa: F811
    tenant: Any,
    collector: Collector,
) -> None:
    await _asked(tenant)
    assert collector.raw == []


@pytest.mark.takes(20)
def test_nothing_of_it_is_loaded_unless_it_is_asked_for(stack: Any) -> None:
    """By us: the redis client looks for the SDK's metrics by itself wherever the SDK is installed."""
    code = "import sys, config.asgi, config.celery; print(*sys.modules)"
    loaded = {}
    for endpoint in ("", "http://127.0.0.1:9"):
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
            "DATABASE_URL": stack.database_url,
            "VALKEY_URL": stack.valkey_url,
            "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        loaded[endpoint] = set(done.stdout.split()) & OURS
    assert loaded == {"": set(), "http://127.0.0.1:9": OURS}
