"""Finds what a choice leaves behind: of "Is it Cold or Vault?" the Vault, once the answer is Cold.

The alternatives are read from the answer that asked for the choice, whatever their grammar.
A reply that names all of them, or none, leaves nothing behind.
"""

from __future__ import annotations

import re

from conversations.domain.answer.units import sentences
from conversations.domain.classify import Kind
from conversations.domain.parallels import other_of_its_kind
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.words import content_of, key_of

_BETWEEN = re.compile(r"\s*[,;/]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+", re.IGNORECASE)
# A stretch between two commas with more words of content is a clause, not an alternative.
LONGEST = 3


def not_chosen(reading: Reading, kind: Kind, exchange: Exchange) -> list[str]:
    """The alternatives of an answer that a reply to its question passes over, as they were written."""
    if kind is not Kind.ANSWER_TO_QUESTION:
        return []
    said = content_of(reading.text)
    found: list[str] = []
    for sentence in (s for line in exchange.answer.splitlines() for s in sentences(line)):
        offered = [part.strip(" .?!:") for part in _BETWEEN.split(sentence)]
        offered = [part for part in offered if 0 < len(content_of(part)) <= LONGEST]
        chosen = [part for part in offered if content_of(part) & said]
        if chosen and len(chosen) < len(offered):
            found += [part for part in offered if part not in chosen]
            found += [t.text for t in exchange.answer_terms if any(_beside(t, part) for part in chosen)]
    return [" ".join(word for word in name.split() if content_of(word) - said) for name in found]


def _beside(term: Term, chosen: str) -> bool:
    """ "Platform-managed keys" beside the "external keys" that were chosen."""
    return other_of_its_kind(term, Term(chosen, key_of(chosen)))
