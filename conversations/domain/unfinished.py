"""Recognises what is no whole question, however many words it has: a condition without its consequence ("and if it rains"),
a bare circumstance ("in Stockholm?", "with a dog?"), and a price that is only said to be for somebody ("how much for kids").

Such a message asks the last question of something, so that it leans on it whatever the documents know.
"""

from __future__ import annotations

import re

from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.language import Analysis, Token
from conversations.domain.vocabulary import words
from conversations.domain.words import normalise

_OPENING = r"^(?:(?:and|but|or|so|ok(?:ay)?|now|then|well|yes|yeah|no|hm+|right|thanks|please|what|even|only|also)[\s,.!]+)*"
_CONDITION = re.compile(
    rf"{_OPENING}(?P<mark>if|unless|in\s+case|suppos(?:e|ing)|assuming|provided)\b(?!\s+so\b)", re.IGNORECASE
)
# A question behind the condition: "if I return shoes do I get …", "if it rains, what …".
_CONSEQUENCE = re.compile(
    r"(?:[,;:–—-]|\bthen\b)\s*(?:what|which|who|whom|whose|how|when|where|why|do|does|did|can|could|will|would|should|is|are|may|must|has|have|am|i|you|it|there|we|they)\b"
    r"|\b(?:what|which|who|how|why|do|does|did|can|could|will|would|should|may|must)\s+(?:i|we|you|it|they|there|one|the|a|an|my|your|is|are|do|does|much|many|long)\b",
    re.IGNORECASE,
)
# People as a kind, by age and standing: a price is for them, and not theirs.
PERSONS = words(
    """
    kid child baby infant toddler teen teenager youngster adult grownup senior pensioner oap retiree student pupil apprentice
    family couple group party people person man woman boy girl guest visitor resident local tourist member nonmember staff
    employee colleague carer veteran unemployed disabled
    """
)
_PRICED = re.compile(
    rf"{_OPENING}(?:(?:the|any|what|what's|whats|which)\s+)?(?:how\s+(?:much|many|long|often|expensive)|(?:[a-z]+\s+)?(?P<attribute>[a-z]+))\s+(?:is\s+(?:it|that)\s+)?(?:for|of|per|with)\s+(?P<whom>[\w\s'’-]{{1,40}}?)"
    r"(?:\s+(?:pls|plz|please|thx|thanks|then|too|though|as\s+well))*\s*[?.!]*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"^(?:a|an|one|two|three|four|five|six|\d{1,2})\s+(?P<what>[a-z]+)$", re.IGNORECASE)
_BESIDE = frozenset({"PUNCT", "SPACE", "INTJ", "CCONJ", "SYM"})
_IN_A_PHRASE = frozenset({"ADP", "DET", "ADJ", "NOUN", "PROPN", "NUM", "PRON"}) | _BESIDE
_ANNOUNCES = frozenset(
    {"about", "regarding", "concerning", "re", "as", "per", "despite", "like", "than", "of"}
)
LONGEST_CIRCUMSTANCE = 6


def is_condition(analysis: Analysis, lead: int = 0) -> bool:
    """Whether the message says under what condition, and not what of it: "and if I use my own car?"."""
    text = analysis.text[lead:2000]
    match = _CONDITION.match(text)
    if match is None or _CONSEQUENCE.search(text, match.end()):
        return False
    start = lead + match.start("mark")
    mark = next((t for t in analysis.tokens if t.start >= start), None)
    if mark is None:
        return False
    governed = analysis.tokens[mark.head]
    roots = [t for i, t in enumerate(analysis.tokens) if t.head == i and t.pos not in _BESIDE]
    return all(root is governed for root in roots)


def is_circumstance(analysis: Analysis, lead: int = 0) -> bool:
    """Whether the message is nothing but "in Stockholm", "with a dog", "on a Sunday"."""
    tokens = [t for t in analysis.tokens if t.start >= lead and t.pos not in _BESIDE]
    if (
        not 2 <= len(tokens) <= LONGEST_CIRCUMSTANCE
        or tokens[0].pos != "ADP"
        or tokens[0].lower in _ANNOUNCES
    ):
        return False
    return all(t.pos in _IN_A_PHRASE for t in tokens) and _are_governed(tokens, analysis)


def _are_governed(tokens: list[Token], analysis: Analysis) -> bool:
    """Whether every noun belongs to a preposition: "without prescription antibiotics" names a thing of its own."""
    nouns = [t for t in tokens if t.pos in {"NOUN", "PROPN"}]
    return bool(nouns) and all(t.dep in {"pobj", "compound", "conj", "appos", "nmod"} for t in nouns)


def is_for_somebody(text: str) -> bool:
    """Whether a price, a number or a time is asked for people alone: "how much for kids", "fee for students"."""
    found = _asked_for(text)
    return found is not None and is_people(" ".join(normalise(found[1])))


def is_people(key: str) -> bool:
    """Whether a key is one of people by age or standing: "two adults", "staff"."""
    return set(key.split()[-1:]) <= PERSONS


def is_of_any(text: str) -> bool:
    """ "Price for a seat": an attribute of one of a kind, as everything has that has such a one."""
    found = _asked_for(text)
    if found is None:
        return False
    attribute, whom = found
    return attribute in ATTRIBUTES and bool(_COUNTED.match(whom))


def _asked_for(text: str) -> tuple[str, str] | None:
    """The attribute that is asked, empty after "how much", and whom or what for."""
    match = _PRICED.match(text.strip())
    if match is None:
        return None
    attribute = "".join(normalise(match.group("attribute") or "")[-1:])
    if match.group("attribute") and attribute not in ATTRIBUTES:
        return None
    return attribute, match.group("whom").strip()
