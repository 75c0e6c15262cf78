"""What-if replay, as values: which turns, what one side came to, and what differs between the sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from conversations.domain.classify import Kind
from conversations.domain.turn_replay import Relived
from kernel.errors import Invalid
from kernel.json import JsonObject

MOST_TURNS = 2000
USUAL_TURNS = 200
LEANING = (
    Kind.FOLLOW_UP,
    Kind.PARTIAL_SHIFT,
    Kind.TOPIC_RETURN,
    Kind.CORRECTION,
    Kind.ANSWER_TO_QUESTION,
)
"""Kinds of turn that lean on earlier ones: those that a model is asked to rewrite."""


class Sample(StrEnum):
    """Which turns are taken where more match than may be replayed. The same random ones come each time."""

    LATEST = "latest"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which stored turns to replay: of a period, `most` of them. An empty `kinds` is any.

    `follow_ups`: only turns of sessions in which some turn leans on an earlier one. `flagged`: only those that the
    guard objected to.
    """

    since: datetime | None = None
    until: datetime | None = None
    most: int = USUAL_TURNS
    sample: Sample = Sample.LATEST
    follow_ups: bool = True
    kinds: tuple[str, ...] = ()
    flagged: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.most <= MOST_TURNS:
            raise Invalid(reason=f"The number of turns is a whole number from 1 to {MOST_TURNS}.")
        if self.since and self.until and self.since >= self.until:
            raise Invalid(reason="The period ends before it begins.")

    def to_json(self) -> JsonObject:
        moments = {"since": self.since, "until": self.until}
        told = {name: at.isoformat() if at else None for name, at in moments.items()}
        return {**asdict(self), **told, "sample": self.sample.value, "kinds": list(self.kinds)}

    @classmethod
    def from_json(cls, data: JsonObject) -> Selection:
        moments = {name: _moment(data.get(name)) for name in ("since", "until")}
        more = {**data, **moments, "sample": Sample(data["sample"]), "kinds": tuple(data["kinds"])}
        return cls(**more)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@dataclass(frozen=True, slots=True)
class Told:
    """A stored turn that ended: what was said, and what it came to then.

    `answer` and `chunks` are as the session remembered them. `top` is the best passage found, "" for none or unknown.
    """

    turn_id: UUID
    n: int
    message: str
    answer: str
    chunks: tuple[str, ...]
    idle_seconds: float
    query: str
    verdict: str
    top: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """What a turn comes to under one policy: the search, the verdict, what the rewrite was shown, what was found.

    `turns` number the exchanges shown, `slots` are the names shown with their status. `passages` are ids of chunks,
    best first. `trouble` says why a model did not rewrite although it was asked, "" where none was.
    """

    query: str
    display: str
    kind: str
    verdict: str
    origin: str = ""
    turns: tuple[int, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()
    passages: tuple[str, ...] = ()
    trouble: str = ""

    def to_json(self) -> JsonObject:
        told = {**asdict(self), "turns": list(self.turns), "passages": list(self.passages)}
        return {**told, "slots": [list(slot) for slot in self.slots]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Side:
        lists = {name: tuple(data[name]) for name in ("turns", "passages")}
        return cls(**{**data, **lists, "slots": tuple((name, status) for name, status in data["slots"])})

    @classmethod
    def of(cls, relived: Relived) -> Side:
        seen, trace = relived.decided.as_seen(), relived.trace
        scope = trace.get("scope", {})
        return cls(
            query=seen["query"],
            display=seen["display"],
            kind=seen["kind"],
            verdict=seen["verdict"],
            origin=trace.get("ruling", {}).get("origin", ""),
            turns=tuple(exchange["turn"] for exchange in scope.get("exchanges", ())),
            slots=tuple((slot["name"], slot["status"]) for slot in scope.get("slots", ())),
            passages=tuple(candidate.passage.chunk_id for candidate in relived.candidates),
            trouble="" if "contextualizer_reply" in trace else trace.get("contextualizer_error", ""),
        )


class Change(StrEnum):
    """What can differ between the sides; the names of the columns of a difference."""

    REWRITE = "rewrite"
    VERDICT = "verdict"
    TOP_PASSAGE = "top_passage"
    PASSAGES = "passages"
    SCOPE = "scope"


def changes_of(before: Side, after: Side) -> frozenset[Change]:
    """What differs. Another order of the same passages counts where it changes the best one only."""
    differs = {
        Change.REWRITE: folded(before.query) != folded(after.query),
        Change.VERDICT: before.verdict != after.verdict,
        Change.TOP_PASSAGE: before.passages[:1] != after.passages[:1],
        Change.PASSAGES: set(before.passages) != set(after.passages),
        Change.SCOPE: (before.turns, set(before.slots)) != (after.turns, set(after.slots)),
    }
    return frozenset(change for change, is_so in differs.items() if is_so)


def differs_from_stored(told: Told, side: Side) -> bool:
    """Whether a replay comes to something else than the turn did when it was asked."""
    other_top = bool(told.top and side.passages) and told.top != side.passages[0]
    return folded(told.query) != folded(side.query) or told.verdict != side.verdict or other_top


def folded(query: str) -> str:
    return " ".join(query.casefold().split())


@dataclass(frozen=True, slots=True)
class Played:
    """A turn under both sides."""

    told: Told
    before: Side
    after: Side

    @property
    def trouble(self) -> str:
        return self.before.trouble or self.after.trouble

    @property
    def changes(self) -> frozenset[Change]:
        return changes_of(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Counts:
    """Turns of one stratum, or of all: how many were compared, and in how many of them what differs."""

    compared: int = 0
    changed: int = 0
    rewrite: int = 0
    verdict: int = 0
    top_passage: int = 0
    passages: int = 0
    scope: int = 0
    stored_differs: int = 0
    failed: int = 0
    waiting: int = 0

    @property
    def total(self) -> int:
        return self.compared + self.failed + self.waiting

    def to_json(self) -> JsonObject:
        return asdict(self)


def added_up(counts: Sequence[Counts]) -> Counts:
    rows = [asdict(one) for one in counts]
    return Counts(**{name: sum(row[name] for row in rows) for name in Counts.__dataclass_fields__})
