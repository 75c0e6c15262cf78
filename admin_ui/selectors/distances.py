"""Reading how far back turns reached, and how near something closed was: d_live against d_stale."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from conversations.domain.classify import Kind
from conversations.models import Turn, TurnTrace

MOST_TURNS = 500
"""The latest that are read: the picture does not change with more."""
FARTHEST = 9
"""Distances from here on share a cell."""
WINDOW = 2
_LEANING = (Kind.FOLLOW_UP, Kind.PARTIAL_SHIFT, Kind.TOPIC_RETURN, Kind.CORRECTION, Kind.ANSWER_TO_QUESTION)


@dataclass(frozen=True, slots=True)
class Distances:
    """Turns by (d_live, d_stale), each from 1 to `FARTHEST`; d_stale is 0 where nothing was closed yet.

    `too_far` needed a turn that a window of `WINDOW` does not reach; `poisoned` had something closed inside it;
    `beyond_any` had something closed no farther than what they needed: every window that holds one holds the other.
    """

    turns: int
    cells: dict[tuple[int, int], int]
    too_far: int
    poisoned: int
    unserved: int
    beyond_any: int

    @property
    def unserved_share(self) -> float:
        return self.unserved / self.turns if self.turns else 0.0

    @property
    def beyond_any_share(self) -> float:
        return self.beyond_any / self.turns if self.turns else 0.0


def distances(*, since: datetime, until: datetime) -> Distances:
    """Of the latest turns of a period that needed an earlier one. One query."""
    turns = Turn.objects.filter(created_at__gte=since, created_at__lt=until, kind__in=_LEANING)
    latest = turns.order_by("-created_at").values("pk")[:MOST_TURNS]
    traced = TurnTrace.objects.filter(turn__in=latest, d_live__isnull=False)
    return counted(list(traced.values_list("d_live", "d_stale")))


def counted(pairs: list[tuple[int, int]]) -> Distances:
    too_far = [pair for pair in pairs if pair[0] > WINDOW]
    poisoned = [pair for pair in pairs if 0 < pair[1] <= WINDOW]
    unserved = [pair for pair in pairs if pair[0] > WINDOW or 0 < pair[1] <= WINDOW]
    beyond = [pair for pair in pairs if 0 < pair[1] <= pair[0]]
    cells = Counter((min(live, FARTHEST), min(stale, FARTHEST)) for live, stale in pairs)
    return Distances(len(pairs), dict(cells), len(too_far), len(poisoned), len(unserved), len(beyond))
