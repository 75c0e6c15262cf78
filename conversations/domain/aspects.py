"""Tells what a question wants to know of a thing from the thing itself: the RPO in Dublin, the price of the Gold tariff.

An aspect only gives way to another aspect, and a thing only to a thing; what may be either takes nobody's place.
Attributes are nouns that say little by themselves, because they are always the attribute of something.
"""

from __future__ import annotations

import re

from conversations.domain.language import Token
from conversations.domain.state import Term
from conversations.domain.vocabulary import words
from conversations.domain.words import key_of

# Nouns of measure, time, money and procedure in general English.
ATTRIBUTES = words(
    """
    price cost fee charge rate amount sum deposit discount surcharge salary wage tax
    size weight height width length depth volume area capacity range distance speed temperature age power strength
    number quantity count limit limitation minimum maximum quota allowance threshold ratio share percentage level
    time date day deadline duration period term hour schedule frequency interval start end beginning expiry
    warranty guarantee coverage retention availability latency throughput bandwidth uptime resolution accuracy
    name address phone telephone email contact location opening capital currency population language
    colour color shape material ingredient content author owner manager
    condition requirement rule exception procedure process application eligibility
    advantage disadvantage benefit risk effect symptom cause purpose meaning definition origin history
    status version format dosage dose
    """
)
_DOING = re.compile(
    r"(?:[ts]ion|ment|ery|[ae]nce|(?:ov|ew|iv|os|err)al|ing|age|return|refund|repair|order)$", re.IGNORECASE
)
_ACRONYM = re.compile(r"[A-Z]{2,6}s?")
_DETERMINER = r"(?:(?:the|your|our|its|their)\s+)"
_ASKED = re.compile(
    rf"^(?:(?:and|so|ok(?:ay)?|hi|hello)[\s,]+)*(?:what(?:['’]s|\s+is|\s+are|\s+was|\s+were)|(?P<how>how\s+[a-z]+|when|who|where)(?:['’]s|\s+(?:is|are|was|were))"
    rf"|tell\s+me|give\s+me|show\s+me)\s+{_DETERMINER}?(?P<asked>(?:[\w'’-]+\s+){{0,2}}?[\w'’-]+)"
    r"\s+(?:of|for|in|on|at|with|to|from|during|under)\s+(?=\w)",
    re.IGNORECASE,
)


def is_doing(word: str) -> bool:
    """ "Delivery", "cancellation", "shipping": a noun of what is done, which is done to something."""
    return bool(_DOING.search(word))


def is_acronym(text: str) -> bool:
    """ "RTO", "GPUs": written in capitals, and no sentence is shouted with so few letters."""
    return bool(_ACRONYM.fullmatch(text))


def is_attribute(term: Term, articles: set[str], token: Token | None) -> bool:
    """ "The notice period", "price": an attribute of whatever the talk is about; "a period" is some thing."""
    if term.name or articles & {"a", "an"} or (token is not None and token.tag == "NNPS"):
        return False
    return term.key.split()[-1] in ATTRIBUTES


def asked_aspect(query: str, terms: list[Term]) -> Term | None:
    """The one of the terms that the question wants to know: the price in "what is the price of the Gold tariff?"."""
    match = _ASKED.match(query)
    asked = key_of(match.group("asked")) if match else ""
    return next((term for term in terms if term.key == asked), None)


def acronym_among(terms: list[Term]) -> Term | None:
    """The one acronym of the terms, None without any or with several."""
    found = [term for term in terms if is_acronym(term.text)]
    return found[0] if len(found) == 1 else None


def asking_plainly(query: str) -> str:
    """ "How long is the weight" becomes "what is the weight": the measure asked for is another one now."""
    match = _ASKED.match(query)
    if match is None or not match.group("how"):
        return query
    what = "What" if match.group("how")[:1].isupper() else "what"
    return query[: match.start("how")] + what + query[match.end("how") :]
