"""A turn as the conversation page shows it: what was said, and beside it what was done and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.components.added import NOTHING_NEW, Added, added, counted_by, paused, recalled
from admin_ui.components.marks import ACTIONS, JOINED, KINDS, ORIGINS, STATUSES, VERDICTS, Mark, mark_of
from admin_ui.components.places import Place, Places
from admin_ui.components.rewrite import Run, added_runs
from admin_ui.components.waterfall import Share, Waterfall, token_shares, waterfall
from conversations.models import Turn
from kernel.json import JsonObject

EVERYWHERE = Places()


@dataclass(frozen=True, slots=True)
class SlotChip:
    name: str
    type: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """An earlier exchange in scope. `recalled`: it was brought back from the archive."""

    place: Place
    message: str
    answer: str
    is_antecedent: bool
    recalled: bool


@dataclass(frozen=True, slots=True)
class Near:
    """How near an earlier exchange was to the message."""

    place: Place
    scores: JsonObject
    chosen: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """Exactly what the contextualizer was shown, and what was kept from it."""

    strategy: str
    exchanges: tuple[ShownExchange, ...]
    slots: tuple[SlotChip, ...]
    closed: tuple[SlotChip, ...]
    antecedent: Place | None
    evidence: Sequence[JsonObject]

    @property
    def nothing(self) -> bool:
        return not self.exchanges and not self.slots


@dataclass(frozen=True, slots=True)
class Ruled:
    """The guard's verdict, what was done, and the words that were kept out of the search."""

    mark: Mark
    action: str
    origin: str
    before: str
    objections: Sequence[JsonObject]
    offending: Sequence[str]
    revoked: Sequence[str]

    @property
    def objected(self) -> bool:
        return bool(self.objections or self.offending or self.revoked)


@dataclass(frozen=True, slots=True)
class TurnCard:
    """Everything the template draws for one turn. `trace` is False when nothing was traced.

    `joined` are the earlier messages that were answered together with this one, `paused` how long the conversation
    had rested before it ("" for not long), `recalled` the turns that the archive brought back. `sealed`: the answer rests on a document that the reader may not see. `carries_sealed`: it comes after such an
    answer, so that what it carried along is not told either.
    """

    turn: Turn
    joined: Sequence[Turn]
    answered_in: Place | None
    paused: str
    sources: Sequence[JsonObject]
    sealed: bool
    carries_sealed: bool
    kind: Mark
    searched: tuple[Run, ...]
    ruled: Ruled
    shown: Shown
    why: Sequence[JsonObject]
    affinities: tuple[Near, ...]
    queries: Sequence[JsonObject]
    candidates: Sequence[JsonObject]
    stages: Waterfall
    tokens: tuple[Share, ...]
    counted_by: str
    added: Added
    recalled: tuple[Place, ...]
    model_calls: int
    novelty: float | None
    alarm: Mark | None
    trace: bool

    @property
    def chosen(self) -> int:
        return sum(1 for candidate in self.candidates if candidate.get("chosen"))

    @property
    def carried(self) -> int:
        return sum(1 for candidate in self.candidates if candidate.get("carried"))

    @property
    def token_total(self) -> int:
        return sum(share.tokens for share in self.tokens)

    @property
    def carries(self) -> bool:
        return any(run.added for run in self.searched)


def turn_card(
    turn: Turn,
    trace: Mapping[str, Any] | None,
    places: Places = EVERYWHERE,
    *,
    joined: Sequence[Turn] = (),
    answered_in: Place | None = None,
    sources: Sequence[JsonObject] = (),
    sealed: bool = False,
    carries_sealed: bool = False,
) -> TurnCard:
    """`answered_in`: the turn on another page that this message was answered together with."""
    data = trace or {}
    classified = data.get("classification") or {}
    shown = _shown(data.get("scope") or {}, data.get("recalled") or (), places)
    typed = "\n".join(said.message for said in (*joined, turn))
    return TurnCard(
        turn=turn,
        joined=joined,
        answered_in=answered_in,
        paused=paused(data),
        sources=sources,
        sealed=sealed,
        carries_sealed=carries_sealed,
        kind=JOINED if answered_in else mark_of(KINDS, turn.kind),
        searched=() if carries_sealed else added_runs(typed, turn.display or turn.query),
        ruled=_ruled(turn, data),
        shown=shown,
        why=classified.get("evidence", []),
        affinities=_nearness(classified.get("affinities", []), places, shown.antecedent),
        queries=data.get("queries") or [],
        candidates=data.get("candidates", []),
        stages=waterfall(data.get("stages", [])),
        tokens=token_shares(data.get("tokens") or {}),
        counted_by=counted_by(data),
        added=added(data),
        recalled=recalled(data, places),
        model_calls=data.get("model_calls", 0),
        novelty=data.get("novelty"),
        alarm=NOTHING_NEW if data.get("novelty_alarm") else None,
        trace=trace is not None,
    )


def _ruled(turn: Turn, data: Mapping[str, Any]) -> Ruled:
    ruling = data.get("ruling") or {}
    rewrite = (data.get("rewrite") or {}).get("query", "")
    return Ruled(
        mark=mark_of(VERDICTS, turn.verdict),
        action=ACTIONS.get(ruling.get("action", ""), ""),
        origin=ORIGINS.get(ruling.get("origin", ""), ""),
        before=rewrite if rewrite != turn.query else "",
        objections=ruling.get("objections", []),
        offending=ruling.get("offending", []),
        revoked=(data.get("revoked") or {}).get("slots", []),
    )


def _shown(scope: Mapping[str, Any], recalled: Collection[int], places: Places) -> Shown:
    antecedent = scope.get("antecedent")
    exchanges = tuple(
        ShownExchange(
            places.exchange(e["turn"]),
            e["message"],
            e["answer"],
            is_antecedent=e["turn"] == antecedent,
            recalled=e["turn"] in recalled,
        )
        for e in scope.get("exchanges", [])
    )
    return Shown(
        strategy=scope.get("strategy", ""),
        exchanges=exchanges,
        slots=_chips(scope.get("slots", [])),
        closed=_chips(scope.get("closed", [])),
        antecedent=places.exchange(antecedent) if antecedent else None,
        evidence=scope.get("evidence", []),
    )


def _nearness(rows: Sequence[JsonObject], places: Places, antecedent: Place | None) -> tuple[Near, ...]:
    found = [(places.exchange(row["turn"]), row) for row in rows]
    return tuple(Near(place, row, chosen=place == antecedent) for place, row in found)


def _chips(slots: Sequence[JsonObject]) -> tuple[SlotChip, ...]:
    return tuple(SlotChip(s["name"], s["type"], mark_of(STATUSES, s["status"])) for s in slots)
