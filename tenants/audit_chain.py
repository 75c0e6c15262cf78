"""How the entries of an audit log hang together, and what can be wrong with them: values in, findings out.

An entry's hash is SHA-256 of its canonical JSON, which holds everything in it, the tenant, and the hash before. The
head says where the chain ends; it is sealed with a key that the database does not hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from kernel.json import JsonObject, JsonValue

BEGINNING = "tenant.created"
"""The only action that may begin a log."""
BROKEN = "audit_log.broken"
"""Left in the log by the first change after somebody has meddled with it."""


class Reason(StrEnum):
    """What verification finds; the value is the interface."""

    CHANGED = "changed"
    MISSING = "missing"
    DOUBLED = "doubled"
    UNLINKED = "unlinked"
    NOT_BEGUN = "not_begun"
    HEAD_MISSING = "head_missing"
    HEAD_FORGED = "head_forged"
    HEAD_DIFFERS = "head_differs"
    TAIL_MISSING = "tail_missing"
    BEYOND_HEAD = "beyond_head"
    MARKED = "marked"
    ANCHOR_FORGED = "anchor_forged"
    ROLLED_BACK = "rolled_back"
    AND_MORE = "and_more"


@dataclass(frozen=True, slots=True)
class Break:
    """Something wrong at an entry; `detail` says it to people."""

    seq: int
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as its hash sees it. `at` is ISO 8601 in UTC with microseconds."""

    tenant: str
    id: str
    seq: int
    at: str
    actor: str
    actor_id: str
    actor_label: str
    action: str
    target: str
    data: JsonObject
    previous: str

    @property
    def hash(self) -> str:
        """64 hex digits. Raises ValueError for what no JSON can hold."""
        return sha256(canonical(asdict(self))).hexdigest()

    def line(self, stored_hash: str) -> bytes:
        """The line of an export: canonical JSON of the entry with its hash."""
        return canonical({**asdict(self), "hash": stored_hash}) + b"\n"


@dataclass(frozen=True, slots=True)
class Stored:
    """A row as the database holds it: `at` and `data` are text, so that no value, however odd, breaks the reading."""

    id: UUID
    seq: int
    at: str
    actor: str
    actor_id: str
    actor_label: str
    action: str
    target: str
    data: str
    previous: str
    hash: str

    def entry(self, tenant_id: UUID) -> Entry:
        """Raises ValueError or RecursionError for what was never written by us."""
        return Entry(
            tenant=str(tenant_id),
            id=str(self.id),
            seq=self.seq,
            at=moment(datetime.fromisoformat(self.at)),
            actor=self.actor,
            actor_id=self.actor_id,
            actor_label=self.actor_label,
            action=self.action,
            target=self.target,
            data=plain_object(json.loads(self.data)),
            previous=self.previous,
        )


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain ends: the last entry's number and hash."""

    seq: int
    hash: str

    @property
    def message(self) -> bytes:
        """What the seal covers; the key is the tenant's own."""
        return canonical({"seq": self.seq, "hash": self.hash})


@dataclass(frozen=True, slots=True)
class Anchor(Head):
    """A head that was kept outside the database: the log may be longer by now, never shorter or another."""

    seal: str


def canonical(value: JsonValue) -> bytes:
    """One spelling for equal JSON: keys sorted, no spaces, UTF-8. Raises ValueError for NaN and infinity."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def plain_object(data: Mapping[str, JsonValue]) -> JsonObject:
    if not isinstance(data, Mapping):
        raise ValueError("The data of an entry is an object.")
    return {plain_text(key): plain(value) for key, value in data.items()}


def plain(value: JsonValue) -> JsonValue:
    """The value as it comes back from `jsonb`: whole numbers without a point, text that PostgreSQL can hold."""
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return plain_object(value)
    if isinstance(value, Sequence):
        return [plain(item) for item in value]
    return value


def plain_text(text: str) -> str:
    return str(text).replace("\0", "\ufffd").encode("utf-8", "replace").decode()


class Walk:
    """Follows one tenant's chain from its first row on. It remembers the last row only."""

    def __init__(self, tenant_id: UUID, anchor: Anchor | None = None) -> None:
        self.tenant_id = tenant_id
        self.anchor = anchor
        self.entries = 0
        self.end = Head(0, "")

    def step(self, row: Stored) -> Iterator[Break]:
        """What is wrong with this row, or between the one before and this one."""
        self.entries += 1
        if row.seq <= self.end.seq:
            yield Break(row.seq, Reason.DOUBLED, f"An entry too many with the number {row.seq}.")
            return
        yield from self._links(row)
        if not _is_whole(row, self.tenant_id):
            yield Break(row.seq, Reason.CHANGED, f"Entry {row.seq} is not as it was written.")
        if row.action == BROKEN:
            yield Break(row.seq, Reason.MARKED, f"Somebody had meddled with the log before entry {row.seq}.")
        if self.anchor and row.seq == self.anchor.seq and row.hash != self.anchor.hash:
            yield Break(row.seq, Reason.ROLLED_BACK, f"Entry {row.seq} is another than the anchor's.")
        self.end = Head(row.seq, row.hash)

    def _links(self, row: Stored) -> Iterator[Break]:
        expected = self.end.seq + 1
        if row.seq > expected:
            yield Break(expected, Reason.MISSING, _missing(expected, row.seq - 1))
        elif row.previous != self.end.hash:
            yield Break(row.seq, Reason.UNLINKED, f"Entry {row.seq} does not follow the one before it.")
        if self.entries == 1 and row.action != BEGINNING:
            yield Break(row.seq, Reason.NOT_BEGUN, "The log does not begin with the workspace's creation.")

    def finish(self, head: Head | None, *, is_sealed: bool) -> Iterator[Break]:
        """What is wrong with the end of the chain, by its head."""
        last = self.end.seq
        if head is None:
            yield Break(last, Reason.HEAD_MISSING, "The record of where the log ends is missing.")
        elif not is_sealed:
            yield Break(head.seq, Reason.HEAD_FORGED, "The record of where the log ends was altered.")
        elif head.seq > last:
            yield Break(last + 1, Reason.TAIL_MISSING, _missing(last + 1, head.seq))
        elif head.seq < last:
            detail = f"Entries after {head.seq} were not written by Antecedent, or an old head was put back."
            yield Break(head.seq + 1, Reason.BEYOND_HEAD, detail)
        elif head.hash != self.end.hash:
            yield Break(last, Reason.HEAD_DIFFERS, f"Entry {last} is another than the one recorded as last.")
        if self.anchor and self.anchor.seq > last:
            detail = f"The log ends at entry {last}, but had reached {self.anchor.seq} before."
            yield Break(last + 1, Reason.ROLLED_BACK, detail)


def _is_whole(row: Stored, tenant_id: UUID) -> bool:
    try:
        return row.entry(tenant_id).hash == row.hash
    except (ValueError, RecursionError, OverflowError):
        return False


def _missing(first: int, last: int) -> str:
    return f"Entry {first} is missing." if first == last else f"Entries {first} to {last} are missing."
