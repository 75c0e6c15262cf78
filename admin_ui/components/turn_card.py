"""A turn as the conversation page shows it: what was said, and beside it what was done and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.components.marks import ACTIONS, KINDS, ORIGINS, STATUSES, VERDICTS, Mark, mark_of
from admin_ui.components.rewrite import Run, added_runs
from admin_ui.components.waterfall import Share, Waterfall, token_shares, waterfall
from conversations.models import Turn
from kernel.json import JsonObject


@dataclass(frozen=True, slots=True)
class SlotChip:
    name: str
    type: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Shown:
    """Exactly what the contextualizer was shown, and what was kept from it."""

    strategy: str
    exchanges: Sequence[JsonObject]
    slots: tuple[SlotChip, ...]
    closed: tuple[SlotChip, ...]
    antecedent: int | None
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

    `sealed`: the answer rests on a document that the reader may not see. `carries_sealed`: it comes after such an
    answer, so that what it carried along is not told either.
    """

    turn: Turn
    sources: Sequence[JsonObject]
    sealed: bool
    carries_sealed: bool
    kind: Mark
    searched: tuple[Run, ...]
    ruled: Ruled
    shown: Shown
    why: Sequence[JsonObject]
    affinities: Sequence[JsonObject]
    queries: Sequence[JsonObject]
    candidates: Sequence[JsonObject]
    stages: Waterfall
    tokens: tuple[Share, ...]
    model_calls: int
    novelty: float | None
    trace: bool

    @property
    def chosen(self) -> int:
        return sum(1 for candidate in self.candidates if candidate.get("chosen"))

    @property
    def token_total(self) -> int:
        return sum(share.tokens for share in self.tokens)

    @property
    def carries(self) -> bool:
        return any(run.added for run in self.searched)


def turn_card(
    turn: Turn,
    trace: Mapping[str, Any] | None,
    *,
    sources: Sequence[JsonObject] = (),
    sealed: bool = False,
    carries_sealed: bool = False,
) -> TurnCard:
    data = trace or {}
    classified = data.get("classification") or {}
    return TurnCard(
        turn=turn,
        sources=sources,
        sealed=sealed,
        carries_sealed=carries_sealed,
        kind=mark_of(KINDS, turn.kind),
        searched=() if carries_sealed else added_runs(turn.message, turn.query),
        ruled=_ruled(turn, data),
        shown=_shown(data.get("scope") or {}),
        why=classified.get("evidence", []),
        affinities=classified.get("affinities", []),
        queries=data.get("queries") or [],
        candidates=data.get("candidates", []),
        stages=waterfall(data.get("stages", [])),
        tokens=token_shares(data.get("tokens") or {}),
        model_calls=data.get("model_calls", 0),
        novelty=data.get("novelty"),
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


def _shown(scope: Mapping[str, Any]) -> Shown:
    return Shown(
        strategy=scope.get("strategy", ""),
        exchanges=scope.get("exchanges", []),
        slots=_chips(scope.get("slots", [])),
        closed=_chips(scope.get("closed", [])),
        antecedent=scope.get("antecedent"),
        evidence=scope.get("evidence", []),
    )


def _chips(slots: Sequence[JsonObject]) -> tuple[SlotChip, ...]:
    return tuple(SlotChip(s["name"], s["type"], mark_of(STATUSES, s["status"])) for s in slots)
