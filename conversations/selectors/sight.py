"""What one reader may see of a conversation now: its answers quote documents, and not all are theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models.fields.json import KeyTransform

from conversations.domain.liveness import Happened
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.models import Session, Turn, TurnTrace
from kernel.json import JsonObject
from retrieval.selectors import passages_visible
from tenants.access import Principal

UNSEEN = "A document you may not see"
_CARRIED = ("classification", "scope", "rewrite", "ruling", "queries", "background")
_PLACE: JsonObject = {"title": UNSEEN, "heading_path": [], "page": None, "hidden": True}


@dataclass(frozen=True, slots=True)
class Sight:
    """`sealed` are the turns whose answers rest on a passage that the reader may not see."""

    everything: bool = True
    passages: frozenset[str] = frozenset()
    sealed: frozenset[int] = field(default_factory=frozenset)

    @property
    def first_sealed(self) -> float:
        return min(self.sealed, default=float("inf"))

    def carries_sealed(self, n: int) -> bool:
        """Whether a turn comes after a sealed one, so that what it carried along may be from there."""
        return n > self.first_sealed

    def sources(self, citations: Sequence[JsonObject]) -> list[JsonObject]:
        """The citations, with those out of sight reduced to their number."""
        return [c if self._sees(c) else {"n": c.get("n"), **_PLACE} for c in citations]

    def trace(self, data: Mapping[str, Any] | None, n: int) -> Mapping[str, Any] | None:
        """The trace of turn `n` with everything taken out that would tell what is out of sight."""
        if data is None or self.everything:
            return data
        kept = {**data, "revoked": {}, "candidates": [self._candidate(c) for c in data.get("candidates", [])]}
        return {**kept, **dict.fromkeys(_CARRIED)} if self.carries_sealed(n) else kept

    def memories(self, turns: Sequence[JsonObject | None]) -> list[JsonObject | None]:
        """What turns remembered, without the entities that are known from sealed answers only."""
        if not self.sealed:
            return list(turns)
        own = {change["slot_id"] for memory in turns if memory for change in _named_first(memory)}
        return [self._memory(memory, own) for memory in turns]

    def part(self, last: int, part: SummaryPart) -> bool:
        """Whether a part of the summary up to turn `last` tells nothing that is out of sight."""
        return self.everything or (last < self.first_sealed and self.passages.issuperset(part.chunks))

    def fact(self, n: int, fact: Fact) -> bool:
        """Whether a fact of turn `n` may be read: what the user said always, as their messages are."""
        if self.everything or fact.said_by == "user":
            return True
        return n not in self.sealed and self.passages.issuperset(fact.chunks)

    def _memory(self, memory: JsonObject | None, own: set[Any]) -> JsonObject | None:
        if memory is None:
            return None
        slots = [
            s for s in memory.get("slots", []) if s["introduced_turn"] < self.first_sealed or s["id"] in own
        ]
        return {**memory, "slots": slots}

    def _sees(self, source: JsonObject) -> bool:
        return self.everything or str(source.get("chunk")) in self.passages

    def _candidate(self, candidate: JsonObject) -> JsonObject:
        return candidate if self._sees(candidate) else {**candidate, **_PLACE}


def sight_of(session: Session, principal: Principal) -> Sight:
    """At most three queries; none for those who see all documents."""
    if principal.sees_all:
        return Sight()
    found = KeyTransform("candidates", "data")
    traced = TurnTrace.objects.filter(turn__session=session).values_list("turn_id", found)
    candidates = {turn_id: _chunks(rows or ()) for turn_id, rows in traced}
    turns = list(Turn.objects.filter(session=session).order_by("n"))
    chunks = {chunk for turn in turns for chunk in _chunks(turn.citations)}.union(*candidates.values())
    seen = frozenset(str(pk) for pk in passages_visible(list(_ids(chunks)), principal))
    sealed: set[int] = set()
    for turn in turns:
        if _rests_on_unseen(turn, candidates.get(turn.pk, set()), seen, after_sealed=bool(sealed)):
            sealed.add(turn.n)
    return Sight(False, seen, frozenset(sealed))


def _rests_on_unseen(turn: Turn, candidates: set[str], seen: frozenset[str], *, after_sealed: bool) -> bool:
    """By its citations. A model was also shown what it does not cite: the other passages and the answers before."""
    cited = _chunks(turn.citations)
    if cited - seen or not turn.answer:
        return bool(cited - seen)
    if _is_offline(turn):
        return False
    return bool(candidates - seen) or (after_sealed and not cited)


def _is_offline(turn: Turn) -> bool:
    engine = turn.engine or {}
    return "offline" in (engine.get("mode"), engine.get("kind"))


def _chunks(sources: Iterable[JsonObject]) -> set[str]:
    return {str(source.get("chunk")) for source in sources}


def _ids(chunks: Iterable[str]) -> Iterator[UUID]:
    for chunk in chunks:
        try:
            yield UUID(chunk)
        except ValueError:
            continue


def _named_first(memory: JsonObject) -> Iterator[JsonObject]:
    """Entities that entered the conversation in the user's own words."""
    for change in memory.get("changes", []):
        if change["happened"] == Happened.NAMED and not change.get("before"):
            yield change
