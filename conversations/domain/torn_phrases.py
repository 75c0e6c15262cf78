"""Puts together what grammar tears apart in a message that is no sentence: "no, I mean audit logs", "and paternity leave?".

Without a sentence around it the last noun of a phrase is easily taken for a verb, and a single one as well.
"""

from __future__ import annotations

import re

from conversations.domain.corrections import is_phrase, right_in
from conversations.domain.language import Analysis
from conversations.domain.state import Term
from conversations.domain.words import GENERIC_KEYS, contains_key, key_of

_GOES_ON = re.compile(
    r"^(?:(?:and|or|but|so|ok(?:ay)?)[\s,]+)*(?:(?:what|how)\s+about\s+|same\s+for\s+)?(?:(?:for|in|on|with|at)\s+)?(?:(?:the|a|an|my|our|your)\s+)?(?P<rest>[\w'’-]+(?:\s+[\w'’-]+){0,2})\s*[?.!]*$",
    re.IGNORECASE,
)

_ABOUT = re.compile(r"^(?:(?:and|or|but|so|ok(?:ay)?)[\s,]+)*(?:what|how)\s+about\b", re.IGNORECASE)


def put_together(terms: tuple[Term, ...], said: str, analysis: Analysis, corrects: bool) -> tuple[Term, ...]:
    """The terms of a message with the phrase that is all it names in one piece. `said` is the whole message."""
    phrase = right_in(said) if corrects else _torn(analysis, terms)
    key = key_of(phrase)
    if corrects and phrase:
        # What else a correction names is an apology.
        terms = tuple(t for t in terms if contains_key(key, t.key) or contains_key(t.key, key))
    longer = corrects and len(terms) == 1 and terms[0].key.endswith(f" {key}")
    if not phrase or any(t.key == key or not (longer or contains_key(key, t.key)) for t in terms):
        return terms
    if any(char.isdigit() for char in phrase):
        return terms
    known = terms[-1] if terms else None
    whole = Term(phrase, key, known.type if known else "topic", bool(terms) and all(t.name for t in terms))
    return (whole,)


def _torn(analysis: Analysis, terms: tuple[Term, ...]) -> str:
    """The phrase of an ellipsis whose last noun was taken for the only verb; empty where nothing is torn."""
    match = _GOES_ON.match(analysis.text)
    if match and not terms and _ABOUT.match(analysis.text) and _is_noun(match["rest"], analysis):
        return match["rest"]
    doing = [token for token in analysis.tokens if token.pos in {"VERB", "AUX"}]
    if match is None or len(terms) != 1 or len(doing) != 1 or not is_phrase(match["rest"]):
        return ""
    return match["rest"] if key_of(match["rest"]) == f"{terms[0].key} {key_of(doing[0].text)}" else ""


def _is_noun(phrase: str, analysis: Analysis) -> bool:
    """Whether the phrase is made of nouns that name something."""
    said = set(key_of(phrase).split())
    tokens = [t for t in analysis.tokens if key_of(t.text) and set(key_of(t.text).split()) <= said]
    return (
        is_phrase(phrase)
        and bool(tokens)
        and tokens[-1].pos in {"NOUN", "PROPN"}
        and not said <= GENERIC_KEYS
    )
