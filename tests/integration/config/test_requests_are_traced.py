"""A request is a span by the pattern of its page, and goes on with a trace only where a proxy of ours hands it one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from config.telemetry import SdkTracer
from kernel.traced import trace_with

pytestmark = pytest.mark.django_db
CARRIED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def kept(settings: Any) -> Iterator[InMemorySpanExporter]:
    settings.MIDDLEWARE = [
        settings.MIDDLEWARE[0],
        "config.middleware.TracedRequest",
        *settings.MIDDLEWARE[1:],
    ]
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace_with(SdkTracer(provider))
    yield exporter
    trace_with(None)


def served(kept: InMemorySpanExporter) -> ReadableSpan:
    [span] = [span for span in kept.get_finished_spans() if span.kind.name == "SERVER"]
    return span


def test_it_is_called_by_its_pattern_and_never_by_its_address(kept: Any, client: Client, tenant: Any) -> None:
    answer = client.get("/api/v1/corpora?q=Dublin", SCRIPT_NAME="/t/acme")
    span = served(kept)
    assert span.name == "GET /api/v1/corpora"
    assert span.attributes["http.response.status_code"] == answer.status_code
    assert span.attributes["antecedent.tenant"] == str(tenant.pk)
    assert span.attributes["antecedent.request"] == answer.headers["X-Request-ID"]
    assert "Dublin" not in "".join(one.to_json() for one in kept.get_finished_spans())


def test_an_address_that_leads_nowhere_is_not_told(kept: Any, client: Client) -> None:
    client.generic("BREW", "/secrets/of/Dublin")
    span = served(kept)
    assert span.name == "_OTHER" and span.status.status_code is StatusCode.UNSET
    assert "Dublin" not in span.to_json() and "BREW" not in span.to_json()


@pytest.mark.parametrize("path", ["/healthz", "/metrics", "/static/nothing.css"])
def test_probes_and_files_are_no_traces(kept: Any, client: Client, path: str) -> None:
    client.get(path)
    assert kept.get_finished_spans() == ()


@pytest.mark.parametrize("proxies", [0, 1])
def test_it_goes_on_with_the_trace_of_a_proxy_of_ours_only(
    kept: Any, client: Client, settings: Any, proxies: int
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    client.get("/sign-in/", headers={"traceparent": CARRIED})
    assert (served(kept).parent is not None) is bool(proxies)
    assert (f"{served(kept).context.trace_id:032x}" in CARRIED) is bool(proxies)
