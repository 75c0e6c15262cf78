"""The slot timeline: a lane for each entity over the turns of a conversation, cut into bars of one status.

Drawn from what each turn's trace remembered. A turn without a trace (failed, stopped early) keeps the status before it.
An entity that was closed and named again continues in its lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from admin_ui.components.marks import HAPPENED, JOINED, KINDS, STATUSES, VERDICTS, Mark, mark_of
from conversations.domain.liveness import CLOSED, Status
from kernel.json import JsonObject


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the timeline needs of one turn. `memory` is the trace's, None when there is none.

    `joined_to` is the turn that a message was answered together with, 0 for a turn of its own.
    """

    n: int
    url: str
    kind: str = ""
    verdict: str = ""
    message: str = ""
    topic_shift: bool = False
    memory: JsonObject | None = None
    joined_to: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    n: int
    url: str
    kind: Mark
    verdict: Mark
    message: str
    boundary: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A bar: grid columns `start` to before `end`, counted from 1."""

    start: int
    end: int
    mark: Mark

    @property
    def columns(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Moment:
    """A change of status, or a mention that changed nothing, at a column."""

    column: int
    url: str
    mark: Mark
    tip: str
    changed: bool = True


@dataclass(slots=True)
class Lane:
    """One entity. `mark` is its status after the last turn."""

    name: str
    type: str
    statuses: dict[int, str] = field(default_factory=dict)
    moments: list[Moment] = field(default_factory=list)
    spans: tuple[Span, ...] = ()
    mark: Mark = STATUSES[Status.OFFERED]

    @property
    def meant(self) -> bool:
        """Whether the user ever meant it, or only the assistant named it."""
        return bool({*self.statuses.values()} - {Status.OFFERED, Status.EVICTED})


@dataclass(frozen=True, slots=True)
class Timeline:
    columns: tuple[Column, ...]
    lanes: tuple[Lane, ...]
    offered: tuple[Lane, ...]

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The columns at which a segment begins."""
        return tuple(at for at, column in enumerate(self.columns, 1) if column.boundary)


def timeline(turns: Sequence[Remembered]) -> Timeline:
    """Lanes of what the user meant, and apart from them the lanes of what only the assistant has named."""
    lanes: dict[tuple[str, str], Lane] = {}
    for column, turn in enumerate(turns, 1):
        _carry(lanes.values(), column)
        if turn.memory:
            _place(lanes, column, turn, turn.memory)
    for lane in lanes.values():
        lane.spans = _spans(lane.statuses)
        lane.mark = mark_of(STATUSES, lane.statuses[max(lane.statuses)])
    ordered = sorted(lanes.values(), key=lambda lane: min(lane.statuses))
    return Timeline(
        tuple(_column(turn) for turn in turns),
        tuple(lane for lane in ordered if lane.meant),
        tuple(lane for lane in ordered if not lane.meant),
    )


def _carry(lanes: Iterable[Lane], column: int) -> None:
    for lane in lanes:
        if column - 1 in lane.statuses:
            lane.statuses[column] = lane.statuses[column - 1]


def _place(lanes: dict[tuple[str, str], Lane], column: int, turn: Remembered, memory: JsonObject) -> None:
    slots = sorted(memory.get("slots", []), key=lambda slot: int(slot["introduced_turn"]))
    names = {slot["id"]: str(slot["name"]) for slot in slots}
    for slot in slots:
        lane = lanes.setdefault(_key(slot), Lane(str(slot["name"]), str(slot["type"])))
        lane.statuses[column] = str(slot["status"])
    by_id = {slot["id"]: slot for slot in slots}
    changed = {change["slot_id"] for change in memory.get("changes", [])}
    for change in memory.get("changes", []):
        slot = by_id.get(change["slot_id"])
        if slot is not None:
            lanes[_key(slot)].moments.append(_change(column, turn, change, slot, names))
    for slot in slots:
        mentioned = slot["last_mention_turn"] == memory.get("turn") and slot["status"] == Status.LIVE
        if mentioned and slot["id"] not in changed:
            tip = f"Turn {turn.n}: {slot['name']} mentioned again"
            lanes[_key(slot)].moments.append(
                Moment(column, turn.url, STATUSES[Status.LIVE], tip, changed=False)
            )


def _change(
    column: int, turn: Remembered, change: JsonObject, slot: JsonObject, names: dict[Any, str]
) -> Moment:
    mark = mark_of(STATUSES, str(change["after"]))
    before = f"{change['before']} → " if change.get("before") else ""
    why = mark_of(HAPPENED, str(change["happened"])).label
    by = names.get(slot.get("superseded_by"))
    if by and change["after"] == Status.SUPERSEDED:
        why = f"{by} took its place"
    return Moment(column, turn.url, mark, f"Turn {turn.n}: {slot['name']} {before}{mark.label} ({why})")


def _spans(statuses: dict[int, str]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for column, status in sorted(statuses.items()):
        mark = mark_of(STATUSES, status)
        if spans and spans[-1].end == column and spans[-1].mark == mark:
            spans[-1] = Span(spans[-1].start, column + 1, mark)
        else:
            spans.append(Span(column, column + 1, mark))
    return tuple(spans)


def _column(turn: Remembered) -> Column:
    if turn.joined_to:
        mark = replace(JOINED, label=f"answered with turn {turn.joined_to}")
        return Column(turn.n, turn.url, mark, mark, turn.message, False)
    verdict = mark_of(VERDICTS, turn.verdict)
    return Column(turn.n, turn.url, mark_of(KINDS, turn.kind), verdict, turn.message, turn.topic_shift)


def _key(slot: JsonObject) -> tuple[str, str]:
    return str(slot["type"]), str(slot["name"]).casefold()


LEGEND = tuple(
    STATUSES[status] for status in (Status.LIVE, Status.OFFERED, Status.STALE, *sorted(CLOSED, reverse=True))
)
