"""Reading the audit log: following its chain, and handing it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast

from tenants.audit_chain import Anchor, Break, Head, Reason, Stored, Walk, canonical
from tenants.models import AuditEntry, AuditHead
from tenants.scoping import current_tenant_id, tenant_scope
from tenants.sealing import mac, mac_fits

SEAL = "audit head"
BATCH = 200
"""Rows in memory at once."""
MOST_BREAKS = 1000
"""Breaks reported of one log; what more there are is said, not listed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What following a tenant's log found. `anchor` is its head, to be kept elsewhere, where nothing is broken."""

    entries: int
    broken: tuple[Break, ...]
    anchor: Anchor | None


def is_sealed(head: AuditHead | Anchor) -> bool:
    """Whether this platform sealed this head for the current tenant."""
    return mac_fits(SEAL, Head(head.seq, head.hash).message, head.seal)


def audit_length() -> int:
    """How many entries the current tenant's log should have: what its end says, unchecked."""
    return AuditHead.objects.values_list("seq", flat=True).first() or 0


def audit_verify(*, anchor: Anchor | None = None, report: Callable[[int], None] | None = None) -> Verdict:
    """Follow the current tenant's log from its beginning, while it may go on being written.

    `anchor` is a head that was kept outside the database. `report(entries so far)` is called as it goes.
    """
    trusted = anchor if anchor is not None and is_sealed(anchor) else None
    walk = Walk(current_tenant_id(), trusted)
    broken: list[Break] = []
    more = 0
    for found in _findings(walk, report or (lambda entries: None)):
        if len(broken) < MOST_BREAKS:
            broken.append(found)
        else:
            more += 1
    if more:
        broken.append(Break(walk.end.seq, Reason.AND_MORE, f"{more:,} more that are not listed."))
    if anchor is not None and trusted is None:
        broken.append(Break(anchor.seq, Reason.ANCHOR_FORGED, "The anchor was not made by this platform."))
    return Verdict(walk.entries, tuple(broken), None if broken else _anchor(walk.end))


def _anchor(end: Head) -> Anchor:
    return Anchor(end.seq, end.hash, mac(SEAL, end.message))


def audit_export(*, after: int = 0) -> Iterator[bytes]:
    """The current tenant's log as JSON lines, oldest first, entries after a number, each line with its hash.

    The tenant is the one at the call, whoever iterates later: a response streams after its request has left the scope.
    """
    return _lines(current_tenant_id(), after)


def _lines(tenant_id: UUID, after: int) -> Iterator[bytes]:
    last: Stored | None = None
    while True:
        with tenant_scope(tenant_id):
            rows = _rows(last, after)
        for row in rows:
            yield _line(row, tenant_id)
        if len(rows) < BATCH:
            return
        last = rows[-1]


def _line(row: Stored, tenant_id: UUID) -> bytes:
    """A row whose time or data was made unreadable is handed out as the text that it holds."""
    try:
        return row.entry(tenant_id).line(row.hash)
    except (ValueError, RecursionError, OverflowError):
        return (
            canonical({"seq": row.seq, "hash": row.hash, "unreadable": f"{row.at} {row.data[:2000]}"}) + b"\n"
        )


def _findings(walk: Walk, report: Callable[[int], None]) -> Iterator[Break]:
    """Entries are committed together with the head: once the head is not ahead of what was read, it is all there."""
    last: Stored | None = None
    while True:
        before = walk.entries
        while rows := _rows(last):
            for row in rows:
                yield from walk.step(row)
            last = rows[-1]
            report(walk.entries)
        head = AuditHead.objects.first()
        if head is None or head.seq <= walk.end.seq or walk.entries == before:
            break
    found = None if head is None else Head(head.seq, head.hash)
    yield from walk.finish(found, is_sealed=head is not None and is_sealed(head))


def _rows(last: Stored | None, after: int | None = None) -> list[Stored]:
    """The next rows of the current tenant by number, `at` and `data` as the text that the database holds."""
    query = AuditEntry.objects.order_by("seq", "id")
    if last is not None:
        query = query.filter(Q(seq__gt=last.seq) | Q(seq=last.seq, id__gt=last.id), seq__gte=last.seq)
    elif after is not None:
        query = query.filter(seq__gt=after)
    rows = query.annotate(
        at_text=Cast("at", TextField()), data_text=Cast("data", TextField())
    ).values_list(
        "id", "seq", "at_text", "actor", "actor_id", "actor_label", "action", "target", "data_text", "previous", "hash"
    )  # fmt: skip
    return [Stored(*row) for row in rows[:BATCH]]
