"""What a tenant may use, and how it is counted: one table for the services, the consoles and the docs.

A `Counter` is used up in the course of a day or a month and then begins anew. A `Gauge` is what is there at this moment;
whoever keeps the things counts them. A `Pace` is how often something may be done in a minute. `at_zero` says to people
what stops where a quota is 0, or all of it is used.
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
    at_zero: str

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
    at_zero: str


@dataclass(frozen=True, slots=True)
class Pace:
    what: str
    at_zero: str


MODEL_QUOTA = "model_tokens_per_month"
QUOTAS: dict[str, Counter | Gauge | Pace] = {
    "turns_per_day": Counter(
        "turns", "day", "messages of today", "Every message is refused, whoever sends it."
    ),
    MODEL_QUOTA: Counter(
        "model_tokens",
        "month",
        "language model tokens of this month",
        "The language model is not asked: the offline engine answers.",
    ),
    "documents": Gauge(
        "documents", "Nothing new can be uploaded or imported; what is there stays searchable."
    ),
    "storage_bytes": Gauge(
        "files (bytes)", "No file can be uploaded and no page fetched; what is there stays searchable."
    ),
    "concurrent_streams": Gauge("answers at once", "No answer is begun, so every message is refused."),
    "end_user_turns_per_minute": Pace(
        "messages of one person in a minute", "Every message is refused, whoever sends it."
    ),
    "visits_per_minute": Pace(
        "chats opened from one network address in a minute", "Nobody can open the chat or a widget."
    ),
    "key_requests_per_minute": Pace(
        "requests of one API key in a minute",
        "Every request of an API key is refused, unless the key has a limit of its own.",
    ),
}
NEAR = (0.8, 1.0)
"""Shares of a quota at which the tenant is told."""
