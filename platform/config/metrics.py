"""Prometheus metrics of this process: what is counted, and the page that tells it to whoever has the token.

Workers fork: their children count in files of a folder, one for each place in the pool, and the parent adds them up.
"""

from __future__ import annotations

import atexit
import hmac
import logging
import os
import shutil
import tempfile
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    start_http_server,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector

from config.metrics_backlog import Backlog
from kernel.observed import Counted, Held, Timed, observe_with
from tenants.rest.authentication import bearer_of

log = logging.getLogger(__name__)

COUNTERS: Mapping[Counted, tuple[str, tuple[str, ...]]] = {
    Counted.TURNS: ("Turns that ended, by what the message was and how it ended", ("kind", "outcome")),
    Counted.VERDICTS: ("What the guard said of a rewrite, and what was done", ("verdict", "action")),
    Counted.MODEL_CALLS: (
        "Calls of the language model, by what for and how they ended",
        ("purpose", "outcome"),
    ),
    Counted.MODEL_TOKENS: ("Tokens of the language model", ("direction",)),
    Counted.CACHE: ("Looks at the session cache", ("result",)),
    Counted.REFUSALS: ("Errors told to clients, by code", ("code",)),
    Counted.DOCUMENTS: ("Documents whose indexing ended, by how", ("state",)),
    Counted.LEAKAGE_CHECKS: ("Texts and passages looked through for what belongs to somebody else", ()),
}
TIMES: Mapping[Timed, tuple[str, tuple[str, ...]]] = {
    Timed.TURN_STAGE: ("Seconds that a stage of a turn took", ("stage",)),
}
HELD: Mapping[Held, str] = {Held.SOCKETS_OPEN: "Chat sockets that are open in this process"}
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """An Observer whose figures Prometheus can read from `registry`."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._counters = {
            what: Counter(f"antecedent_{what}", told, labels, registry=registry)
            for what, (told, labels) in COUNTERS.items()
        }
        self._times = {
            what: Histogram(f"antecedent_{what}_seconds", told, labels, buckets=BUCKETS, registry=registry)
            for what, (told, labels) in TIMES.items()
        }
        self._held = {
            what: Gauge(f"antecedent_{what}", told, registry=registry, multiprocess_mode="livesum")
            for what, told in HELD.items()
        }

    def count(self, what: Counted, amount: float, labels: dict[str, str]) -> None:
        counter = self._counters[what]
        (counter.labels(**labels) if labels else counter).inc(amount)

    def time(self, what: Timed, seconds: float, labels: dict[str, str]) -> None:
        self._times[what].labels(**labels).observe(seconds)

    def hold(self, what: Held, change: int) -> None:
        self._held[what].inc(change)


_page: list[CollectorRegistry] = []


def install_web() -> None:
    """Count in this process, where a token says that somebody reads it."""
    if settings.METRICS_TOKEN:
        metrics = Metrics(CollectorRegistry())
        metrics.registry.register(Backlog())
        _page[:] = [metrics.registry]
        observe_with(metrics)


def install_worker(port: int) -> None:
    """Count in the children that are about to be forked, and serve the sum on a port of this process."""
    folder = tempfile.mkdtemp(prefix="antecedent-metrics-")
    atexit.register(_folder_remove, folder, os.getpid())
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    # One file for each place in the pool and not for each process: children come and go for months.
    values.ValueClass = values.MultiProcessValue(_place)  # type: ignore[no-untyped-call]
    observe_with(Metrics(CollectorRegistry()))
    summed = CollectorRegistry()
    MultiProcessCollector(summed, folder)  # type: ignore[no-untyped-call]
    start_http_server(port, registry=summed)
    log.info("metrics are served on port %d", port)


def _folder_remove(folder: str, parent: int) -> None:
    """A child of the pool that ends leaves it to the others."""
    if os.getpid() == parent:
        shutil.rmtree(folder, ignore_errors=True)


def _place() -> str:
    from billiard.process import current_process

    return f"place{getattr(current_process(), 'index', 'none')}"


def page(request: HttpRequest) -> HttpResponse:
    """The figures in Prometheus' text format. 404 where no METRICS_TOKEN is set, 401 without it."""
    if not settings.METRICS_TOKEN or not _page:
        return HttpResponse(status=404)
    presented = bearer_of(request.headers.get("Authorization", ""))
    if not hmac.compare_digest(presented.encode(), settings.METRICS_TOKEN.encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(generate_latest(_page[0]), content_type=CONTENT_TYPE_LATEST)
