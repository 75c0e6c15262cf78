"""OpenTelemetry: the spans of `kernel.traced` are sent to a collector. Loaded only where an address for them is set.

Batches go out from a thread of its own, behind a queue of bounded length: with the collector away, the newest spans
push out the oldest and nobody waits.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from config import environment as env
from kernel.errors import DomainError
from kernel.log_ids import log_ids
from kernel.traced import Attributes, Kind, Span, trace_with
from tenants.scoping import current_scope

KINDS = {
    Kind.SERVED: SpanKind.SERVER,
    Kind.CONSUMED: SpanKind.CONSUMER,
    Kind.CALLED: SpanKind.CLIENT,
    Kind.INSIDE: SpanKind.INTERNAL,
}
_W3C = TraceContextTextMapPropagator()
_current: ContextVar[SdkSpan | None] = ContextVar("current_span", default=None)


class SdkSpan:
    """A span of the OpenTelemetry SDK."""

    def __init__(self, inner: trace.Span) -> None:
        self.inner = inner

    def note(self, attributes: Attributes) -> None:
        self.inner.set_attributes(dict(attributes))

    def named(self, name: str) -> None:
        self.inner.update_name(name)

    def failed(self, code: str) -> None:
        self.inner.set_attribute("error.type", code)
        self.inner.set_status(Status(StatusCode.ERROR))


class SdkTracer:
    """A Tracer on a provider of the OpenTelemetry SDK."""

    def __init__(self, provider: TracerProvider) -> None:
        self.provider = provider
        self._tracer = provider.get_tracer("antecedent")

    @contextmanager
    def span(self, name: str, kind: Kind, attributes: Attributes, carried: str) -> Iterator[Span]:
        inner = self._tracer.start_span(
            name,
            context=self._parent(carried),
            kind=KINDS[kind],
            attributes={**_whose(), **attributes},
            record_exception=False,  # its text may quote somebody
            set_status_on_exception=False,
        )
        span = SdkSpan(inner)
        token = _current.set(span)
        try:
            yield span
        except DomainError as error:
            span.failed(error.code)
            raise
        except Exception as error:
            span.failed(type(error).__qualname__)
            raise
        finally:
            with suppress(ValueError):  # a generator that another task closes: that task's context is another
                _current.reset(token)
            inner.end()

    def _parent(self, carried: str) -> Context:
        """An empty context begins a new trace: what is not ours to know is never picked up."""
        if carried:
            return _W3C.extract({"traceparent": carried}, context=Context())
        around = _current.get()
        return trace.set_span_in_context(around.inner, Context()) if around else Context()

    def current(self) -> Span | None:
        return _current.get()

    def ids(self) -> Mapping[str, str]:
        current = _current.get()
        if current is None:
            return {}
        context = current.inner.get_span_context()
        return {
            "trace": trace.format_trace_id(context.trace_id),
            "span": trace.format_span_id(context.span_id),
        }

    def traceparent(self) -> str:
        carrier: dict[str, str] = {}
        if current := _current.get():
            _W3C.inject(carrier, context=trace.set_span_in_context(current.inner, Context()))
        return carrier.get("traceparent", "")


def _whose() -> dict[str, str]:
    """For whom the work is done: the ids that its log lines carry too."""
    named = {f"antecedent.{name}": value for name, value in log_ids().items()}
    tenant_id = current_scope().tenant_id
    return {**named, "antecedent.tenant": str(tenant_id)} if tenant_id else named


def install(process: str) -> SdkTracer:
    """Trace this process, called `antecedent-<process>` unless OTEL_SERVICE_NAME says otherwise, until it ends.

    Addresses, headers, sampling and the queue's length are the standard's variables, which the SDK reads.
    """
    name = env.text("OTEL_SERVICE_NAME", f"antecedent-{process}")
    provider = TracerProvider(resource=Resource.create({"service.name": name}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(timeout=env.number("OTEL_EXPORTER_OTLP_TIMEOUT", 3))
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = SdkTracer(provider)
    trace_with(tracer)
    atexit.register(provider.shutdown)
    return tracer
