"""Finds what a reference points at: list items by their number, the swapped slot of an ellipsis, the words that lack.

Nothing closed is ever returned; a closed name stays out even when the chosen exchange is full of it.
All functions read the scope and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.reading import Mark, Reading
from conversations.domain.scope import Scope
from conversations.domain.state import ConversationState, Exchange, Term
from conversations.domain.words import contains_key, key_of, normalise


def closed_keys(scope: Scope, reading: Reading) -> frozenset[str]:
    """Keys of entities that are closed, not open under another slot, and not named by the message itself."""
    alive = {key_of(slot.name) for slot in scope.slots if slot.open}
    keys = {key_of(name) for slot in scope.closed for name in (slot.name, *slot.aliases)}
    return frozenset(k for k in keys if k and k not in alive and not contains_key(reading.text_key, k))


def lacking(
    terms: Iterable[Term], reading: Reading, have: Iterable[Term], closed: frozenset[str]
) -> tuple[Term, ...]:
    """The terms that neither the message nor `have` says already, closed ones left out."""
    said = [reading.text_key, *(term.key for term in have)]
    kept: list[Term] = []
    for term in terms:
        words = set(term.key.split())
        if any(contains_key(term.key, key) for key in closed):
            continue
        if any(words <= set(text.split()) for text in said):
            continue
        said.append(term.key)
        kept.append(term)
    return tuple(kept)


def picked(reading: Reading, scope: Scope, state: ConversationState) -> tuple[Term, ...]:
    """The list items that "the second one" or "option 3" pick, from the nearest list in scope."""
    if not reading.ordinals:
        return ()
    for exchange in _lists(scope):
        found = [_item(exchange.items, number) for number in reading.ordinals]
        items = tuple(item for item in found if item is not None)
        if items:
            return items
    return ()


def _lists(scope: Scope) -> tuple[Exchange, ...]:
    later = sorted((e for e in scope.exchanges if e.items), key=lambda e: -e.turn)
    first = scope.antecedent
    return (*((first,) if first and first.items else ()), *later)


def _item(items: tuple[Term, ...], number: int) -> Term | None:
    if number == -1:
        return items[-1]
    return items[number - 1] if 0 < number <= len(items) else None


_SWAP = re.compile(
    r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|also|no|sorry)[\s,]+)*(?:(?:what|how)\s+about|and|same\s+(?:question\s+)?for|what\s+if\s+(?:it'?s|i'?m\s+in))?\s*(?:for|in|on|with|to|from|at|of)?\s*(?:the|a|an|my)?\s*(?P<rest>[^?.!]{1,60})[?.!]*$",
    re.IGNORECASE,
)


def swap(reading: Reading, antecedent: Exchange, scope: Scope) -> str | None:
    """"And for Dublin?" after "What's the RPO for Frankfurt?" → "What's the RPO for Dublin?", else None."""
    if not reading.has(Mark.ELLIPSIS, Mark.VERBLESS) or len(reading.terms) != 1:
        return None
    match = _SWAP.match(reading.core.strip())
    new = reading.terms[0]
    if not match or not contains_key(key_of(match.group("rest")), new.key):
        return None
    old = _replaceable(new, antecedent)
    if old is None:
        return None
    pattern = re.compile(rf"(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE)
    if not pattern.search(antecedent.query):
        return None
    return pattern.sub(new.text, antecedent.query, count=1)


def _replaceable(new: Term, antecedent: Exchange) -> Term | None:
    """The one term of the earlier query whose place the new one takes: same type, or same head noun."""
    own = (*antecedent.terms, *antecedent.inherited)
    if new.type != "topic":
        same = [term for term in own if term.type == new.type and term.key != new.key]
        return same[-1] if len(same) == 1 else None
    head = normalise(new.text)[-1:]
    same = [term for term in own if normalise(term.text)[-1:] == head and term.key != new.key]
    return same[0] if len(same) == 1 else None
