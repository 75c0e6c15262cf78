"""Chooses what of the conversation may be seen when the message is rewritten, and says why.

Four strategies stand behind one function; only what it returns is ever shown to a contextualizer.
After a change of subject nothing earlier is shown at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from conversations.domain.additions import asked_again_of
from conversations.domain.affinity import Affinity
from conversations.domain.asked_before import asked_before
from conversations.domain.choices import LISTS_REMEMBERED, chosen_from
from conversations.domain.classify import Classification, Evidence, Kind, usable_exchanges
from conversations.domain.comparing import comparison
from conversations.domain.completeness import own_terms
from conversations.domain.frames import is_frame, is_own_question
from conversations.domain.liveness import Slot, Status
from conversations.domain.marks import Mark
from conversations.domain.named_returns import spoken_of_so
from conversations.domain.offers import picks_from
from conversations.domain.openness import is_open, not_evicted, other_threads
from conversations.domain.parallels import parallel
from conversations.domain.pointing import (
    began_with,
    claims_it_of_the_last,
    introduced,
    means_them_again,
    only_points,
    points_past,
    recalls_unsaid,
    spoken_of,
    sums_up,
)
from conversations.domain.policy import ScopePolicy, Strategy
from conversations.domain.reading import Reading
from conversations.domain.recalls import claims_the_unsaid
from conversations.domain.resolve import meant_by_one, one_modifier
from conversations.domain.sides import Comparison
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.swapping import swap
from conversations.domain.wanted import holding, pronoun_focus, wanted_type
from conversations.domain.words import ONES, key_of

RECENT_TURNS = 2
# Under this share of the best affinity all exchanges are equally far: the latest is meant.
FLAT = 0.12
# Two exchanges are nearly as near when their affinities, recency counted in, are no further apart.
UNDECIDED = 0.15
BARE = (Mark.PRONOUN, Mark.ONES, Mark.DEMONSTRATIVE)
THREADS_AT_HAND = 2
# How much nearer an earlier place must be than the latest one to be meant by "there".
NEARER = 0.2


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be seen. `antecedent` is the exchange that the message refers to, None when it stands alone.

    `exchanges` are shown in reading order and include the antecedent; `slots` are the open slots shown;
    `closed` are names that must not come back; `assistant_tokens` bounds each answer shown. `contenders` are the
    turns of the nearest exchange and of one that is nearly as near, empty where wording or nearness decide.
    `compared` are the sides of a comparison, neither of which is closed for it.
    """

    strategy: Strategy
    exchanges: tuple[Exchange, ...] = ()
    slots: tuple[Slot, ...] = ()
    antecedent: Exchange | None = None
    sentence: int = -1
    closed: tuple[Slot, ...] = ()
    assistant_tokens: int = 300
    evidence: tuple[Evidence, ...] = ()
    contenders: tuple[int, ...] = ()
    compared: Comparison | None = None

    @property
    def empty(self) -> bool:
        return not self.exchanges and not self.slots


def select_scope(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    policy: ScopePolicy,
    prefer: int = 0,
) -> Scope:
    """What the contextualizer may see of `state` for this message under `policy`.

    Where nearness chooses, the exchange of turn `prefer` counts as the nearest.
    """
    closed = tuple(slot for slot in state.slots if slot.closed)
    tokens = policy.budgets.assistant_tokens
    if not classification.dependent:
        why = (Evidence("nothing shown", classification.kind.value),)
        return Scope(policy.strategy, closed=closed, assistant_tokens=tokens, evidence=why)
    open_exchanges = usable_exchanges(reading, state, policy, classification.named)
    chosen, evidence, contenders = _antecedent(reading, classification, state, open_exchanges, prefer)
    compared = _compared(reading, classification, state, policy, open_exchanges)
    if compared is not None:
        chosen, contenders = compared.exchange, ()
        evidence = (Evidence("antecedent", f"turn {chosen.turn}: the latest side"),)
        closed = tuple(slot for slot in closed if key_of(slot.name) not in compared.keys)
    shown = _shown(state, policy, open_exchanges, chosen, classification)
    if compared is not None:
        turns = compared.turns | {exchange.turn for exchange in shown}
        shown = tuple(exchange for exchange in state.exchanges if exchange.turn in turns)
    if chosen is not None and (asked_before(reading, state) or not is_open(chosen, state, policy)):
        closed = tuple(slot for slot in closed if not _part_of(slot, chosen))
    return Scope(
        strategy=policy.strategy,
        exchanges=shown,
        slots=_slots(state, policy, chosen),
        antecedent=chosen,
        sentence=_sentence(classification, chosen),
        closed=closed,
        assistant_tokens=tokens,
        evidence=evidence,
        contenders=contenders,
        compared=compared,
    )


def _compared(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    policy: ScopePolicy,
    exchanges: tuple[Exchange, ...],
) -> Comparison | None:
    """The sides of a comparison, also of one that gave way to the other; a window or a segment sees no further for it."""
    if classification.kind is not Kind.FOLLOW_UP:
        return None
    cut = policy.strategy in {Strategy.WINDOW, Strategy.SEGMENT}
    return comparison(reading, exchanges if cut else not_evicted(state))


def _part_of(slot: Slot, exchange: Exchange) -> bool:
    """Whether a closed thing belongs to a closed exchange that the message itself points back at."""
    held = {term.key for term in (*exchange.terms, *exchange.inherited)}
    return slot.id in exchange.slots or key_of(slot.name) in held


_Choice = tuple[Exchange | None, tuple[Evidence, ...], tuple[int, ...]]


def _antecedent(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    exchanges: tuple[Exchange, ...],
    prefer: int,
) -> _Choice:
    """The exchange that is meant, why, and the turns between which nearness hardly decides."""
    pointed = asked_before(reading, state) or ()
    if len(pointed) == 1 or (pointed and reading.cue.place and reading.cue.place.bare):
        return pointed[0], (Evidence("antecedent", f"turn {pointed[0].turn}: pointed at"),), ()
    exchanges = pointed or exchanges
    if not exchanges:
        return None, (Evidence("no open exchange"),), ()
    if recalls_unsaid(reading, state.exchanges) or claims_the_unsaid(reading, state.exchanges):
        return None, (Evidence("recalls what nobody said"),), ()
    if classification.kind is Kind.FOLLOW_UP and points_past(reading, exchanges):
        return None, (Evidence("points at what nobody called so"),), ()
    if classification.kind in {Kind.FOLLOW_UP, Kind.TOPIC_RETURN} and not is_frame(reading):
        exchanges = spoken_of_so(reading, exchanges) or exchanges
    told = _by_wording(reading, classification, state, exchanges)
    if told is not None:
        return told[0], (Evidence("antecedent", f"turn {told[0].turn}: {told[1]}"),), ()
    return _by_nearness(reading, classification, state, exchanges, prefer)


def _by_wording(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    exchanges: tuple[Exchange, ...],
) -> tuple[Exchange, str] | None:
    """The exchange that the wording points at whatever is near, and how it does."""
    kind, latest = classification.kind, exchanges[-1]
    typed = _of_wanted_type(reading, classification, exchanges)
    if typed is not None:
        return typed, f"holds a {wanted_type(reading)}"
    if kind is Kind.PARTIAL_SHIFT:
        focus = pronoun_focus(reading, _same_thread(exchanges, state))
        if focus is not None:
            return focus[0], focus[1].text
    if kind is Kind.PARTIAL_SHIFT and reading.strong:
        return _naming_something(exchanges) or latest, "the latest that named something"
    if kind in {Kind.ANSWER_TO_QUESTION, Kind.CORRECTION, Kind.PARTIAL_SHIFT}:
        return latest, "the latest"
    if sums_up(reading) and not own_terms(reading):
        return latest, "sums up"
    continued = _continued(reading, exchanges)
    if continued is not None:
        return continued, "its question goes on"
    alternatives = chosen_from(reading, exchanges)
    if alternatives is not None:
        return alternatives, "the latest with alternatives"
    introducing = [e for e in exchanges if introduced(reading, e)]
    if introducing and kind is Kind.FOLLOW_UP:
        return introducing[-1], "says what is called so"
    points = only_points(reading) or means_them_again(reading, latest)
    if kind is Kind.FOLLOW_UP and (points or claims_it_of_the_last(reading, exchanges)):
        return latest, "the latest"
    return None


def _by_nearness(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    exchanges: tuple[Exchange, ...],
    prefer: int,
) -> _Choice:
    away = classification.kind is Kind.TOPIC_RETURN and not reading.cue.named
    plainly = began_with(reading, exchanges) or spoken_of(reading, exchanges)
    pool = plainly or (other_threads(exchanges, state) if away else exchanges)
    allowed = {exchange.turn: exchange for exchange in _at_hand(reading, pool or exchanges)}
    near = [item for item in classification.affinities if item.turn in allowed]
    latest = allowed[max(allowed)]
    far = not near or max(item.total for item in near) < FLAT
    order = ([latest.turn] if far else []) + [
        item.turn for item in near if not far or item.turn != latest.turn
    ]
    turn = prefer if prefer in order else order[0]
    close = len(order) > 1 and (far or near[0].order - near[1].order < UNDECIDED)
    # What was just spoken of gives way to what was spoken of right before it, never to something further back.
    left_behind = close and not far and order[0] == latest.turn and latest.turn - order[1] > 1
    contenders = tuple(order[:2]) if close and not left_behind else ()
    if far and not prefer:
        return latest, (Evidence("antecedent", f"turn {latest.turn}: the latest, all are far"),), contenders
    best = allowed[turn]
    later = _parallel_later(reading, best, tuple(allowed.values()))
    if later is not None:
        return later, (Evidence("antecedent", f"turn {later.turn}: the latest of its kind"),), contenders
    if _points(reading) and latest.anchor == turn and (latest.terms or picks_from(latest, best)):
        why = f"turn {latest.turn}: goes on from turn {turn}"
        return latest, (Evidence("antecedent", why),), contenders
    total = next((item.total for item in near if item.turn == turn), 0.0)
    return best, (Evidence("antecedent", f"turn {turn}: the nearest", total),), contenders


def _at_hand(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """For a bare "it" or "one", which describes nothing: what was spoken of last and what was spoken of before that.

    A subject further back must be named or described to be meant again.
    """
    if not reading.has(*BARE) or reading.has(Mark.DEFINITE, Mark.RECALLS) or reading.things - ONES:
        return exchanges
    threads = tuple(dict.fromkeys(e.thread for e in reversed(exchanges)))[:THREADS_AT_HAND]
    return tuple(e for e in exchanges if e.thread in threads)


def _points(reading: Reading) -> bool:
    """ "It", and "that" without a noun of its own: both mean what is being spoken of, not what a word describes."""
    bare = (word.lower() for mark, word in reading.marks if mark is Mark.DEMONSTRATIVE)
    return reading.has(Mark.PRONOUN) or (not reading.terms and any(word in {"this", "that"} for word in bare))


def _naming_something(exchanges: tuple[Exchange, ...]) -> Exchange | None:
    """The latest whose user named or meant anything: "it" is not what nobody called by a name."""
    return next((e for e in reversed(exchanges) if e.terms or e.inherited), None)


def _continued(reading: Reading, exchanges: tuple[Exchange, ...]) -> Exchange | None:
    """ "And for Porto?" and "the blue one?": a bare thing takes its predicate from the last question that it fits."""
    last = exchanges[-1]
    if one_modifier(reading) and reading.has(Mark.VERBLESS):
        return last if meant_by_one(reading, exchanges) is not None else None
    again = asked_again_of(reading, exchanges[-LISTS_REMEMBERED:])
    if again is not None:
        return again
    bare = reading.has(Mark.ELLIPSIS, Mark.CONTINUES) and reading.has(Mark.VERBLESS)
    if len(reading.terms) != 1 or not (bare or is_frame(reading)):
        return None
    recent = [e for e in reversed(exchanges[-LISTS_REMEMBERED:]) if e.thread == last.thread]
    asked = next((e for e in recent if swap(reading, e, exchanges[-LISTS_REMEMBERED:]) is not None), None)
    return asked or (last if is_frame(reading) and not is_own_question(reading) else None)


def _parallel_later(reading: Reading, chosen: Exchange, exchanges: tuple[Exchange, ...]) -> Exchange | None:
    """For "it": a later exchange about another thing of the kind that the nearest one is about."""
    if not _points(reading) or reading.terms:
        return None
    later = sorted((e for e in exchanges if e.turn > chosen.turn), key=lambda e: -e.turn)
    return next((e for e in later if parallel(chosen, e) or _swapped_from(chosen, e)), None)


def _swapped_from(chosen: Exchange, later: Exchange) -> bool:
    """Whether the later exchange asked the chosen one's question about another thing."""
    return later.anchor == chosen.turn and later.message not in later.query


def _of_wanted_type(
    reading: Reading, classification: Classification, exchanges: tuple[Exchange, ...]
) -> Exchange | None:
    """For "there" and "she": the latest exchange about a place or a person, or one that is much nearer."""
    wanted = wanted_type(reading)
    held = {e.turn: e for e in holding(exchanges, wanted)} if wanted else {}
    if not held:
        return None
    latest = max(held)
    totals = {item.turn: item.total for item in classification.affinities if item.turn in held}
    nearest = max(totals, key=lambda turn: totals[turn], default=latest)
    far = classification.kind is Kind.PARTIAL_SHIFT
    return held[latest if far or totals[nearest] < totals.get(latest, 0.0) + NEARER else nearest]


def _same_thread(exchanges: tuple[Exchange, ...], state: ConversationState) -> tuple[Exchange, ...]:
    last = state.last
    if last is None:
        return exchanges
    return tuple(e for e in exchanges if e.thread == last.thread or e.segment == last.segment) or exchanges


def _shown(
    state: ConversationState,
    policy: ScopePolicy,
    exchanges: tuple[Exchange, ...],
    chosen: Exchange | None,
    classification: Classification,
) -> tuple[Exchange, ...]:
    if policy.strategy in {Strategy.WINDOW, Strategy.SEGMENT}:
        return exchanges
    recent = exchanges[-RECENT_TURNS:]
    if policy.strategy is Strategy.HYBRID:
        last = state.last
        recent = tuple(e for e in recent if last is not None and e.segment == last.segment)
    if classification.kind is Kind.TOPIC_RETURN:
        recent = ()
    turns = {exchange.turn for exchange in recent} | ({chosen.turn} if chosen else set())
    return tuple(exchange for exchange in state.exchanges if exchange.turn in turns)


def _slots(state: ConversationState, policy: ScopePolicy, chosen: Exchange | None) -> tuple[Slot, ...]:
    if policy.strategy in {Strategy.WINDOW, Strategy.SEGMENT}:
        return tuple(slot for slot in state.slots if slot.open)
    held = set(chosen.slots) if chosen else set()
    return tuple(s for s in state.slots if s.status is Status.LIVE or (s.open and s.id in held))


def _sentence(classification: Classification, chosen: Exchange | None) -> int:
    near: tuple[Affinity, ...] = classification.affinities
    return next((item.sentence for item in near if chosen and item.turn == chosen.turn), -1)
