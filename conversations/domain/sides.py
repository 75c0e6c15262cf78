"""Finds what was set side by side: what one message joined, or what one question was asked of and then asked of again.

"Vienna or Prague", "the Business or the Enterprise plan"; "how long is delivery to Norway?", then "and to Ireland?".
A word that was misspelt first and then put right is one side, not two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.counterparts import same_head
from conversations.domain.parallels import COMPARES, other_of_its_kind
from conversations.domain.spelling import slips
from conversations.domain.state import Exchange, Term
from conversations.domain.substituting import with_head
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of

MOST_SIDES = 4
SHARED = 2
# Words by which two questions must begin and end alike to be the same question of another thing, of so many words.
ALIKE = 2
LONGEST = 4
# Two names that differ in no more letters are one name and its misspelling.
SLIPS = 2
_EDGES = STOP_KEYS - {"same", "next", "other", "own"}
_NO_KIND = frozenset({"topic", "date"})
_GOES_ON = re.compile(
    r"^(?:(?:and|or|also|ok(?:ay)?|now|then|so|but)[\s,]+)*(?:(?:what|how)\s+about\b|(?:and|or|also)\b)", re.I
)
_BETWEEN = re.compile(
    r"\s*(?:,\s*)?(?:,|and|or|vs\.?|versus|&|/|nor|(?:and|or)\s+also|as\s+well\s+as|(?P<compared>than|against|to|with|from))\s+(?:(?:the|a|an|my|our|your|in|to|for|on|at|with|from)\s+){0,2}(?P<qualifier>[\w'’-]+\s+)?",
    re.IGNORECASE,
)
_BARE_CHOICE = re.compile(
    r"^(?:(?:so|and|ok(?:ay)?)[\s,]+)*(?:the\s+)?(?P<first>[\w'’-]+(?:\s+[\w'’-]+)?)\s+(?:or|vs\.?|versus)\s+(?:the\s+)?(?P<second>[\w'’-]+(?:\s+[\w'’-]+)?)\s*[?.!]*$",
    re.IGNORECASE,
)
_IT_THAN = re.compile(
    r"\b(?:it|that|this|they|those|these)\b.*\b(?:than|(?:compare\w*|differ\w*)\s+(?:to|with|from)|as\s+\w+\s+as)\s",
    re.IGNORECASE,
)
_TO_CHOOSE = re.compile(r"\b(?:or|vs\.?|versus|compar\w+|differen\w+|\w+er\s+than|better)\b", re.IGNORECASE)
_SAME_ASKED = re.compile(r"\b(?:or|vs\.?|versus|compar\w+|between|than|differen\w+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The sides in the order in which they were named, what was asked of all of them, and the latest exchange about them."""

    sides: tuple[Term, ...]
    shared: tuple[Term, ...]
    exchange: Exchange
    turns: frozenset[int]

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(key for side in self.sides for key in (side.key, key_of(side.text)))

    @property
    def words(self) -> frozenset[str]:
        return frozenset(word for key in self.keys for word in key.split())


def joined_in(exchange: Exchange) -> Comparison | None:
    """ "Vienna or Prague", "the Business or the Enterprise plan": sides that one message named beside one another."""
    placed = sorted(_placed(exchange), key=lambda pair: pair[0])
    sides: list[Term] = []
    for (start, left), (following, right) in pairwise(placed):
        between = exchange.message[start + len(left.text) : following]
        match = _BETWEEN.fullmatch(between)
        if match is None or (match.group("qualifier") and not same_head(left, right)):
            continue
        asked = bool(_SAME_ASKED.search(exchange.message))
        if not asked and (match.group("compared") or not _alike(left, right)):
            continue
        if left.type != right.type and not between.strip(" ,"):
            continue
        sides += [side for side in (left, right) if side not in sides]
    named = [_in_full(side, sides, exchange.message) for side in sides][:MOST_SIDES]
    named = named or _of_one_noun(exchange) or _bare_choice(exchange.message) or _beside_it(exchange)
    if len(named) < 2 and COMPARES.search(exchange.message) and len(placed) == 2:
        named = [term for _, term in placed]
    if len(named) < 2:
        return None
    shared = _shared((*exchange.terms, *exchange.inherited), named, key_of(exchange.query))
    return Comparison(tuple(named), shared, exchange, frozenset({exchange.turn}))


def sides_of(exchange: Exchange) -> Comparison | None:
    """What an exchange compared: the entries of its list, where the question itself names them all."""
    asked = key_of(exchange.query)
    if len(exchange.items) < 2 or not all(contains_key(asked, item.key) for item in exchange.items):
        return None
    shared = _shared((*exchange.terms, *exchange.inherited), exchange.items, asked)
    return Comparison(exchange.items, shared, exchange, frozenset({exchange.turn}))


def sides_with(exchange: Exchange, old: Term, new: Term) -> tuple[Term, ...]:
    """The sides of a comparison once one of them was put right, none where it was no side: "I meant Korea, not China"."""
    found = sides_of(exchange)
    if found is None or old.key not in found.keys:
        return ()
    return tuple(new if old.key in {side.key, key_of(side.text)} else side for side in found.sides)


def offered_sides(exchange: Exchange) -> tuple[Term, ...]:
    """What a message asked to choose from, so that "the second one" can be picked: "the Business or the Enterprise plan?"."""
    found = joined_in(exchange) if _TO_CHOOSE.search(exchange.message) else None
    return found.sides if found else ()


def _of_one_noun(exchange: Exchange) -> list[Term]:
    """ "Express or standard delivery": two qualities of one noun that is said once."""
    for term in exchange.terms:
        quality, _, noun = term.text.split(" and ")[-1].split(" or ")[-1].rpartition(" ")
        joined = rf"(?<!\w)(?P<first>[\w'’-]+)\s+(?:and|or|vs\.?)\s+(?:the\s+|an?\s+)?{re.escape(quality)}\s+{re.escape(noun)}(?!\w)"
        match = re.search(joined, exchange.message, re.IGNORECASE) if quality and noun else None
        if (
            match
            and not set(key_of(match["first"]).split()) & (STOP_KEYS | ATTRIBUTES)
            and noun not in ATTRIBUTES
        ):
            texts = (f"{match['first']} {noun}", f"{quality} {noun}")
            return [Term(text, key_of(text), term.type, term.name) for text in texts]
    return []


def _bare_choice(message: str) -> list[Term]:
    """ "Premium or basic?": nothing but two sides, whatever grammar makes of them."""
    match = _BARE_CHOICE.match(message)
    return [Term(match[name], key_of(match[name])) for name in ("first", "second")] if match else []


def _beside_it(exchange: Exchange) -> list[Term]:
    """ "Is it cheaper than the Lund?": the one that is named, and what "it" was."""
    if not _IT_THAN.search(exchange.message):
        return []
    named, meant = things_of(exchange, exchange.terms), things_of(exchange, exchange.inherited)
    alike = [t for t in meant if len(named) == 1 and t.name == named[0].name] or meant
    return [alike[0], named[0]] if len(named) == 1 and alike else []


def _placed(exchange: Exchange) -> list[tuple[int, Term]]:
    """The things of a message with the place where they stand; of nested ones the longest."""
    found = [(m.start(), t) for t in exchange.terms for m in [_find(t.text, exchange.message)] if m]
    return [
        (at, t)
        for at, t in found
        if not any(o is not t and a <= at and at + len(t.text) <= a + len(o.text) for a, o in found)
        and t.key.split()[-1] not in ATTRIBUTES
    ]


def _find(text: str, within: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", within, re.IGNORECASE)


def _alike(left: Term, right: Term) -> bool:
    """Things that may stand beside one another: of one type, or both names, or both no names."""
    return left.type == right.type or left.name == right.name or same_head(left, right)


def _in_full(side: Term, sides: list[Term], message: str) -> Term:
    """ "Business" beside "Enterprise plan" is the Business plan, and the first delivery of two is the express one."""
    others = [other for other in sides if other is not side]
    longer = next((with_head(side, other) for other in others if with_head(side, other) is not side), None)
    if longer is not None:
        return longer
    if " " not in side.key and any(same_head(side, other) for other in others):
        before = re.search(rf"([\w'’-]+)\s+{re.escape(side.text)}(?!\w)", message, re.IGNORECASE)
        if before and not set(key_of(before.group(1)).split()) & (STOP_KEYS | GENERIC_KEYS):
            text = f"{before.group(1)} {side.text}"
            return Term(text, key_of(text), side.type, side.name)
    return side


def asked_in_turn(walked: Sequence[Exchange]) -> Comparison | None:
    """What the last of the exchanges asked of, and what the ones that it goes on from asked the same of."""
    after, sides, turns = walked[-1], list[Term](), {walked[-1].turn}
    shared: tuple[Term, ...] = ()
    while (before := _before(after, walked)) is not None and len(sides) < MOST_SIDES:
        pair = _pair(before, after)
        if pair is None or (sides and pair[1].key != sides[0].key):
            break
        joined = joined_in(before)
        whole = joined is not None and not sides and set(pair[0].key.split()) & joined.words
        shared = shared if sides else _shared((*before.terms, *before.inherited), pair, key_of(after.query))
        sides = [*joined.sides, pair[1]] if joined and whole else [*pair, *sides[1:]]
        turns.add(before.turn)
        after = before
        if whole:
            break
    if len(sides) < 2:
        return None
    return Comparison(tuple(with_head(s, sides[0]) for s in sides), shared, walked[-1], frozenset(turns))


def _before(after: Exchange, walked: Sequence[Exchange]) -> Exchange | None:
    """The exchange that one goes on from, else the one right before it."""
    earlier = [exchange for exchange in walked if exchange.turn < after.turn]
    return next((e for e in earlier if e.turn == after.anchor), earlier[-1] if earlier else None)


def _pair(before: Exchange, after: Exchange) -> tuple[Term, Term] | None:
    """The thing that the earlier exchange asked of and the one that the later asked of instead.

    A word that was only put right is no second thing.
    """
    pair = _exchanged(before, after) or _of_a_kind(before, after) or _gone_on_with(before, after)
    put_right = pair is not None and after.kind == "correction"
    return None if pair and put_right and slips(pair[0].key, pair[1].key) <= SLIPS else pair


def _exchanged(before: Exchange, after: Exchange) -> tuple[Term, Term] | None:
    """ "How long is delivery to Norway?", "… to Ireland?": two questions of which only one thing differs."""
    held = (*before.terms, *before.inherited, *after.terms)
    names = frozenset(term.key for term in held)
    spans = _differing(_asked(before).split(), _asked(after).split(), names)
    return (_named_as(spans[0], before), _named_as(spans[1], after)) if spans else None


def _asked(exchange: Exchange) -> str:
    """The question of an exchange as a question: as it was understood, without words that were put behind it."""
    put_behind = exchange.query.startswith(f"{exchange.message} ")
    return exchange.message if put_behind else exchange.query


def _differing(first: list[str], second: list[str], names: frozenset[str]) -> tuple[str, str] | None:
    """The words between what two questions begin and end with alike, with the noun behind or the word before a number.

    `names` are the keys of the things in them.
    """
    heads = frozenset(name.split()[-1] for name in names)
    left, right = ([key_of(word) for word in words] for words in (first, second))
    most = min(len(left), len(right))
    start = next((i for i in range(most) if left[i] != right[i]), most)
    same = next((i for i in range(most - start) if left[-1 - i] != right[-1 - i]), most - start)
    ends = len(left) - same, len(right) - same
    if start + same < ALIKE or not (start < ends[0] and start < ends[1]):
        return None
    if start and left[start][:1].isdigit():
        start -= 1
    behind = left[ends[0]] if same else ""
    noun = int(behind in heads - ATTRIBUTES and first[ends[0] - 1][-1:].isalnum())
    known = all(
        key_of(_stripped(words[start:end])) in names for words, end in zip((first, second), ends, strict=True)
    )
    if not noun and same > 1 and not known and left[ends[0] + 1] in heads - ATTRIBUTES:
        noun = 2  # "next day delivery" and "same day delivery"
    spans = _stripped(first[start : ends[0] + noun]), _stripped(second[start : ends[1] + noun])
    if not all(0 < len(span.split()) <= LONGEST and key_of(span) not in ATTRIBUTES for span in spans):
        return None
    return spans


def _stripped(words: list[str]) -> str:
    """Without articles, prepositions and signs around."""
    while words and set(key_of(words[0]).split()) <= _EDGES:
        words = words[1:]
    while words and set(key_of(words[-1]).split()) <= _EDGES:
        words = words[:-1]
    return " ".join(words).strip(" ?!.,;:")


def _named_as(text: str, exchange: Exchange) -> Term:
    """The thing of the exchange that a stretch of its question names, as it stands there."""
    key = key_of(text)
    held = (*exchange.terms, *exchange.inherited)
    longer = next((t for t in held if t.key.endswith(f" {key}")), None)
    if longer is not None:
        return longer
    own = [t for t in held if t.key and contains_key(key, t.key)]
    known = max(own, key=lambda t: len(t.key), default=None)
    if known is None or any(word.isdigit() for word in key.split()):
        return Term(text, key)
    return Term(text, known.key, known.type, known.name)


def _of_a_kind(before: Exchange, after: Exchange) -> tuple[Term, Term] | None:
    """Two questions right after one another about two tents, two towns or two tariffs."""
    old, new = things_of(before, (*before.terms, *before.inherited)), things_of(after, after.terms)
    pairs = [(a, b) for b in new for a in old if a.key != b.key]
    named = [(a, b) for a, b in pairs if a.type == b.type and a.name and b.name and a.type not in _NO_KIND]
    alike = [(a, b) for a, b in pairs if other_of_its_kind(a, b)]
    return next(iter(alike or named), None)


def _gone_on_with(before: Exchange, after: Exchange) -> tuple[Term, Term] | None:
    """ "And paracetamol?": a bare thing beside the only one of its kind that was asked about."""
    new = things_of(after, after.terms)
    if not _GOES_ON.match(after.message) or len(new) != 1:
        return None
    old = [t for t in things_of(before, (*before.terms, *before.inherited)) if t.key != new[0].key]
    likely = [t for t in old if t.name == new[0].name] or old
    return (likely[0], new[0]) if len(likely) == 1 else None


def things_of(exchange: Exchange, held: Sequence[Term]) -> list[Term]:
    """What an exchange asked of: neither what it wanted to know of it nor a part of a longer name."""
    whole = [t for t in held if not any(o.key != t.key and contains_key(o.key, t.key) for o in held)]
    said = key_of(f"{exchange.message} | {exchange.query}")
    return [t for t in whole if t.key.split()[-1] not in ATTRIBUTES and contains_key(said, t.key)]


def _shared(held: Sequence[Term], sides: Sequence[Term], asked: str) -> tuple[Term, ...]:
    """What was asked of every side: the delivery of "delivery to Norway" and "and to Ireland?"."""
    said = set(" ".join(key_of(side.text) for side in sides).split())
    kept = [t for t in held if contains_key(asked, t.key) and not set(t.key.split()) & said]
    return tuple(dict.fromkeys(kept))[:SHARED]
