"""What a tenant may use, and how it is counted: one table for the services, the consoles and the docs.

A `Counter` is used up in the course of a day or a month and then begins anew. A `Gauge` is what is there at this moment;
whoever keeps the things counts them. A `Pace` is how often something may be done in a minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal


@dataclass(frozen=True, slots=True)
class Counter:
    """`metric` is its name in `UsageDay`; `what` is what people call it."""

    metric: str
    per: Literal["day", "month"]
    what: str

    def period(self, day: date) -> str:
        """The day, or the beginning that all days of its month share."""
        return day.isoformat() if self.per == "day" else f"{day:%Y-%m}"

    def first_day(self, day: date) -> date:
        return day if self.per == "day" else day.replace(day=1)

    def ends(self, day: date) -> datetime:
        """When counting begins anew."""
        after = day + timedelta(days=1) if self.per == "day" else (day.replace(day=28) + timedelta(days=4))
        return datetime.combine(after if self.per == "day" else after.replace(day=1), time(), UTC)


@dataclass(frozen=True, slots=True)
class Gauge:
    what: str


@dataclass(frozen=True, slots=True)
class Pace:
    what: str


MODEL_QUOTA = "model_tokens_per_month"
QUOTAS: dict[str, Counter | Gauge | Pace] = {
    "turns_per_day": Counter("turns", "day", "messages of today"),
    MODEL_QUOTA: Counter("model_tokens", "month", "language model tokens of this month"),
    "documents": Gauge("documents"),
    "storage_bytes": Gauge("files (bytes)"),
    "concurrent_streams": Gauge("answers at once"),
    "end_user_turns_per_minute": Pace("messages of one person in a minute"),
    "visits_per_minute": Pace("chats opened from one network address in a minute"),
    "key_requests_per_minute": Pace("requests of one API key in a minute"),
}
NEAR = (0.8, 1.0)
"""Shares of a quota at which the tenant is told."""
