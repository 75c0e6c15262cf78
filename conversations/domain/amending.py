"""Finds what a correction puts right in the last question: a slip of the keyboard, or a word that was the wrong one.

"Sorry, typo: refund", "*Norway", "I mean bed", "not Dublin, Cork": the right word takes the place of the one that looks
most like it, or of the one that is named as wrong, and the question is asked again.
"""

from __future__ import annotations

import re

from conversations.domain.corrections import (
    PREPOSITIONS,
    instead_in,
    is_misspelling,
    is_phrase,
    preposition_in,
    right_in,
)
from conversations.domain.marks import Mark
from conversations.domain.parallels import asks_on
from conversations.domain.reading import Reading
from conversations.domain.spelling import is_slip, slips
from conversations.domain.state import Exchange, Term
from conversations.domain.words import QUESTION, STOP_KEYS, contains_key, key_of, normalise

LONGEST_SAID = 8
FEWEST = 2
_ARTICLES = frozenset({"the", "a", "an", "and", "or"})
# Letters at the end by which "import" and "export" are told to be counterparts; what many words end in says nothing.
SHORTEST_ENDING = 4
LONGEST_ENDING = 6
_ENDINGS = re.compile(
    r"[a-z]?(?:ations?|[st]ions?|ments?|ness|[ai]ble|ing|ings|ally|ers?|ship|ward|ical|ance|ence|ive|ory|ities)"
)


def amended(reading: Reading, antecedent: Exchange) -> tuple[Term, Term] | None:
    """The words of the last question that a correction takes back, and those that it puts in their place."""
    said = _said(reading)
    if not reading.has(Mark.CORRECTION):
        wrong = typed_again(said, antecedent)
        return (_term(wrong, antecedent.terms), _term(said, reading.terms)) if wrong else None
    if asks_on(reading):
        return None
    wrong, right = instead_in(said) or ("", "")
    wrong = _standing(wrong, antecedent) if wrong else ""
    if not wrong:
        right = right_in(said)
        wrong = _slip(right, antecedent, is_misspelling(said)) if right else ""
        turned = _turned(right, said, antecedent) if right else None
        if turned is not None:
            return turned
        wrong = wrong or _alike_but_one(right, antecedent) or _counterword(right, antecedent)
        wrong = wrong or (_only_word(antecedent) if right and not reading.has(Mark.ONES, Mark.PLACE) else "")
    if not wrong:
        right, wrong = _compounds(said, antecedent) if not _insisted(right, antecedent) else (right, right)
    return (_term(wrong, antecedent.terms), _term(right, reading.terms)) if wrong else None


def typed_again(said: str, antecedent: Exchange) -> str:
    """ "Pasword" after "how do I reset my password", or the other way round: one word, and nothing but a slip in it."""
    asked = re.findall(r"[\w'’-]+", antecedent.query) if said.isalpha() else []
    alike = [word for word in asked if is_slip(word.casefold(), said.casefold())]
    return alike[0] if len(alike) == 1 and normalise(alike[0]) != normalise(said) else ""


def _turned(right: str, said: str, exchange: Exchange) -> tuple[Term, Term] | None:
    """ "Without breakfast" for "with breakfast", "per year" for "per month": one of the two words stays what it was."""
    preposition = preposition_in(said, right)
    if not preposition:
        return None
    text = rf"(?<!\w)(?P<preposition>{PREPOSITIONS})(?P<rest>\s+(?:(?:the|an?|my|our)\s+)?{re.escape(right)})(?!\w)"
    same = re.search(text, exchange.query, re.IGNORECASE)
    if same and same["preposition"].lower() != preposition.lower():
        return _term(same.group(), ()), _term(f"{preposition}{same['rest']}", ())
    per = (
        re.search(r"(?<!\w)per\s+[\w-]+", exchange.query, re.IGNORECASE)
        if preposition.lower() == "per"
        else None
    )
    return (_term(per.group(), ()), _term(f"per {right}", ())) if per else None


def _alike_but_one(right: str, exchange: Exchange) -> str:
    """ "Reading café" for "reading room", "notice period" for "notice": the stretch that differs in one word."""
    spoken, asked = right.split(), list(re.finditer(r"[\w'’-]+", exchange.query))
    content = [key for key in map(key_of, spoken) if key not in STOP_KEYS]
    if len(spoken) < FEWEST or not content:
        return ""
    stretches = [asked[i : i + len(spoken)] for i in range(len(asked) - len(spoken) + 1)]
    alike = [
        s
        for s in stretches
        if sum(key_of(m.group()) != key_of(word) for m, word in zip(s, spoken, strict=True)) == 1
        and any(key_of(m.group()) in content for m in s)
        and is_phrase(" ".join(m.group() for m in s))
        and not _ARTICLES & {m.group().lower() for m in s}
    ]
    if alike:
        return exchange.query[alike[0][0].start() : alike[0][-1].end()] if len(alike) == 1 else ""
    whole = [
        t.text
        for t in (*exchange.terms, *exchange.inherited)
        if t.key in content and _standing(t.text, exchange)
    ]
    return whole[0] if len(whole) == 1 and not _standing(right, exchange) else ""


def _counterword(right: str, exchange: Exchange) -> str:
    """ "Import" for "export", "paternity" for "maternity": one word that ends as the right one does."""
    key = key_of(right)
    if " " in key or len(key) < LONGEST_ENDING or _standing(right, exchange):
        return ""
    asked = re.findall(r"[\w'’-]+", exchange.query)
    return next((word for word in asked if key_of(word) != key and _end_alike(key_of(word), key)), "")


def _end_alike(left: str, right: str) -> bool:
    same = next((i for i, (a, b) in enumerate(zip(left[::-1], right[::-1], strict=False)) if a != b), 0)
    ending = left[len(left) - same :]
    return same >= SHORTEST_ENDING and 2 * same >= len(right) and not _ENDINGS.fullmatch(ending)


def _only_word(exchange: Exchange) -> str:
    """ "Edinburgh" after nothing but "leeds": what was the whole of the last message gives way as a whole."""
    word = exchange.query.strip(" ?.!")
    whole = re.fullmatch(r"[^\W\d_][\w'’-]+", word) and exchange.message.strip(" ?.!") == word
    return word if whole and key_of(word) not in STOP_KEYS and not QUESTION & {word.lower()} else ""


def _insisted(right: str, antecedent: Exchange) -> bool:
    """ "I said York" after a question about York: it is asked once more as it was."""
    return bool(right and _standing(right, antecedent))


_COMPOUND = r"(?<![\w-])[^\W\d_]+(?:-{tail})(?![\w-])"
_ENDS_IN_COMPOUND = re.compile(
    r"(?<![\w-])(?P<right>[^\W\d_]+-(?P<tail>[^\W\d_]+))(?:\s+ones?)?\s*[.!]*$", re.IGNORECASE
)


def _compounds(said: str, antecedent: Exchange) -> tuple[str, str]:
    """ "The three-year one", "no, part-time": a compound for the only one that ends alike."""
    match = _ENDS_IN_COMPOUND.search(said)
    if match is None or len(said.split()) > LONGEST_SAID:
        return "", ""
    like = re.findall(_COMPOUND.format(tail=re.escape(match["tail"])), antecedent.query, re.IGNORECASE)
    return (
        (match["right"], like[0])
        if len(like) == 1 and like[0].lower() != match["right"].lower()
        else ("", "")
    )


def _said(reading: Reading) -> str:
    return f"{reading.cue.phrase} {reading.core}".strip()[:300]


def _standing(text: str, exchange: Exchange) -> str:
    """The words as they stand in the last question, empty where they do not."""
    match = re.search(rf"(?<!\w){re.escape(text)}(?!\w)", exchange.query, re.IGNORECASE)
    return match.group() if match else ""


def _term(text: str, known: tuple[Term, ...]) -> Term:
    """The term of these words, of the kind of the longest known one among them."""
    key = key_of(text)
    same = max((t for t in known if contains_key(key, t.key)), key=lambda t: len(t.key), default=None)
    if same is not None and same.key == key:
        return Term(text, key, same.type, same.name)
    return Term(text, key, same.type if same else "topic", bool(same and same.name))


def _slip(right: str, exchange: Exchange, misspelt: bool) -> str:
    """The stretch of the last question that the right words are one slip away from, as it is written there."""
    asked = list(re.finditer(r"[^\s,.;:!?()\"“”]+", exchange.query))
    spoken = right.split()
    for start in range(len(asked) - len(spoken) + 1):
        stretch = asked[start : start + len(spoken)]
        pairs = [(m.group(), word) for m, word in zip(stretch, spoken, strict=True)]
        wrong = [(old, new) for old, new in pairs if old.lower() != new.lower()]
        if wrong and all(_looks_like(old, new, misspelt) for old, new in wrong):
            return exchange.query[stretch[0].start() : stretch[-1].end()]
    return ""


def _looks_like(old: str, new: str, misspelt: bool) -> bool:
    if any(char.isdigit() for char in old + new):
        return False
    if not misspelt and (normalise(old) == normalise(new) or set(normalise(old)) <= STOP_KEYS):
        return False
    allowed = _allowed(old, new, misspelt)
    return abs(len(old) - len(new)) <= allowed and slips(old.casefold(), new.casefold()) <= allowed


def _allowed(old: str, new: str, misspelt: bool) -> int:
    """Slips by which words of this length are still taken for one another."""
    length = min(len(old), len(new))
    if old[:1].casefold() != new[:1].casefold():
        return int(misspelt and length > 3)
    return 1 if length < 6 else 2 if length < 10 else 3
