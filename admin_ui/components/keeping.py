"""How long conversations are kept, in words, and what a deletion receipt says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from admin_ui.components.marks import Mark, mark_of
from conversations.models import DeletionReason, DeletionReceipt
from tenants.models import Retention

REASONS: dict[str, Mark] = {
    DeletionReason.END_USER: Mark(
        "by the person", "carry", "✕", "The person deleted their own conversation."
    ),
    DeletionReason.SESSION_END: Mark("ended", "plain", "◼", "The conversation was over."),
    DeletionReason.AGE: Mark("too old", "plain", "◔", "Silent for longer than conversations are kept."),
}
_ROWS = {
    "Session": "conversation",
    "Turn": "message",
    "TurnTrace": "trace",
    "SessionState": "state",
    "ArchivedExchange": "archived exchange",
    "SummaryPart": "summary part",
    "LedgerFact": "fact",
}


_SEVERAL = {
    "people": "person",
    "archives": "archive",
    "audience memberships": "audience membership",
    "files": "file",
}
"""What is counted under a word for several, with that for one."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """A setting of retention. `days` counts only where `mode` is "days"."""

    mode: str
    days: int

    def same_as(self, other: Keeping) -> bool:
        return self.mode == other.mode and (self.mode != Retention.DAYS or self.days == other.days)

    @property
    def told(self) -> str:
        """As the end of "Conversations are …"."""
        if self.mode == Retention.NONE:
            return "deleted when they end"
        if self.mode == Retention.DAYS:
            return f"kept for {self.days} day{'' if self.days == 1 else 's'} after the last activity"
        return "kept until somebody deletes them"


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """`counts` are words such as "41 messages", what people know first."""

    receipt: DeletionReceipt
    reason: Mark
    counts: tuple[str, ...]


def receipt_row(receipt: DeletionReceipt) -> ReceiptRow:
    return ReceiptRow(receipt, mark_of(REASONS, receipt.reason), counts_told(receipt.counts))


def counts_told(counts: Mapping[str, int]) -> tuple[str, ...]:
    """What is gone, by kind, as words such as "41 messages"; what people know first."""
    known = [name for name in _ROWS if counts.get(name)]
    more = sorted(name for name in counts if name not in _ROWS and counts[name])
    return tuple(_told(counts[name], name) for name in (*known, *more))


def _told(count: int, name: str) -> str:
    if name in _SEVERAL:
        return f"{count:,} {_SEVERAL[name] if count == 1 else name}"
    word = _ROWS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return f"{count:,} {word}{'' if count == 1 else 's'}"
