"""What waits in the database, by tenant, read when Prometheus asks: at most every fifteen seconds, never for long.

The wall lets nobody read across tenants, so every tenant is asked inside its own scope, in one transaction.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from config.health import Question
from conversations.audits.notices import findings_open
from conversations.selectors.backlog import turns_unanswered
from kernel.clock import now
from kernel.observed import Waiting
from retrieval.selectors import documents_by_state, documents_unfinished
from tenants.models import Tenant
from tenants.scoping import tenant_scope

KEPT_SECONDS = 15.0
ANSWER_SECONDS = 8.0
TENANTS_SHOWN = 20
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Figures:
    """What waits in one tenant by queue, and its documents by state."""

    tenant: str
    waiting: dict[str, Waiting]
    documents: dict[str, int]

    @property
    def depth(self) -> int:
        return sum(one.depth for one in self.waiting.values())


class Backlog(Collector):
    """Asks the database when it is collected. Where that does not answer, the other figures stay readable."""

    def __init__(self) -> None:
        self._figures: Sequence[Figures] = ()
        self._findings = 0
        self._read_at: float | None = None
        self._question = Question(self._read)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return families((), is_known=False)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        is_fresh = self._read_at is not None and time.monotonic() - self._read_at < KEPT_SECONDS
        is_known = is_fresh or not self._question.answer(ANSWER_SECONDS).reason
        return families(self._figures if is_known else (), self._findings, is_known=is_known)

    def _read(self) -> None:
        tenants = Tenant.objects.filter(suspended_at=None).order_by("id").values_list("id", "slug")
        self._figures = [_figures_of(tenant_id, slug) for tenant_id, slug in tenants]
        self._findings = findings_open()
        self._read_at = time.monotonic()


def _figures_of(tenant_id: UUID, slug: str) -> Figures:
    with tenant_scope(tenant_id), transaction.atomic():
        waiting = {"turns": turns_unanswered(), "documents": documents_unfinished()}
        return Figures(slug, waiting, documents_by_state())


def families(figures: Sequence[Figures], findings: int = 0, *, is_known: bool) -> list[GaugeMetricFamily]:
    """The figures as gauges. Tenants beyond the twenty with most waiting are `other` together."""
    up = GaugeMetricFamily(
        "antecedent_backlog_up", "1 where the database told what waits", value=float(is_known)
    )
    by_queue = ["tenant", "queue"]
    depth = GaugeMetricFamily("antecedent_queue_depth", "Turns and documents that wait", labels=by_queue)
    age = GaugeMetricFamily(
        "antecedent_queue_oldest_seconds", "Seconds that the oldest waits", labels=by_queue
    )
    for tenant, queue, waiting in _shown(figures):
        depth.add_metric([tenant, queue], waiting.depth)
        age.add_metric([tenant, queue], _age(waiting))
    states: Counter[str] = Counter()
    for one in figures:
        states.update(one.documents)
    documents = GaugeMetricFamily("antecedent_documents_stored", "Documents, by state", labels=["state"])
    for state, number in sorted(states.items()):
        documents.add_metric([state], number)
    told = "Findings of the leakage audit that nobody has judged"
    unjudged = GaugeMetricFamily("antecedent_leakage_findings_open", told)
    if is_known:
        unjudged.add_metric([], findings)
    return [up, depth, age, documents, unjudged]


def _shown(figures: Sequence[Figures]) -> Iterator[tuple[str, str, Waiting]]:
    ranked = sorted(figures, key=lambda one: (-one.depth, one.tenant))
    for one in ranked[:TENANTS_SHOWN]:
        yield from ((one.tenant, queue, waiting) for queue, waiting in one.waiting.items())
    if rest := ranked[TENANTS_SHOWN:]:
        for queue in rest[0].waiting:
            yield OTHER, queue, _together([one.waiting[queue] for one in rest])


def _together(waiting: Sequence[Waiting]) -> Waiting:
    oldest = min((one.oldest for one in waiting if one.oldest), default=None)
    return Waiting(sum(one.depth for one in waiting), oldest)


def _age(waiting: Waiting) -> float:
    return max(0.0, (now() - waiting.oldest).total_seconds()) if waiting.oldest else 0.0
