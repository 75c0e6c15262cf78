"""Asks the documents what the wording leaves open: whether a message stands alone, and which exchange it goes on with.

A message that the documents know as it stands takes nothing along. Every exchange lives among the passages that it was
answered from: the message goes on with the one whose passages know it best, and where they know it nearly as well as
any passage does, it goes on with something. Of two exchanges that are nearly as near, the one whose rewrite finds the
closer passages, with more of the message's own words in them, is meant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from conversations.domain.affinity import at_home
from conversations.domain.answer import Passage
from conversations.domain.classify import Classification, Evidence, Kind, taken_alone
from conversations.domain.completeness import is_complete, own_terms
from conversations.domain.contextualize import contextualize_offline
from conversations.domain.policy import ScopePolicy, Thresholds
from conversations.domain.ports import Candidate, Near, Retriever
from conversations.domain.reading import Reading
from conversations.domain.scope import Scope, select_scope
from conversations.domain.state import ConversationState
from conversations.domain.words import WORD, key_of, spellings

# Passages looked at for each wording.
LOOKED_AT = 5
# How much the closeness of the documents to a message as it stands counts against the affinity of an exchange.
# Flat between 0.5 and 1; more takes words away from messages that need them.
KNOWN_AS_IT_STANDS = 0.5
# How much of what passages say of an exchange is what they say of its thread.
OF_THREAD = 0.75
# An exchange that is so much nearer than the next is never overtaken by the passages of another.
DECIDED = 0.4
# What the best cosine and the share of the message's words count beside the affinity of an exchange. Chosen on
# conversations that share nothing with those they were checked on; flat within a third.
CLOSENESS = 1.0
OWN_WORDS = 0.2
# What it counts beside cosines that passages of an earlier exchange have more of the message's words than the closest.
KNOWN_WORDS = 0.2
# A whole question about several things of its own must be known to an earlier exchange so much better (a cosine).
OWN_SUBJECT, ENOUGH_OWN = 0.1, 2


async def weighed(
    reading: Reading,
    formed: Classification,
    state: ConversationState,
    policy: ScopePolicy,
    retriever: Retriever,
) -> Classification:
    """The classification with what the documents say to it, asked only where it may matter."""
    limits = policy.thresholds
    doubtful = formed.margin is not None and bool(limits.answered)
    homes = _homes(formed, state) if limits.elsewhere and (doubtful or _is_open(formed)) else {}
    near, found = await asyncio.gather(
        _nearness(reading, homes, retriever),
        retriever.closest(reading.core, LOOKED_AT) if doubtful else _nothing(),
    )
    cosines = {
        turn: max((near[i].cosine for i in ids if i in near), default=0.0) for turn, ids in homes.items()
    }
    known = _known(reading, near)
    shares = {turn: _share(reading, (known[i] for i in ids if i in near)) for turn, ids in homes.items()}
    affinities = at_home(reading, formed.affinities, _by_thread(cosines, state), _by_thread(shares, state))
    classification = replace(formed, affinities=affinities)
    closeness = _closeness(found)
    if closeness is None:
        return classification
    meant = next((item for item in affinities if item.home), None)
    if meant is None:
        return judged(classification, closeness, limits)
    closest = _known(reading, {c.passage.chunk_id: c.passage for c in found})
    words = meant.known - _share(reading, closest.values())
    nearer = meant.home - closeness + limits.elsewhere + KNOWN_WORDS * words
    if is_complete(reading) and len(own_terms(reading)) >= ENOUGH_OWN:
        nearer -= OWN_SUBJECT
    # The margin is that of the exchange in which the most alike was said; another one may be meant.
    most = max(item.total for item in affinities)
    return judged(classification, closeness, limits, nearer + meant.total - most, meant.turn)


def judged(
    found: Classification, closeness: float, limits: Thresholds, nearer: float = 0.0, turn: int = 0
) -> Classification:
    """The classification, once it is known how close the documents come to the message as it stands (a cosine).

    The closer they come, the nearer must an exchange be for the message to depend on it. By `nearer` the passages of
    the exchange of that turn make up for it. Where the form decided, or the space has no threshold for it, nothing changes.
    """
    if found.margin is None or not limits.answered:
        return found
    evidence = (*found.evidence, Evidence("answered as it stands", f"{closeness:.2f}", limits.answered))
    if nearer:
        evidence = (*evidence, Evidence("known to what was answered before", f"turn {turn}", nearer))
    wanted = KNOWN_AS_IT_STANDS * (closeness - limits.answered)
    if found.margin + nearer < wanted:
        return replace(taken_alone(found, limits), evidence=evidence)
    by_passages = found.margin < wanted
    tied = replace(found, kind=Kind.FOLLOW_UP, dependent=True, topic_shift=False, by_passages=by_passages)
    return replace(tied, evidence=evidence)


def _is_open(formed: Classification) -> bool:
    """Whether passages may yet change which exchange is meant."""
    near = formed.affinities
    chosen_by_nearness = formed.kind in {Kind.FOLLOW_UP, Kind.TOPIC_RETURN}
    return chosen_by_nearness and len(near) > 1 and near[0].order - near[1].order < DECIDED


def _homes(formed: Classification, state: ConversationState) -> dict[int, tuple[str, ...]]:
    """The passages that each exchange lives among, of those that the message may go on with."""
    homes = {exchange.turn: exchange.home for exchange in state.exchanges if exchange.home}
    return {item.turn: homes[item.turn] for item in formed.affinities if item.turn in homes}


async def _nearness(
    reading: Reading, homes: Mapping[int, tuple[str, ...]], retriever: Retriever
) -> Mapping[str, Near]:
    if reading.vector is None or not homes:
        return {}
    return await retriever.nearness(reading.vector, {chunk for ids in homes.values() for chunk in ids})


async def _nothing() -> tuple[Candidate, ...]:
    return ()


def _known(reading: Reading, texts: Mapping[str, Near | Passage]) -> dict[str, frozenset[str]]:
    """Which of the message's words each of some texts has."""
    spelt = {key: spellings(key) for key in reading.keys}
    found = {}
    for name, text in texts.items():
        said = set(WORD.findall(text.text.casefold()))
        found[name] = frozenset(key for key, written in spelt.items() if not said.isdisjoint(written))
    return found


def _share(reading: Reading, known: Iterable[frozenset[str]]) -> float:
    """The share of the message's words that one of some texts has."""
    return len(frozenset().union(*known)) / max(len(reading.keys), 1)


def _by_thread(values: Mapping[int, float], state: ConversationState) -> dict[int, float]:
    """The values of exchanges by turn, for the most part those of the best exchange of their thread.

    Passages tell subjects apart, and hardly the turns about one: those are told by what was said and how lately.
    """
    threads = {exchange.turn: exchange.thread for exchange in state.exchanges}
    best: dict[int, float] = {}
    for turn, value in values.items():
        best[threads[turn]] = max(best.get(threads[turn], 0.0), value)
    return {
        turn: OF_THREAD * best[thread] + (1 - OF_THREAD) * values.get(turn, 0.0)
        for turn, thread in threads.items()
        if thread in best
    }


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
