"""Finds what takes the place of what: a place for another place, one tier for another, shoes for headphones.

Two things are parallel when they are of one type, share their head noun, stand in one list, or fill one place in the question.
The old one of two parallel things never rides along with the new one, unless the message compares them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.aspects import is_acronym
from conversations.domain.completeness import is_complete
from conversations.domain.cues import CueKind
from conversations.domain.language import Token
from conversations.domain.marks import Mark
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.wanted import located
from conversations.domain.words import DEMONSTRATIVE, contains_key, content_of, key_of

# A question has one of each at a time.
RIVALLING = frozenset({"place", "date", "person"})
# Names that a language library tells apart badly: any of them may take another's place.
NAMED = frozenset({"organization", "product", "identifier", "topic", "work", "law"})
COMPARES = re.compile(
    r"\b(?:compar\w+|versus|vs\.?|than|between|differen\w+|both|either|as well as|same\s+as|difference|cheaper|faster|better)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_NEGATED = re.compile(
    r"\b(?:not|(?:do|did|is|was)\s*n['’]?t(?:\s+(?:mean|want|need|say|ask\s+(?:for|about)))?|instead\s+of|rather\s+than)\s+(?:(?:for|in|to|on|at|from|the|a|an|my|our|your)\s+)*(?P<wrong>[\w.'’-]+(?:\s+[\w.'’-]+)?)",
    re.IGNORECASE,
)
# "Leeds was wrong", "I said Leeds but it is York".
_SAID_WRONG = re.compile(
    r"(?:^|[,;.]\s*)(?P<wrong>[\w.'’-]+)\s+(?:is|was)\s+(?:the\s+)?wrong\b|\bi\s+(?:said|wrote|typed)\s+(?:(?:the|a|an|my)\s+)?(?P<said>[\w.'’-]+(?:\s+[\w.'’-]+)?)\s+but\b",
    re.IGNORECASE,
)


def rivals(
    reading: Reading, antecedent: Exchange, lists: Iterable[Exchange] = (), chosen: tuple[Term, ...] = ()
) -> frozenset[str]:
    """Keys of the antecedent's things whose place something in the message takes: "does Madrid have it?" after Warsaw.

    `lists` are exchanges whose list items count as parallel, `chosen` is what "the second one" picked from them.
    A message that compares has no rivals, and what it names itself is none.
    """
    if COMPARES.search(reading.core):
        return frozenset()
    own = (*antecedent.terms, *antecedent.inherited, *antecedent.answer_terms)
    new_things = [t for t in reading.terms if not _points_back(t, reading, antecedent)]
    found = {t.key for t in own if any(_rival(t, new, reading) for new in (*new_things, *chosen))}
    if not found and any(new.name and new.type not in {"place", "date"} for new in new_things):
        found = _misread_names(reading, antecedent)
    if any(new.type == "place" for new in new_things) and _contrasts(reading):
        found |= {t.key for t in located((*antecedent.terms, *antecedent.inherited), antecedent.query)}
    if bare_name(reading):
        found |= {term.key for term in own if term.type == "place"}
    found |= {key for exchange in lists for key in siblings(reading, exchange, chosen)}
    found |= {t.key for t in antecedent.terms if _shares_verb(t, reading, antecedent)}
    found |= {t.key for t in own if any(_shares_noun(t, new, reading, antecedent) for new in new_things)}
    said = (reading.text_key, *(term.key for term in chosen))
    return frozenset(key for key in found if not any(contains_key(text, key) for text in said))


def _misread_names(reading: Reading, antecedent: Exchange) -> set[str]:
    """The names that another one takes the place of where the language library takes either for a person: "Kestrel"."""
    held = (*antecedent.terms, *antecedent.inherited) if _contrasts(reading) else ()
    return {t.key for t in held if t.name and t.type in NAMED | {"person"}}


def _rival(old: Term, new: Term, reading: Reading) -> bool:
    if new.type in RIVALLING and old.type == new.type:
        return True
    if other_of_its_kind(old, new) or _same_code(old, new):
        return True
    return old.name and new.name and {old.type, new.type} <= NAMED and _contrasts(reading)


def _same_code(old: Term, new: Term) -> bool:
    """ "T02" after "T05", "Aria 12" after "Aria 5": alike but for their numbers."""
    left, right = (_NUMBER.sub("#", term.key) for term in (old, new))
    return left == right and "#" in left and old.key != new.key and any(char.isalpha() for char in left)


def _points_back(term: Term, reading: Reading, antecedent: Exchange) -> bool:
    """ "That hotel range", of a range that the answer says is for hotels: the same thing, described."""
    token = token_of(term, reading)
    pointed = token is not None and bool(determiners(token, reading) & DEMONSTRATIVE)
    said = {*antecedent.words, *key_of(antecedent.message).split()}
    return pointed and set(term.key.split()) <= said


def other_of_its_kind(old: Term, new: Term) -> bool:
    """ "Silver tariff" beside "Gold tariff": one head noun, other words before it."""
    left, right = old.key.split(), new.key.split()
    if len(left) < 2 or left[-1] not in right[1:]:
        return False
    return right[: right.index(left[-1], 1) + 1] != left and not set(left[:-1]) & set(right)


def parallel(left: Exchange, right: Exchange) -> bool:
    """Whether two exchanges are about two things of one kind: the Silver tariff, then the Gold one."""
    return any(other_of_its_kind(a, b) for a in left.terms for b in right.terms)


def _contrasts(reading: Reading) -> bool:
    """Whether a name in the message stands for another one: in whole questions, ellipses and corrections."""
    changed = reading.has(Mark.ELLIPSIS, Mark.VERBLESS, Mark.CORRECTION) or _CHANGES.search(reading.core)
    return is_complete(reading) or bool(changed)


_CHANGES = re.compile(
    r"\b(?:same|instead|rather|mov(?:e|ed|ing)|switch\w*|chang(?:e|ed|ing)|transferr\w+)\b", re.IGNORECASE
)


def siblings(reading: Reading, exchange: Exchange, chosen: tuple[Term, ...] = ()) -> frozenset[str]:
    """Keys of the other items of a list of which the message names some, not all."""
    picks = {term.key for term in chosen}
    named = [i for i in exchange.items if contains_key(reading.text_key, i.key) or i.key in picks]
    if not named or len(named) == len(exchange.items):
        return frozenset()
    return frozenset(item.key for item in exchange.items if item not in named)


def _shares_verb(term: Term, reading: Reading, antecedent: Exchange) -> bool:
    """ "When it's the deadline that you miss" after "if you miss the target": the new object of the same verb."""
    verbs = {token.lemma for token in reading.analysis.tokens if token.pos == "VERB"}
    objects = [t for t in reading.terms if t.key != term.key]
    if set(term.key.split()) & reading.keys:
        return False
    return bool(objects) and any(
        re.search(
            rf"(?<!\w){re.escape(verb)}\w{{0,3}}\s+(?:(?:the|a|an|my|our|your)\s+)?{re.escape(term.text)}(?!\w)",
            antecedent.message,
            re.IGNORECASE,
        )
        for verb in verbs
        if any(verb == said.lower() or said.lower().startswith(verb) for said in antecedent.predicate)
    )


def _shares_noun(old: Term, new: Term, reading: Reading, antecedent: Exchange) -> bool:
    """ "Delivery of a wardrobe" after "delivery of a bed": another thing after the same noun and preposition."""
    before = re.search(
        rf"(?<!\w)(?P<noun>[\w'’-]+\s+(?:of|for|to|from|in|on|with|at))\s+{_DETERMINED}{re.escape(new.text)}(?!\w)",
        reading.core,
        re.IGNORECASE,
    )
    if before is None or not content_of(before["noun"]):
        return False
    said = rf"(?<!\w){re.escape(before['noun'])}\s+{_DETERMINED}{re.escape(old.text)}(?!\w)"
    return bool(re.search(said, antecedent.query, re.IGNORECASE))


_DETERMINED = r"(?:(?:the|an?|my|our|your)\s+)?"


def only_name(reading: Reading) -> Term | None:
    """The place, day or code that is all a message says: "dublin", "RANGE_TOO_LONG", "same for York"."""
    term = reading.terms[0] if len(reading.terms) == 1 else None
    if term is None or not term.name or term.type not in _OF_WHICH or reading.has(Mark.CORRECTION):
        return None
    if reading.cue.kind is not CueKind.NONE:
        return None
    return term if reading.keys <= set(term.key.split()) and reading.has(Mark.VERBLESS) else None


# Names of which a question is asked over and over, each time of the next.
_OF_WHICH = frozenset({"place", "date", "identifier"})


def bare_name(reading: Reading) -> bool:
    """ "what about stockholm then": one proper noun without an article is as good as a capitalised name."""
    if not reading.has(Mark.ELLIPSIS, Mark.CORRECTION, Mark.VERBLESS) or len(reading.terms) != 1:
        return False
    return is_bare_name(reading.terms[0], reading) and not is_acronym(reading.terms[0].text)


def is_bare_name(term: Term, reading: Reading) -> bool:
    token = token_of(term, reading)
    named = token is not None and (token.pos == "PROPN" or written_as_name(term, reading))
    return token is not None and named and not determiners(token, reading)


def written_as_name(term: Term, reading: Reading) -> bool:
    """ "And Silver?": one word with a large letter within a message that is not written large throughout."""
    at = reading.core.find(term.text) if " " not in term.text else 0
    rest = reading.core.replace(term.text, " ").split()
    return at > 0 and term.text[:1].isupper() and not any(word[:1].isupper() for word in rest[1:])


def negated(reading: Reading) -> frozenset[str]:
    """Keys of what a correction takes back: "dublin, not zurich"."""
    found = [
        m.group("wrong") or m.groupdict().get("said") or ""
        for pattern in (_NEGATED, _SAID_WRONG)
        for m in pattern.finditer(reading.core)
    ]
    return frozenset(
        term.key for wrong in found for term in reading.terms if contains_key(key_of(wrong), term.key)
    )


_ASKS_ON = re.compile(r"[.;!,]\s+(?:what|which|how|when|where|who|why|is|are|do|does|can)\b", re.IGNORECASE)


def asks_on(reading: Reading) -> bool:
    """Whether a question of its own follows within the message."""
    return bool(_ASKS_ON.search(reading.core))


def token_of(term: Term, reading: Reading) -> Token | None:
    """The head word of a term of the message."""
    word = term.key.split()[-1:]
    tokens = (t for t in reading.analysis.tokens if key_of(t.text).split()[-1:] == word)
    return next(tokens, None)


def determiners(token: Token, reading: Reading) -> set[str]:
    """The articles and pronouns that belong to a noun, in lower case."""
    index = reading.analysis.tokens.index(token)
    return {t.lower for t in reading.analysis.tokens if t.head == index and t.pos in {"DET", "PRON"}}
