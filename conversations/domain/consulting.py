"""Asks the documents what the wording leaves open: whether a message stands alone, and which exchange it goes on with.

A message that the documents know as it stands takes nothing along. Of two exchanges that are nearly as near, the one
whose rewrite finds the closer passages, with more of the message's own words in them, is meant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from conversations.domain.classify import Classification, Evidence, judged
from conversations.domain.contextualize import contextualize_offline
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Candidate, Retriever
from conversations.domain.reading import Reading
from conversations.domain.scope import Scope, select_scope
from conversations.domain.state import ConversationState
from conversations.domain.words import key_of

# Passages looked at for each wording.
LOOKED_AT = 5
# What the best cosine and the share of the message's words count beside the affinity of an exchange. Chosen on
# conversations that share nothing with those they were checked on; flat within a third.
CLOSENESS = 1.0
OWN_WORDS = 0.2


async def weighed(
    reading: Reading, classification: Classification, policy: ScopePolicy, retriever: Retriever
) -> Classification:
    """The classification with what the documents say to the message as it stands, asked only where it may matter."""
    if classification.margin is None or not policy.thresholds.answered:
        return classification
    closeness = _closeness(await retriever.closest(reading.core, LOOKED_AT))
    return classification if closeness is None else judged(classification, closeness, policy.thresholds)


async def scoped(
    reading: Reading,
    classification: Classification,
    state: ConversationState,
    policy: ScopePolicy,
    retriever: Retriever,
) -> Scope:
    """The scope around the exchange that is meant; between two that are nearly as near the documents decide."""
    scope = select_scope(reading, classification, state, policy)
    if not scope.contenders or not policy.thresholds.answered:
        return scope
    other = select_scope(reading, classification, state, policy, prefer=scope.contenders[1])
    queries = [contextualize_offline(reading, classification, s, state).query for s in (scope, other)]
    if queries[0] == queries[1]:
        return scope
    found = await asyncio.gather(*(retriever.closest(query, LOOKED_AT) for query in queries))
    near = {item.turn: item.order for item in classification.affinities}
    fits = [
        near.get(turn, 0.0) + _fit(reading, passages)
        for turn, passages in zip(scope.contenders, found, strict=True)
    ]
    if fits[0] >= fits[1]:
        return scope
    why = Evidence(
        "the documents decide", f"turn {scope.contenders[1]} before {scope.contenders[0]}", fits[1] - fits[0]
    )
    return replace(other, evidence=(*other.evidence, why))


def _fit(reading: Reading, found: Sequence[Candidate]) -> float:
    """How well passages fit: the best cosine, and the largest share of the message's own words in one of them."""
    shares = [len(reading.keys & set(key_of(c.passage.text).split())) for c in found] if reading.keys else []
    own = max(shares, default=0) / max(len(reading.keys), 1)
    return CLOSENESS * (_closeness(found) or 0.0) + OWN_WORDS * own


def _closeness(found: Sequence[Candidate]) -> float | None:
    """The best cosine, None where nothing was found or the search does not tell."""
    return max((c.dense_score for c in found if c.dense_score is not None), default=None)
