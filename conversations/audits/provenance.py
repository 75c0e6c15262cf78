"""Where everything that a turn used came from: the proof, over stored traces, for any period.

Every passage that was found, carried over, remembered or cited must be of the turn's tenant. Ids that the tenant does
not know are looked up in all others. What is in none of them is gone since: it is counted apart and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from conversations.audits.records import Finding, FindingKind, FindingSeverity
from conversations.audits.scanning import findings_record, fingerprint
from conversations.models import Turn, TurnTrace
from kernel.json import JsonObject
from retrieval.models import Chunk
from tenants.scoping import current_tenant_id, tenant_scope

BATCH = 200
Elsewhere = Callable[[Collection[UUID]], dict[UUID, UUID]]


@dataclass(slots=True)
class Provenance:
    """How many things of how many turns were looked up: `own` are the tenant's, `gone` no longer anywhere."""

    turns: int = 0
    checked: int = 0
    own: int = 0
    gone: int = 0
    foreign: int = 0
    findings: list[Finding] = field(default_factory=list)


def provenance_check(*, since: datetime, until: datetime, elsewhere: Elsewhere) -> Provenance:
    """Look up what the current tenant's turns of a period used. `elsewhere` says whose unknown passages are."""
    told = Provenance()
    for turns in _batches(since, until):
        used = {turn.pk: passages_used(turn, trace) for turn, trace in turns}
        ids = frozenset().union(*used.values())
        own = frozenset(Chunk.objects.filter(pk__in=ids).values_list("pk", flat=True))
        foreign = elsewhere(ids - own) if ids - own else {}
        told.turns += len(turns)
        told.checked += len(ids)
        told.own += len(own)
        told.foreign += len(foreign)
        told.gone += len(ids) - len(own) - len(foreign)
        told.findings += findings_record(
            _foreign(turn, used[turn.pk] & foreign.keys())
            for turn, _ in turns
            if used[turn.pk] & foreign.keys()
        )
    return told


def passages_used(turn: Turn, trace: JsonObject) -> frozenset[UUID]:
    """Ids of the passages that a turn found, carried, kept in memory or cited."""
    return frozenset(_chunk_ids([turn.citations, trace]))


def _chunk_ids(data: Any) -> Iterator[UUID]:
    """Every value under a name that means passages, however deep."""
    if isinstance(data, list):
        for item in data:
            yield from _chunk_ids(item)
    elif isinstance(data, dict):
        for name, value in data.items():
            if name in {"chunk", "chunks", "chunk_id", "chunk_ids", "seen", "spent"}:
                yield from _ids(value if isinstance(value, list) else [value])
            else:
                yield from _chunk_ids(value)


def _ids(values: Sequence[Any]) -> Iterator[UUID]:
    for value in values:
        try:
            yield UUID(str(value))
        except ValueError:
            continue


def _batches(since: datetime, until: datetime) -> Iterator[list[tuple[Turn, JsonObject]]]:
    """Turns of the period with their traces, oldest first, a bounded number at a time."""
    after = (since, UUID(int=0))
    while True:
        traces = TurnTrace.objects.filter(created_at__gte=after[0], created_at__lt=until)
        page = list(traces.select_related("turn").order_by("created_at", "id")[: BATCH + 1])
        page = [t for t in page if (t.created_at, t.pk) > after][:BATCH]
        if not page:
            return
        yield [(trace.turn, trace.data) for trace in page]
        after = (page[-1].created_at, page[-1].pk)


def _foreign(turn: Turn, passages: Collection[UUID]) -> Finding:
    return Finding(
        kind=FindingKind.PROVENANCE,
        severity=FindingSeverity.CRITICAL,
        where="passage",
        session_id=turn.session_id,
        turn=turn.n,
        evidence={"passages": sorted(map(str, passages))},
        fingerprint=fingerprint("provenance", turn.pk, *sorted(map(str, passages))),
    )


def in_tenants(tenant_ids: Sequence[UUID]) -> Elsewhere:
    """Looks unknown passages up tenant by tenant, each inside its own scope: for staff, about all tenants."""

    def elsewhere(ids: Collection[UUID]) -> dict[UUID, UUID]:
        mine = current_tenant_id()
        found: dict[UUID, UUID] = {}
        for tenant_id in tenant_ids:
            if tenant_id != mine:
                with tenant_scope(tenant_id):
                    known = Chunk.objects.filter(pk__in=ids).values_list("pk", flat=True)
                    found |= dict.fromkeys(known, tenant_id)
        return found

    return elsewhere
