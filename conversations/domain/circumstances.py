"""Tells what was asked about from what a person says of themselves beside it: who they are, whom they ask for, where.

"We run a small hotel. What discount is there on a trade account?" is about the trade account, and who goes on asking
means that. Where nothing else was asked about, what was said is all there is and stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from conversations.domain.answer.units import sentences
from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.state import Exchange, Term
from conversations.domain.vocabulary import words
from conversations.domain.wanted import located
from conversations.domain.words import contains_key, key_of

# People by what they are to the one who asks. Whom a rule may be written for, as a manager or a guest, is not among them.
KIN = words(
    """
    wife husband partner spouse fiance fiancee mother father mum mom dad parent son daughter child kid baby toddler brother
    sister aunt uncle cousin niece nephew grandmother grandfather grandma grandpa gran grandad granny nan girlfriend
    boyfriend friend mate colleague neighbour neighbor
    """
)
_OF_THE_ASKER = r"\b(?:my|our|his|her|their)\s+(?:[\w-]+\s+)?"
_ARTICLE = r"(?:(?:an?|the|your|one\s+of\s+your)\s+)"
# "I'm a full-time …", "we run a small …", "I start as a …".
_DESCRIBES = (
    r"\b(?:I|we)(?:(?:\s+am|\s+are|['’]m|['’]re)\s+(?:(?:also|just|only|both)\s+)?" + _ARTICLE
    + r"|\s+(?:run|own|manage|operate)\s+" + _ARTICLE + r"?"
    + r"|(?:['’](?:m|ve|ll|re))?(?:\s+\w+){1,3}\s+as\s+an?\s+)"
)  # fmt: skip
# "Our auditors insist that …": what somebody wants is asked about, not who wants it.
_WANTS = r"\s+(?:insists?|insisted|wants?|wanted|asks?|asked|thinks?|believes?|told|tells?|demands?|prefers?|hopes?|would\s+like)\b"


def asked_about(terms: tuple[Term, ...], exchange: Exchange) -> tuple[Term, ...]:
    """The terms without those that only say who asks and for whom; all of them where nothing else is left to be about.

    Beside such words the thing comes before what is asked of it: the trade account before its discount.
    """
    left = tuple(term for term in terms if not _of_the_asker(term, exchange.message))
    if len(left) == len(terms) or not any(is_thing(term) for term in left):
        return terms
    return tuple(sorted(left, key=lambda term: not (term.name or is_thing(term))))


def is_thing(term: Term) -> bool:
    """Whether a term is something of its own, neither a name nor an attribute of something else."""
    return not term.name and term.key.split()[-1] not in ATTRIBUTES


def _of_the_asker(term: Term, message: str) -> bool:
    said = re.escape(term.text)
    if term.name:
        return False
    kin = term.key.split()[-1] in KIN and re.search(rf"{_OF_THE_ASKER}{said}(?!\w)", message, re.IGNORECASE)
    described = re.search(rf"{_DESCRIBES}(?:[\w-]+\s+)?{said}(?!\w)", message, re.IGNORECASE)
    wanting = re.search(rf"\b(?:my|our)\s+{said}{_WANTS}", message, re.IGNORECASE)
    return bool(kin or described or wanting)


def with_their_thing(names: tuple[Term, ...], spoken: Iterable[Term], exchange: Exchange) -> tuple[Term, ...]:
    """Names that were only told as where, after the first thing that is there: intensive care, at Ashcombe.

    A place that the question itself is asked of is its subject and needs nothing beside it.
    """
    units = [unit for line in exchange.message.splitlines() for unit in sentences(line)]
    told = " ".join(unit for unit in units if not unit.rstrip().endswith("?"))
    asked = key_of(" ".join(unit for unit in units if unit.rstrip().endswith("?")))
    where = [t for t in located(names, told) if asked and not contains_key(asked, t.key)]
    thing = next((term for term in spoken if is_thing(term)), None)
    return (thing, *names) if thing and names and len(where) == len(names) else names


def located_in(terms: Iterable[Term], said: str) -> tuple[Term, ...]:
    """Whatever stands behind a word for where: the station of "at the station"."""
    where = r"\b(?:in|at|on|near)\s+(?:(?:the|your|an?)\s+)?"
    return tuple(t for t in terms if re.search(rf"{where}{re.escape(t.text)}(?!\w)", said, re.IGNORECASE))
