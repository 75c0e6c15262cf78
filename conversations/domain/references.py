"""Pronouns, demonstratives and definite nouns that nothing in the message itself can explain.

A pronoun is explained by an earlier noun of another clause: a verb's own subject is never its object.
What is left unexplained must mean something said before.
"""

from __future__ import annotations

import re

from conversations.domain.aspects import ATTRIBUTES
from conversations.domain.headings import Heading
from conversations.domain.language import Analysis, Token
from conversations.domain.marks import Mark
from conversations.domain.vocabulary import words
from conversations.domain.words import (
    DEICTIC_TIME,
    DEMONSTRATIVE,
    GENERIC_KEYS,
    ONES,
    PERSON_REFERENCE,
    PERSONAL,
    PLURAL_REFERENCE,
    QUESTION,
    UNIQUE,
    key_of,
    normalise,
)

_PLEONASTIC = re.compile(
    r"\bit(?:'s|\s+is|\s+was|\s+be|\s+would\s+be)?\s+(?:\w+\s+){0,2}?(?:possible|important|better|best|necessary|safe|legal|ok|okay|easy|hard|difficult|good|bad|common|normal|required|true|worth|wise|advisable|allowed|feasible|cheaper|rude|smart|useful|likely|recommended|time|fair)\s+(?:\w+\s+){0,3}?(?:to|that|if|for|when)\b"
    r"|\b(?:does|did|will|would|can)\s+it\s+(?:take|cost|matter|make\s+sense|help)\s+(?:\w+\s+){0,2}?(?:to|if|that|when)\b|\bhow\s+(?:\w+\s+)?(?:does|is|was|would|will|long|much)\s+(?:\w+\s+)?it\s+(?:take|cost|like)?\s*(?:to|for)\b|\bit\s+(?:seems|appears|takes|costs|turns\s+out|rains?|snows?)\b",
    re.IGNORECASE,
)


# Nouns that carry no subject, and yet are who "they" are.
PEOPLE = frozenset({"people", "guys", "men", "women", "folks"})
# "If we ring in the evening, will they tell us?": no time is anybody.
_TIMES = UNIQUE & DEICTIC_TIME
# Attributes of a thing that are somebody.
_OFFICES = frozenset({"author", "owner", "manager"})
# "My uncle is coming to be with her": she is somebody else.
_SHE = frozenset({"she", "her", "hers", "herself"})
_MEN = words(
    """
    man boy gentleman husband fiance father dad daddy stepfather son stepson brother uncle nephew grandfather grandpa grandad
    granddad grandson boyfriend
    """
)
_WOMEN = words(
    """
    woman girl lady wife fiancee mother mum mom mummy stepmother daughter stepdaughter sister aunt auntie niece grandmother
    grandma gran granny nan granddaughter girlfriend
    """
)
_ARGUMENTS = frozenset({"dobj", "pobj", "ROOT", "nsubj", "attr"})
_LOCATED = frozenset({"in", "at", "to", "near", "from", "into", "inside", "around", "outside"})


def references(analysis: Analysis, lead: int, heading: Heading | None = None) -> list[tuple[Mark, str]]:
    """Pronouns and demonstratives that neither the heading nor an earlier noun of the same message can explain."""
    found: list[tuple[Mark, str]] = []
    pleonastic = {m.start() for m in _PLEONASTIC.finditer(analysis.text[:2000])}
    headed = of_heading(analysis, heading) if heading else frozenset()
    for index, token in enumerate(analysis.tokens[:400]):
        mark = _reference(token, index, analysis, pleonastic)
        if mark is None or token.start < lead or index in headed:
            continue
        if not _explained(index, token, analysis, lead):
            found.append((mark, token.text))
    return found


def of_heading(analysis: Analysis, heading: Heading) -> frozenset[int]:
    """The words behind a heading that mean it, as token indices: the first that can, and the others of its number.

    "And your vans, do they run on it?" asks of the vans; what they run on was said before.
    """
    behind = [
        (index, token.lower in PLURAL_REFERENCE)
        for index, token in enumerate(analysis.tokens[:400])
        if token.start >= heading.end
        and heading.means(token.lower)
        and not (token.pos == "DET" and token.lower in DEMONSTRATIVE)
        and _reference(token, index, analysis, set()) is not None
    ]
    return frozenset(index for index, plural in behind if plural == behind[0][1])


def _reference(token: Token, index: int, analysis: Analysis, pleonastic: set[int]) -> Mark | None:
    word = token.lower
    if word in ONES and (token.pos in {"NOUN", "PRON"} or token.dep in _ARGUMENTS):
        return None if _counts(index, analysis) else Mark.ONES
    if word in PERSONAL and token.pos in {"PRON", "DET"}:
        near = any(start <= token.start <= start + 40 for start in pleonastic)
        return None if word == "it" and (token.dep == "expl" or near) else Mark.PRONOUN
    if word in DEMONSTRATIVE and token.dep not in {"mark", "advmod"} and token.tag not in {"WDT", "IN", "RB"}:
        governed = analysis.tokens[token.head]
        following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
        deictic = token.pos == "DET" and governed.lower in DEICTIC_TIME
        return (
            None if deictic or following in {"who", "whom", "whose", "that", "which"} else Mark.DEMONSTRATIVE
        )
    if word in {"there", "here"} and token.dep != "expl" and token.pos in {"ADV", "PRON"}:
        before = analysis.tokens[index - 1] if index else token
        greeted = before.lower in {"hi", "hello", "hey"}
        return None if greeted or _exists(index, analysis) else Mark.PLACE
    return None


def _exists(index: int, analysis: Analysis) -> bool:
    """ "Which ones are there?": there are some; no place is meant."""
    sentence = _sentence(index, analysis)
    asked = [t.lower for i, t in enumerate(analysis.tokens[:index]) if _sentence(i, analysis) == sentence]
    return analysis.tokens[index - 1].lemma == "be" and bool(
        {"what", "which", "many", "much"} & set(asked[:3])
    )


def _counts(index: int, analysis: Analysis) -> bool:
    """A number or anybody, not a reference: "one" before a noun, "no one", "as much as one may carry"."""
    token, before = analysis.tokens[index], analysis.tokens[:index]
    if token.dep == "nummod" or (before and before[-1].lower in {"no", "every", "any", "some"}):
        return True
    beside = (*before[-1:], *analysis.tokens[index + 1 : index + 2])
    anybody = any(t.tag == "MD" for t in beside) and not any(t.head == index for t in before)
    return anybody or _one_of_named(index, analysis)


def _one_of_named(index: int, analysis: Analysis) -> bool:
    """ "One of your offices" says itself what it is one of; "one of them" and "one of the worst kind" do not."""
    of = next((i for i, t in enumerate(analysis.tokens) if t.head == index and t.lower == "of"), None)
    kinds = (t for t in analysis.tokens if t.head == of and t.dep == "pobj" and t.pos in {"NOUN", "PROPN"})
    return any(not set(normalise(t.text)) <= GENERIC_KEYS for t in kinds)


def _explained(index: int, token: Token, analysis: Analysis, lead: int) -> bool:
    """Whether a noun before the word, in this message, can be what it refers to.

    A bare noun that only announces the new subject ("delivery: when can I have it?") explains nothing.
    """
    word = token.lower
    governed = analysis.tokens[token.head]
    if word in {"there", "here"}:
        following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
        return following in _LOCATED or any(_locates(t, analysis) for t in analysis.tokens[:index])
    asked = index > 0 and analysis.tokens[index - 1].lower in {
        "do",
        "does",
        "did",
    }  # "does that cost": a verb
    if word in DEMONSTRATIVE and token.pos == "DET" and not asked:
        key = key_of(governed.text)
        return any(key_of(t.text) == key for t in analysis.tokens[:index] if t.pos in {"NOUN", "PROPN"})
    if word in {"it", "that", "this"} and any(_happens(i, index, analysis) for i in range(index)):
        return True
    return any(
        _can_be_meant(t, i, index, analysis)
        for i, t in enumerate(analysis.tokens[:index])
        if t.start >= lead or t.tag != "NN" or _determined(i, analysis)
    )


def _happens(verb: int, pronoun: int, analysis: Analysis) -> bool:
    """ "Can you mend my boots and what does it cost?": "it" is what the first question says is done to something."""
    token = analysis.tokens[verb]
    done_to = any(t.head == verb and t.dep == "dobj" and t.pos in {"NOUN", "PROPN"} for t in analysis.tokens)
    return token.pos == "VERB" and done_to and _coordinated(verb, pronoun, analysis)


def _locates(noun: Token, analysis: Analysis) -> bool:
    """Whether a noun is a place that "there" may mean: after a preposition of place, or a name of one."""
    if noun.pos not in {"NOUN", "PROPN"}:
        return False
    if noun.dep == "pobj" and analysis.tokens[noun.head].lower in _LOCATED:
        return True
    return any(n.start <= noun.start < n.end and n.label in {"GPE", "LOC", "FAC"} for n in analysis.names)


def _can_be_meant(noun: Token, position: int, index: int, analysis: Analysis) -> bool:
    """Whether a pronoun at `index` may refer to an earlier noun: not to a fellow argument of its own verb."""
    if noun.pos not in {"NOUN", "PROPN"} or noun.lower in QUESTION:
        return False
    general = noun.lower not in PEOPLE and all(key in GENERIC_KEYS for key in normalise(noun.text))
    if noun.dep in {"compound", "npadvmod"} or general:
        return False
    if any(t.head == position and t.lower in QUESTION for t in analysis.tokens[:position]):
        return False
    pronoun = analysis.tokens[index]
    if not _agrees(pronoun, noun, position, analysis) or _hangs_on(index, position, analysis):
        return False
    if pronoun.lower in DEMONSTRATIVE:
        joined = _determined(position, analysis) and _coordinated(position, index, analysis)
        return joined or _sentence(position, analysis) != _sentence(index, analysis)
    if pronoun.dep == "poss" or pronoun.lower in {"its", "their", "his", "her"}:
        return pronoun.head != position and noun.head != index
    return _clause(position, analysis) != _clause(index, analysis)


def _hangs_on(index: int, position: int, analysis: Analysis) -> bool:
    """ "The label for sending it back": what the doing is for that a noun describes is never that noun."""
    doing = analysis.tokens[analysis.tokens[index].head]
    preposition = analysis.tokens[doing.head]
    return doing.dep == "pcomp" and preposition.dep == "prep" and preposition.head == position


def _coordinated(noun: int, pronoun: int, analysis: Analysis) -> bool:
    """ "How do I join the guild, and what does that cost?": "that" belongs to a second question of the same sentence."""
    between = [t.lower for t in analysis.tokens[noun + 1 : pronoun]]
    joint = next((i for i, word in enumerate(between) if word in {"and", "but", ","}), len(between))
    return any(word in QUESTION for word in between[joint:])


def _agrees(pronoun: Token, noun: Token, position: int, analysis: Analysis) -> bool:
    """ "Them" is never Madrid, "it" never prices, and "she" is a name or somebody: "my sister", not "research" or "the interval"."""
    plural = noun.tag in {"NNS", "NNPS"}
    one_of_many = noun.pos == "NOUN" and _determined(position, analysis) and noun.lower not in _TIMES
    if pronoun.lower in PERSON_REFERENCE:
        if noun.lower in (_MEN if pronoun.lower in _SHE else _WOMEN) or _is_where(noun, analysis):
            return False
        somebody = one_of_many and (pronoun.dep == "poss" or key_of(noun.text) not in ATTRIBUTES - _OFFICES)
        return not plural and (noun.pos == "PROPN" or somebody)
    if pronoun.lower in PLURAL_REFERENCE:
        return plural or one_of_many or noun.lower in PEOPLE
    return not (plural and pronoun.lower in {"it", "its", "itself", "this", "that"})


def _is_where(noun: Token, analysis: Analysis) -> bool:
    """ "From Scotland": a place behind a word for where is nobody."""
    named = any(n.start <= noun.start < n.end and n.label in {"GPE", "LOC", "FAC"} for n in analysis.names)
    return named and noun.dep == "pobj" and analysis.tokens[noun.head].lower in _LOCATED


def _determined(index: int, analysis: Analysis) -> bool:
    """Whether a noun has an article or a possessive of its own."""
    return any(t.head == index and (t.pos == "DET" or t.dep == "poss") for t in analysis.tokens[:index])


def _sentence(index: int, analysis: Analysis) -> int:
    start = analysis.tokens[index].start
    return next((i for i, (left, right) in enumerate(analysis.sentences) if left <= start < right), -1)


def _clause(index: int, analysis: Analysis) -> int:
    """The verb that governs a token, as a token index."""
    for _ in range(12):
        token = analysis.tokens[index]
        if token.pos in {"VERB", "AUX"} and token.dep not in {"aux", "auxpass", "amod", "compound"}:
            return index
        if token.head == index:
            return index
        index = token.head
    return index


def definites(analysis: Analysis) -> list[tuple[Mark, str]]:
    """ "the lender", "the outer portion": a definite noun that nothing in the message introduces or narrows down."""
    found: list[tuple[Mark, str]] = []
    for phrase in analysis.phrases:
        tokens = analysis.phrase_tokens(phrase)
        noun = analysis.tokens[phrase.head]
        if tokens[0].lower != "the" or noun.pos != "NOUN" or noun.lower in UNIQUE:
            continue
        narrowed = any(
            t.head == phrase.head
            and t.dep in {"prep", "relcl", "acl", "appos"}
            and _tells_which(i, t, noun, analysis)
            for i, t in enumerate(analysis.tokens)
        )
        special = any(t.tag in {"NNP", "NNPS", "CD"} or t.text[:1].isupper() for t in tokens[1:])
        if not narrowed and not special and not _said_before(noun, phrase.first, analysis):
            found.append((Mark.DEFINITE, analysis.text[tokens[0].start : tokens[-1].end]))
    return found


def _tells_which(index: int, token: Token, noun: Token, analysis: Analysis) -> bool:
    """Whether what hangs on a noun says which one is meant; "the longest period I can set" is still that of something."""
    if token.dep not in {"relcl", "acl"} or key_of(noun.text) not in ATTRIBUTES:
        return True
    nouns = (i for i, t in enumerate(analysis.tokens) if t.pos in {"NOUN", "PROPN"} and t.lower not in ONES)
    return any(_clause(i, analysis) == index for i in nouns if analysis.tokens[i] is not noun)


def _said_before(noun: Token, index: int, analysis: Analysis) -> bool:
    key = key_of(noun.text)
    return any(key_of(token.text) == key for token in analysis.tokens[:index])
