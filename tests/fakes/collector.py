"""An OpenTelemetry collector for tests: OTLP over HTTP on a free local port."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class Collector:
    """What was sent, span by span and as it came."""

    def __init__(self) -> None:
        self.url = ""
        self.raw: list[bytes] = []
        self.services: set[str] = set()
        self.spans: list[Span] = []

    def take(self, body: bytes) -> None:
        self.raw.append(body)
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            named = {item.key: item.value.string_value for item in sent.resource.attributes}
            self.services.add(named["service.name"])
            self.spans += [span for scope in sent.scope_spans for span in scope.spans]

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Span:
        [span] = self.named(name)
        return span

    def parent_of(self, span: Span) -> Span | None:
        return next((one for one in self.spans if one.span_id == span.parent_span_id), None)


def facts(span: Span) -> dict[str, str | int]:
    """A span's attributes."""
    return {item.key: item.value.string_value or item.value.int_value for item in span.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
