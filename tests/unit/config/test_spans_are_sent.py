"""Spans know their parents across threads of work, say no more than names, and cost nobody anything when nobody listens."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from config import telemetry
from config.environment import traces
from config.logging_json import JsonLines
from config.traced_statements import told
from kernel.errors import Invalid
from kernel.traced import NOTHING, Kind, note, span, trace_ids, trace_with, traceparent
from tests.fakes.collector import collecting

CARRIED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def kept() -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace_with(telemetry.SdkTracer(provider))
    yield exporter
    trace_with(None)


def _one(kept: InMemorySpanExporter, name: str) -> ReadableSpan:
    [found] = [one for one in kept.get_finished_spans() if one.name == name]
    return found


def test_nobody_listens() -> None:
    with span("ask", Kind.SERVED) as served:
        served.note({"a": 1})
        note({"b": 2})
        assert served is NOTHING and traceparent() == "" and trace_ids() == {}


def test_only_what_comes_from_outside_begins_a_trace(kept: InMemorySpanExporter) -> None:
    with span("alone"), span("statement", Kind.CALLED):
        note({"a": 1})
    assert kept.get_finished_spans() == ()
    with span("ask", Kind.SERVED), span("inside"):
        pass
    assert _one(kept, "inside").parent.span_id == _one(kept, "ask").context.span_id


def test_it_goes_on_with_a_trace_that_is_carried(kept: InMemorySpanExporter) -> None:
    with span("task", Kind.CONSUMED, carried=CARRIED):
        assert traceparent().split("-")[1] == trace_ids()["trace"] == CARRIED.split("-")[1]
    assert f"{_one(kept, 'task').parent.span_id:016x}" == CARRIED.split("-")[2]


@pytest.mark.parametrize("nonsense", ["", "00-xyz", "00-" + "0" * 32 + "-" + "0" * 16 + "-01"])
def test_what_is_no_trace_is_a_new_one(kept: InMemorySpanExporter, nonsense: str) -> None:
    with span("task", Kind.CONSUMED, carried=nonsense):
        pass
    assert _one(kept, "task").parent is None


def test_an_error_is_told_by_its_code_and_never_by_its_text(kept: InMemorySpanExporter) -> None:
    with span("ask", Kind.SERVED):
        with pytest.raises(Invalid), span("known"):
            raise Invalid(reason="the secret of Dublin")
        with pytest.raises(RuntimeError), span("unknown"):
            raise RuntimeError("the secret of Dublin")
        with pytest.raises(asyncio.CancelledError), span("cancelled"):
            raise asyncio.CancelledError
    assert _one(kept, "known").attributes["error.type"] == "invalid"
    assert _one(kept, "unknown").attributes["error.type"] == "RuntimeError"
    assert _one(kept, "cancelled").status.status_code is StatusCode.UNSET
    assert "Dublin" not in "".join(one.to_json() for one in kept.get_finished_spans())


async def test_a_generator_that_another_task_closes_ends_its_span(kept: InMemorySpanExporter) -> None:
    async def pieces() -> AsyncGenerator[int]:
        with span("answer"):
            yield 1

    with span("ask", Kind.SERVED):
        given = pieces()
        await anext(given)
        await asyncio.create_task(given.aclose())
    assert _one(kept, "answer").parent.span_id == _one(kept, "ask").context.span_id
    assert trace_ids() == {}


def test_log_lines_say_which_trace_they_belong_to(kept: InMemorySpanExporter) -> None:
    record = logging.LogRecord("it", logging.INFO, "", 0, "done", None, None)
    with span("task", Kind.CONSUMED, carried=CARRIED):
        inside = JsonLines().format(record)
    assert f'"trace": "{CARRIED.split("-")[1]}"' in inside
    assert '"trace"' not in JsonLines().format(record)


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ('SELECT "tenants_user"."id" FROM "tenants_user" WHERE 1', "SELECT tenants_user"),
        ('UPDATE "a_turn" SET "x" = %s', "UPDATE a_turn"),
        ('insert into "a_turn" values (1)', "INSERT a_turn"),
        ("select 'she came from Dublin'", "SELECT"),
        ('  SAVEPOINT "s1"', "SAVEPOINT"),
        ("-- why\nselect 1", "STATEMENT"),
    ],
)
def test_a_statement_is_told_by_what_it_does_to_which_table(sql: str, name: str) -> None:
    assert told(sql)[0] == name


def test_a_collector_that_is_away_costs_nothing(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.2")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "64")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "32")
    caplog.set_level(logging.CRITICAL)
    tracer = telemetry.install("web")
    try:
        for _ in range(500):
            with span("ask", Kind.SERVED):
                pass
        [processor] = tracer.provider._active_span_processor._span_processors
        assert len(processor._batch_processor._queue) <= 64
    finally:
        trace_with(None)
        tracer.provider.shutdown()


def test_a_collector_is_named_by_the_standards_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "chat")
        tracer = telemetry.install("web")
        with span("ask", Kind.SERVED):
            pass
        trace_with(None)
        tracer.provider.shutdown()
    assert collector.services == {"chat"} and collector.one("ask")


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
    ],
)
def test_it_is_off_unless_a_collector_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wanted: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert traces() is wanted
