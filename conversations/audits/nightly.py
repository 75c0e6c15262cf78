"""What a day left in a tenant, looked through once more: texts for canaries, passages for where they came from.

A day may be looked through again: its findings are known by then and its counts are written anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from conversations.audits.canaries import SHAPE
from conversations.audits.notices import notices_complete
from conversations.audits.permissions import permissions_check
from conversations.audits.planting import canaries_plant
from conversations.audits.provenance import in_tenants, provenance_check
from conversations.audits.records import Canary
from conversations.audits.scanning import checks_set, scan, turn_places
from conversations.models import LedgerFact, SummaryPart, TurnTrace
from kernel.json import JsonObject
from kernel.observed import Counted, count
from retrieval.models import Chunk


def day_check(*, day: date, tenant_ids: Sequence[UUID]) -> JsonObject:
    """Plant what is missing, scan everything of the current tenant's day, and prove its passages. Returns the counts.

    `tenant_ids` are all tenants: unknown passages are looked up there.
    """
    canaries_plant()
    notices_complete()
    since = datetime.combine(day, time.min, UTC)
    until = since + timedelta(days=1)
    texts = _scan_turns(since, until)
    texts += _scan_memory()
    texts += _scan_passages()
    proof = provenance_check(since=since, until=until, elsewhere=in_tenants(tenant_ids))
    rights = permissions_check(since=since, until=until)
    showings = rights.allowed + rights.forbidden
    count(Counted.LEAKAGE_CHECKS, proof.checked + showings)
    checks_set(day, "texts", texts)
    checks_set(day, "passages", proof.checked)
    checks_set(day, "permissions", showings)
    return {
        "turns": proof.turns,
        "texts": texts,
        "passages": proof.checked,
        "gone": proof.gone,
        "permissions": showings,
        "untold": rights.untold,
        "forbidden": rights.forbidden,
    }


def _scan_turns(since: datetime, until: datetime) -> int:
    traces = TurnTrace.objects.filter(created_at__gte=since, created_at__lt=until).select_related("turn")
    texts = 0
    for trace in traces.iterator(chunk_size=200):
        turn = trace.turn
        places = turn_places(message=turn.message, query=turn.query, answer=turn.answer, trace=trace.data)
        scan(places, session_id=turn.session_id, turn=turn.n)
        texts += len(places)
    return texts


def _scan_memory() -> int:
    """Summaries and ledgers hold few words with a canary's shape, if any: the database looks for them."""
    texts = SummaryPart.objects.count() + LedgerFact.objects.count()
    for where, session_id, text in _memory_with_canaries():
        scan({where: text}, session_id=session_id)
    return texts


def _memory_with_canaries() -> Iterator[tuple[str, UUID, str]]:
    for part in SummaryPart.objects.filter(text__iregex=SHAPE):
        yield "summary", part.session_id, part.text
    for fact in LedgerFact.objects.filter(fact__iregex=SHAPE):
        yield "ledger", fact.session_id, fact.fact


def _scan_passages() -> int:
    """Passages with a canary's shape: the tenant's own stands in its own document only."""
    for chunk in Chunk.objects.filter(text__iregex=SHAPE):
        own = Canary.objects.filter(document_id=chunk.document_id).exists()
        if not own:
            scan({"passage": chunk.text}, session_id=None)
    return Chunk.objects.count()
