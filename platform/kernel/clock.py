"""Time as a value: services ask here, the domain is told."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The current moment, aware, in UTC."""
    return datetime.now(UTC)


def monotonic_ms() -> float:
    """Milliseconds on a clock that never steps; only differences mean anything."""
    return time.perf_counter() * 1000
