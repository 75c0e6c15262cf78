"""Says which stretches of a session must be summarised now, and which older parts must be merged.

The last turns stay as they were said; older ones are summarised in stretches that end where the subject changes.
The same turns always give the same stretches, so work that ran twice or was lost is simply planned again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conversations.domain.memory.values import Level, SummaryPart
from conversations.domain.state import Exchange

RECENT, DEEP_AFTER = 6, 30
ROLLING_TURNS, DEEP_TURNS = 6, 24


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns to be summarised in one part. `complete`: no later turn will be added to it."""

    first_turn: int
    last_turn: int
    level: Level = Level.ROLLING
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """What is due, oldest first. A new part takes the place of every part inside its turns."""

    rolling: tuple[Stretch, ...] = ()
    deep: tuple[Stretch, ...] = ()

    @property
    def due(self) -> bool:
        return bool(self.rolling or self.deep)


def plan_parts(parts: Sequence[SummaryPart], exchanges: Sequence[Exchange], turn: int) -> Plan:
    """What must be summarised after `turn` turns, given the parts there are.

    `exchanges` are those from `needed_from(parts)` on; earlier ones do no harm, where no deep part covers them.
    Deep stretches join parts that exist, so they are planned again once the rolling ones are done.
    """
    deep_until = max((p.last_turn for p in parts if p.level is Level.DEEP), default=0)
    there = {(p.first_turn, p.last_turn) for p in parts}
    ordered = sorted((e for e in exchanges if e.turn > deep_until), key=lambda e: e.turn)
    due = [s for s in _stretches(ordered, turn) if (s.first_turn, s.last_turn) not in there]
    return Plan(tuple(due), _deep(parts, turn))


def needed_from(parts: Sequence[SummaryPart]) -> int:
    """The first turn whose exchange planning needs: that of the newest rolling part, which may still grow."""
    newest = max(parts, key=lambda part: part.last_turn, default=None)
    if newest is None:
        return 1
    return newest.first_turn if newest.level is Level.ROLLING else newest.last_turn + 1


def _stretches(exchanges: Sequence[Exchange], turn: int) -> list[Stretch]:
    found: list[list[Exchange]] = []
    for exchange in exchanges:
        if exchange.turn > turn - RECENT:
            break
        if found and _continues(found[-1], exchange):
            found[-1].append(exchange)
        else:
            found.append([exchange])
    last = found[-1] if found else []
    after = next((e for e in exchanges if last and e.turn > last[-1].turn), None)
    grows = bool(last) and last[-1].turn - last[0].turn < ROLLING_TURNS - 1
    grows = grows and (after is None or _continues(last, after))
    return [Stretch(s[0].turn, s[-1].turn, complete=s is not last or not grows) for s in found]


def _continues(stretch: list[Exchange], exchange: Exchange) -> bool:
    last = stretch[-1]
    same = last.thread == exchange.thread and last.segment == exchange.segment
    return same and exchange.turn - stretch[0].turn < ROLLING_TURNS


def _deep(parts: Sequence[SummaryPart], turn: int) -> tuple[Stretch, ...]:
    """Old parts joined from the left while they fit; a group of one rolling part is made deep as well."""
    groups: list[list[SummaryPart]] = []
    for part in sorted((p for p in parts if p.last_turn <= turn - DEEP_AFTER), key=lambda p: p.first_turn):
        if groups and part.last_turn - groups[-1][0].first_turn < DEEP_TURNS:
            groups[-1].append(part)
        else:
            groups.append([part])
    return tuple(
        Stretch(group[0].first_turn, group[-1].last_turn, Level.DEEP, group is not groups[-1])
        for group in groups
        if len(group) > 1 or group[0].level is not Level.DEEP
    )
