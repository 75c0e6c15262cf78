"""The wording that people see behind "searched for …": the reference replaced by what it means, where that is safe.

Safe means one unexplained pronoun and one thing of the user's own that it can mean; otherwise what was carried over is
listed after the message, and where none of it reads as a thing the message is shown as it was typed.
It never changes what is searched.
"""

from __future__ import annotations

import re

from conversations.domain.aspects import ATTRIBUTES, is_doing
from conversations.domain.language import Token
from conversations.domain.marks import Mark, pick_in
from conversations.domain.reading import Reading
from conversations.domain.state import Exchange, Term
from conversations.domain.substituting import parted
from conversations.domain.vocabulary import words
from conversations.domain.words import PERSON_REFERENCE, PLURAL_REFERENCE, STOP, content_of, in_plural

_POSSESSIVE = frozenset({"its", "their", "his"})
# "What if I already bought it?" adds to the question before, so that the first thing carried over need not be "it".
_SUPPOSES = re.compile(
    r"(?:(?:and|but|so|ok)[\s,]+)*(?:(?:what|how\s+about|and)\s+)?(?:if|when)\s", re.IGNORECASE
)
_NOT_REPLACED = words("her that this these those one ones")
# Verbs and words that begin a clause: what holds one is a piece of a sentence and no thing.
_OF_A_CLAUSE = words(
    """
    it its they them he she we you i this that these those is are was were be been am has have had do does did can
    could would must shall should if when because while as which who whom whose what how why where
    there not no yes please get gets got
    """
)
_PEOPLE = words(
    """
    wife husband partner spouse mother father mum mom dad parent son daughter child kid baby brother sister aunt uncle cousin
    niece nephew grandmother grandfather grandma grandpa gran grandad granny girlfriend boyfriend friend colleague neighbour
    neighbor customer client guest visitor patient passenger student pupil teacher doctor nurse driver employee employer worker
    manager boss owner tenant landlord member user person man woman boy girl lady gentleman staff team family people somebody
    """
)
_A_THING = re.compile(r"[^\W_][^()\[\]{}<>|:;!?*\n\t\"“”]*")
_LISTED, _LISTED_OF_ANSWER, _LONGEST = 3, 2, 6
_SPELLED = (
    (re.compile(r"['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"['’]ll\b", re.IGNORECASE), " will"),
    (re.compile(r"['’]s\b(?=\s+(?:been|got|had)\b)", re.IGNORECASE), " has"),
    (re.compile(r"['’]s\b", re.IGNORECASE), " is"),
)


def shown(
    reading: Reading, terms: tuple[Term, ...], picked: tuple[Term, ...] = (), offered: tuple[Term, ...] = ()
) -> str:
    """The message with its reference replaced, or followed by the carried words in brackets.

    `picked` is what "the second one" took from a list, `offered` are those of the terms that only the answer said.
    """
    if len(picked) == 1 and _is_entry(picked[0]) and (named := _with_pick(reading.core, picked[0])):
        return named
    meant = tuple(term for term in terms if term not in offered and reads_as_thing(term))
    return _with_reference(reading, meant) or with_carried(reading.core, terms, offered)


def with_carried(text: str, terms: tuple[Term, ...], offered: tuple[Term, ...] = ()) -> str:
    """The text with the user's own of the carried terms behind it in brackets, or with what the answer named."""
    meant = tuple(term for term in terms if term not in offered and reads_as_thing(term))
    return listed_after(text, meant or _of_answer(tuple(term for term in terms if term in offered)))


def reads_as_thing(term: Term) -> bool:
    """Whether a carried term can be shown as a thing: no activity, no piece of a sentence, nothing with signs of markup."""
    said = term.text.lower().split()
    if term.type == "activity" or not 1 <= len(said) <= _LONGEST or not _A_THING.fullmatch(term.text):
        return False
    inner = said[1:] if said[0] in {"the", "a", "an"} else said
    if not inner or set(inner) & _OF_A_CLAUSE:
        return False
    small = {word for word in term.text.split() if word.islower()}
    return not {inner[0], inner[-1]} & small & STOP


def _is_entry(item: Term) -> bool:
    """Whether an entry of a list can be called by its text: "20 per minute" is what one may do and not its name."""
    return reads_as_thing(item) and (item.name or not item.text[:1].isdigit())


def listed_after(text: str, terms: tuple[Term, ...]) -> str:
    """ "How heavy is it? (Shift Appliance)", the text alone without any terms."""
    listed = ", ".join(dict.fromkeys(term.text for term in terms[:_LISTED]))
    return f"{text} ({listed})" if listed else text


def _of_answer(offered: tuple[Term, ...]) -> tuple[Term, ...]:
    """Of what only the answer said: names and things of several words, no dates and measures."""
    clean = (t for t in offered if reads_as_thing(t) and t.type != "date" and not t.text[:1].isdigit())
    return tuple(t for t in clean if t.name or " " in t.text)[:_LISTED_OF_ANSWER]


def _with_reference(reading: Reading, meant: tuple[Term, ...]) -> str:
    """The message with its one pronoun replaced by the first of the terms, where it can mean that; empty where that is not safe."""
    pronouns = [word for mark, word in reading.marks if mark is Mark.PRONOUN]
    if len({word.lower() for word in pronouns}) != 1 or reading.terms or _SUPPOSES.match(reading.core):
        return ""
    token = next((t for t in reading.analysis.tokens if t.text == pronouns[0]), None)
    if token is None or token.lower in _NOT_REPLACED or _is_deed(token, reading):
        return ""
    if not meant or not _means(token.lower, meant[0]):
        return ""
    return _replaced(reading.core, token, meant[0])


def _is_deed(token: Token, reading: Reading) -> bool:
    """ "Do it", "doing it": what is done, and no thing."""
    governed = reading.analysis.tokens[token.head]
    return token.dep == "dobj" and governed.lemma == "do"


def _means(pronoun: str, term: Term) -> bool:
    """Whether the pronoun can mean the term where people read it: "them" is never one thing."""
    if pronoun in PLURAL_REFERENCE and not in_plural(term.text) and not (term.name and term.type != "place"):
        return False
    return _agrees(pronoun, term)


def as_asked(exchange: Exchange) -> str:
    """An earlier question as people read it: what was carried over behind it stands in brackets."""
    asked, carried = parted(exchange)
    return listed_after(
        asked, tuple(t for t in exchange.inherited if t.text in carried and reads_as_thing(t))
    )


_COURTESY = re.compile(
    r"(?:[\s,.!?…]|[:;]-?[)(DP]|[^\w\s.,'’%€$£)-]|\b(?:please|pls|plz|thanks|thank\s+you|i\s+(?:think|guess|suppose)|then|ok(?:ay)?)\b)+$",
    re.IGNORECASE,
)


def replied(antecedent: Exchange, reply: str) -> str:
    """The question that a reply completes: "How long is the warranty? (a garden bench)"."""
    said = _COURTESY.sub("", reply).strip()
    return f"{as_asked(antecedent)} ({said})" if content_of(said) else as_asked(antecedent)


def accepted(offer: str, terms: tuple[Term, ...]) -> str:
    """What was offered and is wanted: "How the trial works (mattress)"."""
    said = offer.strip(" ?.!")
    return listed_after(said[:1].upper() + said[1:], tuple(filter(reads_as_thing, terms)))


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
    if pronoun.lower() in {"it", "its"} and (
        term.type in {"place", "date"} or _plural(term) or _is_somebody(term)
    ):
        return False
    return term.type != "person" or pronoun.lower() in PLURAL_REFERENCE


def _is_somebody(term: Term) -> bool:
    return not term.name and term.key.split()[-1] in _PEOPLE


def _plural(term: Term) -> bool:
    return in_plural(term.text) and not term.name


def _replaced(core: str, token: Token, term: Term) -> str:
    name = _within_sentence(term)
    rest = core[token.end :]
    if token.lower in _POSSESSIVE:
        name += "'" if name.endswith("s") else "'s"
    for contracted, spelled in _SPELLED:
        rest = contracted.sub(spelled, rest, count=1) if contracted.match(rest) else rest
    if rest[:1] in {"'", "’"}:
        return ""
    if token.text[:1].isupper():
        name = name[:1].upper() + name[1:]
    return f"{core[: token.start]}{name}{rest}"


def _within_sentence(term: Term) -> str:
    """ "The delivery" for the "Delivery" that began a message; "Enterprise" may be a name and stays as it is."""
    alone = term.text.istitle() and " " not in term.text
    if alone and (term.key in ATTRIBUTES or is_doing(term.text)):
        return f"the {term.text.lower()}"
    return term.text if term.name or alone else f"the {term.text}"
