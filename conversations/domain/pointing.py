"""What a wording says plainly about what it means, which outweighs any likeness of meaning.

"My first question" is the first one, "the waiver you mentioned" stands where a waiver was spoken of, and "our basin" is
the Tollin basin that the person named in full before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from conversations.domain.answer.units import sentences
from conversations.domain.liveness import Slot, Status
from conversations.domain.marks import STRONG, Mark
from conversations.domain.reading import Reading
from conversations.domain.resolve import one_modifier
from conversations.domain.state import Exchange, Term
from conversations.domain.wanted import holding, wanted_type
from conversations.domain.words import (
    DEICTIC_TIME,
    DEMONSTRATIVE,
    GENERIC_KEYS,
    PERSONAL,
    STOP_KEYS,
    UNIQUE,
    contains_key,
    key_of,
)

_QUESTION_NOUN = r"(?:question|query|request)"
FIRST = re.compile(
    r"\b(?:(?:my|our|your|the|that)\s+(?:very\s+)?(?:first|initial|original|opening)\s+"
    rf"(?:{_QUESTION_NOUN}|topic|point|thing|subject|issue|problem|matter|one)"
    r"|(?:i|we)(?:'d|\s+had)?\s+(?:first\s+)?(?:started|began|begun|opened)\s+(?:out\s+|off\s+)?(?:with|from|on|by)"
    r"|(?:i|we|you)(?:['’](?:d|ve)|\s+(?:had|have|only|just))?\s+(?:dealt|spoke|spoken|said|sent|told|went|gone|began|[a-z]+ed)\s+(?:\w+\s+){0,2}(?:at\s+)?first\b(?!\s+[a-z])"
    r"|(?:at|from|in)\s+the\s+(?:very\s+)?(?:start|beginning|outset)\b(?!\s+of\s+(?!this|our)))",
    re.IGNORECASE,
)
_SUMS_UP = re.compile(
    r"\b(?:summari[sz]e|summary|recap|sum(?:ming)?\s+up|wrap\s+up|overview\s+of\s+(?:what|everything|this|our)"
    r"|everything\s+(?:we|you|i)(?:'ve|\s+have)?\s+\w+|so\s+far|all\s+in\s+all|put(?:ting)?\s+(?:it|this)\s+all\s+together)\b",
    re.IGNORECASE,
)
_OF_A_KIND = re.compile(r"\b(?:the|this|that|our|my|same)\s+([a-z][\w-]+)")
# "stress class 3", "zone B": a class by its number or letter, with a word before it that says which classes.
_CLASS = re.compile(
    r"\b(?:(?!(?i:in|is|of|to|a|an|the|and|or|has|for|under|with|as|into|from|at|on|by)\b)[A-Za-z][\w-]*\s+)?"
    r"(?i:class|category|zone|tier|band|grade|level|group|type|phase|stage)\s+(?:\d+[A-Za-z]?|[A-Z]|[IVX]+)\b"
)
_POINTERS = DEMONSTRATIVE | {"the"}
_WORD = re.compile(r"[a-z]+")
_SPANS = frozenset({"hour", "week", "month", "minute", "second"})
_CLAIMED_OF_IT = re.compile(
    r"\b(?:you|they|we)\s+(?:\w+\s+)?(?:said|told|promised|assured|guaranteed|claimed|confirmed|wrote)\s+(?:(?:me|us)\s+)?(?:that\s+)?(?:it|they|this|that)(?=['’](?:s|d|ll)|\s+(?:\w+s|would|will|can|could|should|was|were|are)\b)(?P<claim>[^.!?;:]*)",
    re.IGNORECASE,
)
_THE_SAME = tuple(
    frozenset(same.split()) for same in ("they them their theirs", "he him his", "she her hers")
)
_MEANT = frozenset({Status.LIVE, Status.STALE})
# Letters by which "exempt" and "exemption" are the same thing.
STEM = 5
# Up to so many things of a turn are carried over whole.
MANY = 3
# With more things than these a question that points at one more is about something without it.
THINGS_OF_ITS_OWN = 2


def points_at_first(reading: Reading) -> bool:
    """Whether the message speaks of what the conversation began with."""
    return bool(FIRST.search(reading.text))


def points_at_question(reading: Reading) -> bool:
    """ "Back to my first question": what is meant is the question itself, not what was answered."""
    match = FIRST.search(reading.text)
    return match is not None and bool(re.search(_QUESTION_NOUN, match.group(), re.IGNORECASE))


def sums_up(reading: Reading) -> bool:
    """Whether the message asks for all of it together: "to sum up", "can you summarise what we said so far?"."""
    return bool(_SUMS_UP.search(reading.core))


def began_with(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """The exchanges that the conversation began with, when the message speaks of that; of "my first question" only it."""
    if not exchanges or not points_at_first(reading):
        return ()
    if points_at_question(reading):
        return exchanges[:1]
    return tuple(exchange for exchange in exchanges if exchange.thread == exchanges[0].thread)


def spoken_of(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """For "the waiver you mentioned": the exchanges in which most of the things it names fell; none when all are alike."""
    if not reading.has(Mark.RECALLS):
        return ()
    things = _stems(word for term in reading.terms for word in term.key.split())
    shared = {
        e.turn: len(things & _stems(key_of(e.message).split())) + len(things & _stems(e.words))
        for e in exchanges
    }
    most, least = max(shared.values(), default=0), min(shared.values(), default=0)
    return tuple(e for e in exchanges if shared[e.turn] == most) if most > least else ()


def recalls_unsaid(reading: Reading, exchanges: Iterable[Exchange]) -> bool:
    """ "You mentioned project Aurora, what does it cost?" where nobody did: what follows is about Aurora, not about
    anything that was said."""
    named = (word for term in reading.terms if term.name for word in term.text.split() if word[:1].isupper())
    names = set(key_of(" ".join(named)).split())
    said = {word for e in exchanges for word in (*e.words, *key_of(e.message).split())}
    points = any(t.lower in PERSONAL for t in reading.analysis.tokens)
    return points and reading.has(Mark.RECALLS) and bool(names) and not names & said


def points_past(reading: Reading, exchanges: Iterable[Exchange]) -> bool:
    """ "The warranty on used devices from that range", where nobody said "range": a question with things of its own
    that points at something by another name takes up nothing else instead."""
    strong = [mark for mark, _ in reading.marks if mark in STRONG]
    tokens = reading.analysis.tokens
    phrases = [
        tokens[i + 1 : t.head + 1]
        for i, t in enumerate(tokens)
        if t.lower in DEMONSTRATIVE and tokens[t.head].tag == "NN"
    ]
    if len(strong) != 1 or len(phrases) != 1 or len(reading.terms) <= THINGS_OF_ITS_OWN:
        return False
    shown = tuple(exchanges)
    if wanted_type(reading) == "place" and holding(shown, "place"):
        return False
    called = {key for token in phrases[0] for key in key_of(token.text).split()}
    said = {word for e in shown for word in (*e.words, *key_of(e.message).split())}
    return not called & (said | GENERIC_KEYS)


def calls_otherwise(reading: Reading, exchange: Exchange) -> bool:
    """Whether "that ship" names by its kind what the user of that turn had not called so."""
    tokens = reading.analysis.tokens
    kinds = {
        key_of(tokens[t.head].text)
        for i, t in enumerate(tokens)
        if t.lower in DEMONSTRATIVE and t.pos == "DET" and t.head > i and tokens[t.head].tag == "NN"
    }
    return bool(kinds) and not kinds & (set(key_of(exchange.message).split()) | GENERIC_KEYS | DEICTIC_TIME)


def holding_described(reading: Reading, exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    """For "that heavy case" and "the increase": the exchanges in which most of these words fell; none when all are alike.

    A word of a general kind tells only after "that", and where the user said it: "what is this list I got?".
    """
    words = _described(reading)
    telling = words - GENERIC_KEYS
    shared = {
        e.turn: len(telling & {*e.words, *key_of(e.message).split()})
        if telling
        else len(words & set(key_of(e.message).split()))
        for e in exchanges
    }
    most, least = max(shared.values(), default=0), min(shared.values(), default=0)
    return tuple(e for e in exchanges if shared[e.turn] == most) if most > least else ()


def _described(reading: Reading) -> frozenset[str]:
    """The words of noun phrases after "the" or "that" which the message itself does not narrow down.

    Beside a pronoun "the harbour" is what is asked of it, and "the loans one" is found by what it stands for.
    """
    if one_modifier(reading):
        return frozenset()
    tokens, found = reading.analysis.tokens, set[str]()
    pointers = DEMONSTRATIVE if reading.has(Mark.PRONOUN) else _POINTERS
    for index, token in enumerate(tokens):
        noun = tokens[token.head]
        if token.lower not in pointers or token.head <= index or noun.pos not in {"NOUN", "PROPN"}:
            continue
        narrowed = token.lower == "the" and any(t.head == token.head and t.dep == "prep" for t in tokens)
        if not narrowed and noun.lower not in UNIQUE | DEICTIC_TIME:
            words = {key for t in tokens[index + 1 : token.head + 1] for key in key_of(t.text).split()}
            found |= words - GENERIC_KEYS if token.lower == "the" else words
    return frozenset(found) - STOP_KEYS


def only_points(reading: Reading) -> bool:
    """ "Where does it say that?": without a word of content nothing can be near, and what was said last is meant."""
    return (
        not reading.keys and reading.has(Mark.PRONOUN, Mark.DEMONSTRATIVE) and not reading.has(Mark.RECALLS)
    )


def claims_it_of_the_last(reading: Reading, exchanges: tuple[Exchange, ...]) -> bool:
    """ "You promised me it comes in 5 days", where nobody spoke of 5 days or of coming: said of what was spoken of last.

    What an exchange did say decides by itself; that it speaks of some other number of days does not.
    """
    match = None if reading.terms else _CLAIMED_OF_IT.search(reading.core)
    if match is None:
        return False
    told = set(key_of(match.group("claim")).split()) - STOP_KEYS - GENERIC_KEYS - _SPANS
    said = {word for e in exchanges for word in key_of(f"{e.message} {e.answer}").split()}
    return not told & said


def means_them_again(reading: Reading, last: Exchange) -> bool:
    """ "What does it cost to copy them?" right after "can anybody wipe them?": the same ones are meant.

    Of "it" this cannot be said: there is always another thing to be it.
    """
    said = {word.lower() for mark, word in reading.marks if mark is Mark.PRONOUN}
    before = set(_WORD.findall(last.message.lower()))
    return last.anchor > 0 and any(said & same and before & same for same in _THE_SAME)


def introduced(reading: Reading, exchange: Exchange) -> tuple[Term, ...]:
    """For "the case" and "that proxy": what the answer called one, "the Shift Appliance, a case that holds 80 TB"."""
    units = [unit for line in exchange.answer.splitlines() for unit in sentences(line)]
    named = (*exchange.items, *exchange.answer_terms)
    found = (t for noun in _pointed_at(reading) for u in units for t in named if _is_called(t, noun, u))
    return tuple(found)[:1]


def _is_called(term: Term, noun: str, unit: str) -> bool:
    """Whether a sentence says of a thing that it is such a one, in apposition or with "is"."""
    said = rf"(?<!\w){re.escape(term.text)}[\s,:(–-]+(?:(?:which\s+)?(?:is|are|was)\s+)?an?\s+(?:[\w-]+\s+){{0,2}}{re.escape(noun)}(?!\w)"
    return bool(re.search(said, unit, re.IGNORECASE))


def _pointed_at(reading: Reading) -> tuple[str, ...]:
    """The nouns after "the" or "that", as they are written."""
    tokens = reading.analysis.tokens
    return tuple(
        tokens[t.head].text
        for i, t in enumerate(tokens)
        if t.lower in _POINTERS and t.head > i and tokens[t.head].pos in {"NOUN", "PROPN"}
    )


def in_full(reading: Reading, slots: Sequence[Slot]) -> tuple[Term, ...]:
    """The names that the user gave before to what the message calls by its kind alone: "our basin", "the plan".

    Of each kind the latest one that is live or stale; a message that names one of that kind itself means that one.
    """
    return tuple(Term(s.name, key_of(s.name), s.type, True) for s in called_by_kind(reading, slots))


def known_class(reading: Reading, slots: Sequence[Slot]) -> tuple[Term, ...]:
    """The class, zone or tier that was told of what the message calls by its kind: rules are written for classes.

    None where nothing was told, or more than one class at a time.
    """
    noted = (_classes(note) for slot in called_by_kind(reading, slots) for note in slot.notes)
    told = next((classes for classes in noted if len(classes) == 1), ())
    return tuple(Term(text, key_of(text)) for text in told)


def _classes(note: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(" ".join(match.group().split()) for match in _CLASS.finditer(note)))


def called_by_kind(reading: Reading, slots: Sequence[Slot]) -> tuple[Slot, ...]:
    """The slots behind `in_full`."""
    found: dict[str, Slot] = {}
    latest = sorted((s for s in slots if s.status in _MEANT), key=lambda slot: -slot.last_mention_turn)
    for word in _OF_A_KIND.findall(reading.core):
        kind = key_of(word)
        if not kind or kind in GENERIC_KEYS or any(_is_named_kind(t.text, kind) for t in reading.terms):
            continue
        slot = next((slot for slot in latest if _is_named_kind(slot.name, kind)), None)
        if slot is not None:
            found[slot.id] = slot
    return tuple(found.values())


def _is_named_kind(name: str, kind: str) -> bool:
    """ "Tollin basin" for "basin": a proper name before the noun."""
    words = name.split()
    return len(words) > 1 and key_of(words[-1]) == kind and any(word[:1].isupper() for word in words[:-1])


def aspect(reading: Reading, exchange: Exchange, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Of a turn that named many things: the terms of the sentence that the message is about, else of its question."""
    said = [sentence for line in exchange.message.splitlines() for sentence in sentences(line)]
    if len(said) < 2 or len(terms) <= MANY:
        return terms
    keys = _stems(reading.keys)
    shared = [len(keys & _stems(key_of(sentence).split())) for sentence in said]
    most = max(shared)
    chosen = [s for s, n in zip(said, shared, strict=True) if n == most] if most else said
    asking = [sentence for sentence in chosen if sentence.rstrip().endswith("?")] or chosen
    told = key_of(" ".join(asking))
    own = [term for term in terms if contains_key(told, term.key)]
    whole = [t for t in own if not any(t.key != u.key and contains_key(u.key, t.key) for u in own)]
    return tuple(whole) or terms


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(w[:STEM] for w in words if w not in STOP_KEYS and w not in GENERIC_KEYS and len(w) > 2)
