"""Says what a rewrite may take from the conversation: every word that the message lacks needs a reason to be there.

The exchange that the message is about is such a reason, with what that leaned on itself; being open somewhere is none.
What the message puts something else in the place of has lost its reason, and so have the entries that were not picked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from conversations.domain.alternatives import not_chosen
from conversations.domain.classify import Kind
from conversations.domain.contextualize import Contextualized
from conversations.domain.parallels import RIVALLING, negated, other_of_its_kind, rivals
from conversations.domain.pointing import called_by_kind
from conversations.domain.prices import passed_over
from conversations.domain.reading import Reading
from conversations.domain.resolve import meant_by_one, picked
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.words import contains_key, content_of, key_of


@dataclass(frozen=True, slots=True)
class Licence:
    """What a rewrite may say, as word keys by their reason: words of the `message`, `carried` over by the rules, `said`
    in the exchanges of `turns`, which the message is about, and of these what the user `asked`. `gone` are names said
    there that gave way to others.
    """

    turns: frozenset[int] = frozenset()
    message: frozenset[str] = frozenset()
    carried: frozenset[str] = frozenset()
    said: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()

    @property
    def words(self) -> frozenset[str]:
        return self.message | self.carried | (self.said - self.barred)

    @property
    def barred(self) -> frozenset[str]:
        """The words by which what gave way is told from its like."""
        words = (word for name in self.gone for word in _distinctive(name))
        return frozenset(words) - self.message - self.carried


def licence_for(
    reading: Reading,
    scope: Scope,
    state: ConversationState,
    rules: Contextualized | None = None,
    rewritten: str = "",
) -> Licence:
    """What a rewrite of this message may say.

    `rules` is the rewrite by rules over the same scope, None when it is what is judged; `rewritten` is as much of its
    query as is safe to search.
    """
    chain = leaned_on(scope.antecedent, state)
    called = [text for slot in called_by_kind(reading, state.slots) for text in (slot.name, *slot.notes)]
    carried = [rewritten, *(term.text for term in picked(reading, scope)), *called]
    kept = key_of(" | ".join((reading.text, *carried)))
    gone = _given_way(reading, scope, rules) if rules is not None else []
    return Licence(
        turns=frozenset(exchange.turn for exchange in chain),
        message=_words([reading.text]),
        carried=_words(carried),
        said=_words(
            text for e in chain for text in (e.message, e.query, *(t.text for t in e.inherited), e.answer)
        ),
        asked=_words(exchange.message for exchange in chain),
        gone=tuple(name for name in gone if not contains_key(kept, key_of(name))),
    )


def as_understood(
    query: str, licence: Licence, reading: Reading, scope: Scope, state: ConversationState
) -> Licence:
    """The licence of the exchange that is nearly as near, where a rewrite speaks of that one and of nothing else.

    Between the two the scope hardly decides; a word of each at once is a weld.
    """
    added = content_of(query) - licence.message
    for exchange in scope.exchanges:
        if scope.antecedent is None or exchange.turn not in set(scope.contenders) - {scope.antecedent.turn}:
            continue
        other = licence_for(reading, replace(scope, antecedent=exchange), state)
        if added & other.said and not added & (licence.words - other.words):
            return other
    return licence


def leaned_on(exchange: Exchange | None, state: ConversationState) -> tuple[Exchange, ...]:
    """The exchange that is meant, what it depended on, and what was said before it without a change of subject."""
    if exchange is None:
        return ()
    chain = [exchange]
    while (before := state.exchange(chain[-1].anchor)) is not None and before not in chain:
        chain.append(before)
    stretch = (exchange.thread, exchange.segment)
    earlier = (e for e in state.exchanges if e.turn < exchange.turn and (e.thread, e.segment) == stretch)
    return (*chain, *(e for e in earlier if e not in chain))


def _given_way(reading: Reading, scope: Scope, rules: Contextualized) -> list[str]:
    """Names of the antecedent that something in the message took the place of."""
    antecedent = scope.antecedent
    if antecedent is None:
        return []
    one = meant_by_one(reading, (antecedent,))
    chosen = picked(reading, scope) or ((one,) if one else ())
    keys = negated(reading) | passed_over(reading, antecedent) | {old for old, _ in rules.replaced}
    rivalling = rivals(reading, antecedent, scope.exchanges, chosen)
    held = _held(antecedent, scope.exchanges)
    gone = [
        t.text
        for t in held
        if t.key in keys or (t.key in rivalling and _surely(t, (*reading.terms, *chosen), scope))
    ]
    if rules.replaced:
        gone += [term.text for term in antecedent.answer_terms if term.name]
    if rules.kind is Kind.CORRECTION and not rules.added:
        gone += [term.text for term in (*antecedent.terms, *antecedent.inherited) if term.name]
    return gone + not_chosen(reading, rules.kind, antecedent)


def _surely(old: Term, fresh: Iterable[Term], scope: Scope) -> bool:
    """Another place for a place, another entry for an entry, the Silver tariff for the Gold one."""
    if not old.name or old.type in RIVALLING or any(other_of_its_kind(old, new) for new in fresh):
        return True
    return any(old.key == item.key for exchange in scope.exchanges for item in exchange.items)


def _held(antecedent: Exchange, shown: Iterable[Exchange]) -> tuple[Term, ...]:
    """Everything named in the exchange, and the entries of the lists that were shown; each once."""
    named = (*antecedent.terms, *antecedent.inherited, *antecedent.answer_terms)
    listed = (item for exchange in shown for item in exchange.items)
    return tuple({term.key: term for term in (*named, *listed)}.values())


def _distinctive(name: str) -> frozenset[str]:
    """The words that tell a thing from its like: its large ones where it has any."""
    large = [word for word in name.split() if word[:1].isupper()]
    return content_of(" ".join(large) or name)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(key_of(" | ".join(texts)).split())
