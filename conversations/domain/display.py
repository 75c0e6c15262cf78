"""The wording that people see behind "searched for …": the reference replaced by what it means, where that is safe.

Safe means one unexplained pronoun and one thing it can mean; otherwise the words carried over are listed after the message.
It never changes what is searched.
"""

from __future__ import annotations

import re

from conversations.domain.marks import Mark, pick_in
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.substituting import parted
from conversations.domain.vocabulary import words
from conversations.domain.words import PERSON_REFERENCE, PLURAL_REFERENCE, in_plural

_POSSESSIVE = frozenset({"its", "their", "his"})
# "What if I already bought it?" adds to the question before, so that the first thing carried over need not be "it".
_SUPPOSES = re.compile(
    r"(?:(?:and|but|so|ok)[\s,]+)*(?:(?:what|how\s+about|and)\s+)?(?:if|when)\s", re.IGNORECASE
)
_NOT_REPLACED = words("her that this these those one ones")


def shown(reading: Reading, terms: tuple[Term, ...], picked: tuple[Term, ...] = ()) -> str:
    """The message with its reference replaced, or followed by the carried words in brackets.

    `picked` is what "the second one" took from a list.
    """
    if not terms:
        return reading.core
    if len(picked) == 1 and (named := _with_pick(reading.core, picked[0])):
        return named
    pronouns = [word for mark, word in reading.marks if mark is Mark.PRONOUN]
    one = (
        len({word.lower() for word in pronouns}) == 1
        and not reading.terms
        and not _SUPPOSES.match(reading.core)
    )
    if one and pronouns[0].lower() not in _NOT_REPLACED and _agrees(pronouns[0], terms[0]):
        return _replaced(reading.core, pronouns[0], terms[0])
    listed = ", ".join(term.text for term in terms[:3])
    return f"{reading.core} ({listed})"


def as_asked(exchange: Exchange) -> str:
    """An earlier question as people read it: what was carried over behind it stands in brackets."""
    asked, carried = parted(exchange)
    names = (term.text for term in exchange.inherited if term.text in carried)
    listed = ", ".join(list(names)[:3])
    return f"{asked} ({listed})" if listed else asked


def _with_pick(core: str, item: Term) -> str:
    """ "How much is the third?" → "How much is “Re-glue a chair”?"; empty where the place in the list is told otherwise."""
    found = pick_in(core)
    if found is None:
        return ""
    name = item.text if item.name or " " not in item.text else f"“{item.text}”"
    return f"{core[: found[0]]}{name}{core[found[1] :]}"


def agreeing_first(terms: tuple[Term, ...], reading: Reading) -> tuple[Term, ...]:
    """The terms that the message's pronoun can mean before the others, otherwise in their order."""
    pronoun = next((word for mark, word in reading.marks if mark is Mark.PRONOUN), None)
    if pronoun is None:
        return terms
    return tuple(sorted(terms, key=lambda term: not _agrees(pronoun, term)))


def _agrees(pronoun: str, term: Term) -> bool:
    """ "She" means a person; "it" and "they" in talk about products seldom do."""
    if pronoun.lower() in PERSON_REFERENCE:
        return term.type == "person"
    if pronoun.lower() in {"it", "its"} and (term.type in {"place", "date"} or _plural(term)):
        return False
    return term.type != "person" or pronoun.lower() in PLURAL_REFERENCE


def _plural(term: Term) -> bool:
    return in_plural(term.text) and not term.name


def _replaced(core: str, pronoun: str, term: Term) -> str:
    name = term.text if term.name else f"the {term.text}"
    if pronoun.lower() in _POSSESSIVE:
        name += "'" if name.endswith("s") else "'s"
    text = re.sub(rf"(?<!\w){re.escape(pronoun)}(?!\w)", lambda _: name, core, count=1)
    return text[:1].upper() + text[1:] if core[:1].isupper() else text
