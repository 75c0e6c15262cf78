"""Recognises a message that sets its own subject at its head: "sofa: how do I return it?", "Standard plan - how many seats does it have?".

A pronoun behind such a heading means what the heading names, so that the message stands on its own.
A heading that itself belongs to something ("price: what is it?") or points back ("that one: …") answers nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conversations.domain.aspects import ATTRIBUTES, is_doing
from conversations.domain.language import Analysis, Token
from conversations.domain.vocabulary import words
from conversations.domain.words import (
    GENERIC_KEYS,
    ONES,
    PERSON_REFERENCE,
    PLACE_NOUNS,
    PLURAL_REFERENCE,
    STOP_KEYS,
    in_plural,
    key_of,
    normalise,
)

LONGEST = 5
_HEADED = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|then|well|also)[\s,]+)*"
    r"(?P<about>(?:(?:(?:a|an|one|another|my|quick|short|new|next)\s+)*question\s+(?:about|on|regarding)|about|regarding|concerning|re|as\s+to)\s*:?\s+)?"
    r"(?P<name>[\w.#(\"“'][^:;?!,\n–—]{0,60}?)[\"”']?\s*(?:(?P<comma>,)|[:;?!…]|\.{1,3}|\s-{1,2}|[–—]{1,2})\s+(?P<rest>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ASKED = re.compile(
    r"(?:(?:and|so|but)\s+)?(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|may|must|has|have"
    r"|i(?:['’]d\s+like|\s+want|\s+need|\s+would\s+like))\b",
    re.IGNORECASE,
)
_ADDRESSED = words("sir madam mate dude buddy man bro dear doc doctor team support please question quick")
_ARTICLES = frozenset({"the", "a", "an", "my", "our", "your"})
_PLURAL = frozenset({"NNS", "NNPS", "VBZ"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_NOUNS = frozenset({"NOUN", "PROPN"})


@dataclass(frozen=True, slots=True)
class Heading:
    """The subject at the head of a message: the token that is its noun, and where it ends in characters.

    `open`: the message does not say which one it is, as in "the plan: …". `place`: one may be "there".
    `many`: one may speak of it as "they".
    """

    noun: Token
    end: int
    open: bool = False
    place: bool = False
    many: bool = False

    def means(self, word: str) -> bool:
        """Whether a word that refers may mean this by its number and kind: "it" is never gift cards, "she" no thing."""
        if word in {"there", "here"}:
            return self.place
        if word in ONES:
            return True
        if word in PLURAL_REFERENCE:
            return self.many
        return word not in PERSON_REFERENCE and self.noun.tag not in _PLURAL


def heading_of(analysis: Analysis, lead: int = 0) -> Heading | None:
    """The subject that the message names before a colon, a dash or the like, and asks about behind it; None without one.

    The first `lead` characters are no part of the message.
    """
    match = _HEADED.match(analysis.text[lead : lead + 2000])
    if match is None or not _ASKED.match(match.group("rest")):
        return None
    start, end = lead + match.start("name"), lead + match.end("name")
    tokens = [t for t in analysis.tokens if start <= t.start < end]
    articles = [t for t in tokens[:1] if t.lower in _ARTICLES]
    named, told_of = _parted(tokens[len(articles) :])
    if not _is_name(named) or (match.group("comma") and not match.group("about") and _addresses(tokens)):
        return None
    definite = bool(articles) and articles[0].lower == "the"
    if told_of:
        # "The city with the heated flats" describes something that was spoken of.
        if definite or match.group("comma") or not _is_name([t for t in told_of if t.lower not in _ARTICLES]):
            return None
    elif _belongs(named, bool(articles)):
        return None
    open_to_doubt = definite and len(named) == 1 and named[0].text.islower()
    many = named[-1].tag in _PLURAL or in_plural(named[-1].text) or len(tokens) > 1
    return Heading(named[-1], end, open_to_doubt, _is_place(named, analysis), many)


def _parted(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """ "Delivery to Norway": the thing, and what is told of it behind a preposition."""
    at = next((i for i, t in enumerate(tokens) if i and t.pos == "ADP"), len(tokens))
    return tokens[:at], tokens[at + 1 :]


def _is_place(named: list[Token], analysis: Analysis) -> bool:
    """ "Norwich store", "Dublin"."""
    noun = named[-1]
    labelled = any(n.label in _PLACES and n.start <= noun.start < n.end for n in analysis.names)
    return labelled or key_of(noun.text) in PLACE_NOUNS or (len(named) == 1 and noun.text.istitle())


def _is_name(tokens: list[Token]) -> bool:
    """Whether the tokens are one noun phrase with a content of its own."""
    if not 1 <= len(tokens) <= LONGEST or tokens[-1].lower in ONES:
        return False
    *first, noun = tokens
    if any(not _stands_in_name(token) for token in first):
        return False
    # "Audit logs: …" and "returns: …" are taken for verbs.
    plural = noun.tag == "VBZ" and noun.lower not in STOP_KEYS
    keys = {key for token in tokens for key in normalise(token.text)}
    ends = plural or noun.pos in _NOUNS or (noun.pos in {"NUM", "X"} and any(t.pos in _NOUNS for t in first))
    return ends and not keys <= GENERIC_KEYS | STOP_KEYS


def _stands_in_name(token: Token) -> bool:
    return token.pos in _NOUNS | {"ADJ", "NUM", "X", "PART", "PUNCT", "SYM"} or token.tag == "VBN"


def _addresses(tokens: list[Token]) -> bool:
    """ "Anna, is it free?": somebody who is spoken to."""
    one = tokens[0]
    return len(tokens) == 1 and (one.pos == "PROPN" or one.lower in _ADDRESSED)


def _belongs(named: list[Token], told_which: bool) -> bool:
    """ "Price: …", "notice period: …", "delivery: …": always that of something else."""
    noun = named[-1]
    if any(token.text[:1].isupper() for token in named[1:]) or noun.tag in _PLURAL:
        return False
    if key_of(noun.text) in ATTRIBUTES:
        return len(named) <= 2
    return len(named) == 1 and not told_which and is_doing(noun.text)
