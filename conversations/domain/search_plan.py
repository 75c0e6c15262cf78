"""Which queries a turn searches with, how they weigh, and how many passages it wants.

The rewrite is searched alone, because the message as typed pulls the search away from what is meant; a message
without a rewrite is searched as typed. Passages that the session has already seen
make room for new ones, unless the message is about them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from conversations.domain.classify import Classification, Kind
from conversations.domain.openness import candidates
from conversations.domain.policy import ScopePolicy
from conversations.domain.reading import Reading
from conversations.domain.state import ConversationState
from conversations.domain.verdicts import Ruling

REWRITE_WEIGHT = 1.5
TYPED_WEIGHT = 1.0
# The passage that holds the most of a rewrite's words rises by as many places of the ranking by meaning as a fifth of
# its weight is worth. A question as typed has fewer words that tell, and is misled sooner.
LEXICAL_AFTER_REWRITE = 0.45
LEXICAL_AS_TYPED = 0.1
# A code is found by its letters alone: passages about its neighbours are all alike in meaning.
LEXICAL_FOR_CODES = 3.0
CODE = re.compile(
    r"(?<![\w-])(?=[\w-]{5,40}(?![\w-]))(?=[\w-]*\d[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w-])"
)
FEWEST_NEW = 2
LEADING = 3
BY_NAME = 3


@dataclass(frozen=True, slots=True)
class PlannedQuery:
    """One query of the fusion, with the weights of its meaning (dense) and of its words (lexical).

    With `every_word` a passage must hold all of its words.
    """

    text: str
    dense_weight: float
    lexical_weight: float
    every_word: bool = False


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What to search for. `limit` is how many passages are wanted.

    `seen` are chunk ids the session has been shown; `spent` those of them shown only for what is closed by now
    (see `without_seen`).
    """

    queries: tuple[PlannedQuery, ...]
    limit: int = 6
    seen: frozenset[str] = frozenset()
    spent: frozenset[str] = frozenset()

    @property
    def rare_words(self) -> bool:
        """Whether a query holds a code, or a name that is searched by its letters alone."""
        return any(not query.dense_weight for query in self.queries)


def plan_search(
    reading: Reading,
    classification: Classification,
    ruling: Ruling,
    state: ConversationState,
    policy: ScopePolicy,
) -> SearchPlan:
    """The queries of this turn and the number of passages they should bring."""
    return SearchPlan(
        queries=_with_codes(_query(reading, classification, ruling)),
        limit=_limit(classification, state),
        seen=_seen(classification, state),
        spent=_spent(classification, state, policy),
    )


def _query(reading: Reading, classification: Classification, ruling: Ruling) -> PlannedQuery:
    """The one query: the rewrite where there is one. Beside it the message as typed finds less, and what is closed."""
    if ruling.query == reading.core or not classification.dependent:
        return PlannedQuery(ruling.query, TYPED_WEIGHT, LEXICAL_AS_TYPED)
    return PlannedQuery(ruling.query, REWRITE_WEIGHT, LEXICAL_AFTER_REWRITE)


def _with_codes(query: PlannedQuery) -> tuple[PlannedQuery, ...]:
    """The query, and each part number or reference in it by itself."""
    codes = dict.fromkeys(CODE.findall(query.text))
    return (
        query,
        *(PlannedQuery(code, 0.0, LEXICAL_FOR_CODES, every_word=True) for code in list(codes)[:3]),
    )


def _limit(classification: Classification, state: ConversationState) -> int:
    """Wider early and after a shift, narrower when deep in one topic."""
    if state.turn < 2 or classification.topic_shift or classification.kind is Kind.TOPIC_RETURN:
        return 8
    topic = state.topic
    deep = topic is not None and topic.last_turn - topic.first_turn >= 4
    return 5 if deep else 6


def _seen(classification: Classification, state: ConversationState) -> frozenset[str]:
    if classification.kind in {Kind.TOPIC_RETURN, Kind.CORRECTION}:
        return frozenset()
    return frozenset(chunk for exchange in state.exchanges for chunk in exchange.chunks)


def _spent(classification: Classification, state: ConversationState, policy: ScopePolicy) -> frozenset[str]:
    """Chunks that were shown for closed entities only; on a change of subject, for anything the message does not name."""
    if classification.kind in {Kind.TOPIC_RETURN, Kind.CORRECTION}:
        return frozenset()
    named = classification.named
    still = candidates(state, policy, named)
    if classification.topic_shift:
        still = tuple(exchange for exchange in still if set(exchange.slots) & set(named))
    return _seen(classification, state) - {chunk for exchange in still for chunk in exchange.chunks}


def by_name(name: str) -> SearchPlan:
    """Few passages that hold a name, found by the word alone."""
    return SearchPlan((PlannedQuery(name, dense_weight=0.0, lexical_weight=1.0),), limit=BY_NAME)


def without_seen(ids: Sequence[str], seen: Set[str], limit: int, spent: Set[str] = frozenset()) -> list[str]:
    """The `limit` ids to show, from ids in order of rank: new ones, and the seen ones that lead the ranking.

    A seen passage further down only repeats itself and makes room. One at the top is what the message asks
    about: "and for Dublin?" is answered by the same table that answered for Frankfurt. With fewer than two new
    ones the seen ones fill the list, but never those that are spent: an earlier topic's passages do not fill up
    a later one's.
    """
    fresh = [item for item in ids if item not in seen]
    if len(fresh) < FEWEST_NEW:
        return [item for rank, item in enumerate(ids) if rank < LEADING or item not in spent][:limit]
    return [item for rank, item in enumerate(ids) if rank < LEADING or item not in seen][:limit]
