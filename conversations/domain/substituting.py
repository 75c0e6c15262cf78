"""Writes a new thing into an earlier question in the place of an old one, so that the question still reads well.

The article follows the new thing, "the Gold one" keeps the noun of the old thing, and a pronoun of the earlier question
that meant the old thing is spelled out. What was carried over only for the old thing's sake goes with it.
"""

from __future__ import annotations

import re

from conversations.domain.parallels import RIVALLING
from conversations.domain.state import Exchange, Term
from conversations.domain.words import ONES, contains_key, in_plural, key_of

_PRONOUN = re.compile(r"(?<![\w'’])(?:it|them|they|its|their|itself|themselves)(?![\w'’])", re.IGNORECASE)
_ONE_OF_MANY = {"them": "it", "they": "it", "their": "its", "themselves": "itself"}


def substituted(antecedent: Exchange, old: Term, new: Term, said: str) -> str:
    """The antecedent's query with `new` in the place of `old`; `said` is the message that names `new`."""
    question, carried = _parted(antecedent)
    pattern = re.compile(rf"(?:(?<!\w)(?P<article>an?)\s+)?(?<!\w){re.escape(old.text)}(?!\w)", re.IGNORECASE)
    if not carried:
        return pattern.sub(lambda match: _with_article(match, new), question, count=1)
    kept = _without(carried, antecedent, old, new)
    if pattern.search(question):
        return " ".join((pattern.sub(lambda match: _with_article(match, new), question, count=1), *kept))
    spelled_out = _for_pronoun(question, new, said)
    return " ".join((spelled_out or f"{question} {new.text}", *kept))


def _parted(antecedent: Exchange) -> tuple[str, str]:
    """The question as it was typed, and the words that were put behind it."""
    query, typed = antecedent.query, antecedent.message
    return (typed, query[len(typed) :].strip()) if query.startswith(f"{typed} ") else (query, "")


def _without(carried: str, antecedent: Exchange, old: Term, new: Term) -> list[str]:
    """What was carried over, as it was, less whatever says the old thing."""
    gone = set(old.key.split()) - set(new.key.split())
    kept = carried
    for term in sorted(antecedent.inherited, key=lambda term: -len(term.text)):
        if contains_key(term.key, old.key) or gone & set(term.key.split()):
            kept = re.sub(rf"(?<!\w){re.escape(term.text)}(?!\w)", " ", kept, count=1)
    return kept.split()


def _for_pronoun(question: str, new: Term, said: str) -> str:
    """ "Can I send them back if I wore them?" of "a mattress": the pronoun meant the old thing; empty without any."""
    match = _PRONOUN.search(question)
    if match is None:
        return ""
    article = re.search(rf"(?<!\w)((?:an?|the|my|our)\s+){re.escape(new.text)}(?!\w)", said, re.IGNORECASE)
    spelled = f"{article.group(1).lower() if article else ''}{new.text}"
    spelled += "'s" if match.group().lower() in {"its", "their"} else ""
    rest = question[match.end() :]
    if not in_plural(new.text):
        rest = _PRONOUN.sub(lambda m: _ONE_OF_MANY.get(m.group().lower(), m.group()), rest)
    return f"{question[: match.start()]}{spelled}{rest}"


def _with_article(match: re.Match[str], new: Term) -> str:
    if not match.group("article"):
        return new.text
    if in_plural(new.text):
        return new.text
    return f"{'an' if new.text[:1].lower() in 'aeiou' else 'a'} {new.text}"


def with_head(new: Term, old: Term) -> Term:
    """ "Extreme one" in the place of "Fast volume" is an "Extreme volume", "Gold" in that of "Silver tariff" a "Gold tariff"."""
    said, held = new.text.split(), old.text.split()
    names = next((i for i, word in enumerate(held) if not word[:1].isupper()), len(held))
    if said[-1].lower() in ONES and len(said) > 1:
        kept = held[names:] if 0 < names < len(held) else held[1:][-1:]
        text = " ".join((*said[:-1], *kept))
        return Term(text, key_of(text), new.type, new.name)
    if not 0 < names < len(held) or not all(word[:1].isupper() for word in said) or new.type in RIVALLING:
        return new
    return Term(f"{new.text} {' '.join(held[names:])}", new.key, new.type, new.name)
