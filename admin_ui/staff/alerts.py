"""What every page of the staff console tells: that there are findings which nobody has judged."""

from __future__ import annotations

from django.core.cache import cache

from conversations.audits.notices import findings_open

SECONDS = 15
_KEY = "staff-open-findings"


def open_findings() -> int:
    """How many there are, at most `SECONDS` old."""
    return int(cache.get_or_set(_KEY, findings_open, SECONDS) or 0)


def open_findings_forget() -> None:
    """Have them counted anew: somebody judged one."""
    cache.delete(_KEY)
