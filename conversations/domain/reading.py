"""One user message, read once: the announcing phrase, what remains, its words, and the marks of its form.

Marks say whether the wording leans on something outside the message; they say nothing of what that is.
A pronoun leans only when no noun before it in the same message can be meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

from conversations.domain.cues import Cue, CueKind, is_correction, split_cue
from conversations.domain.entities import content_keys, terms_of
from conversations.domain.language import Analysis, Token
from conversations.domain.state import Term
from conversations.domain.vectors import Vector
from conversations.domain.words import (
    DEICTIC_TIME,
    DEMONSTRATIVE,
    GENERIC_KEYS,
    NUMBERS,
    ONES,
    ORDINALS,
    PERSONAL,
    QUESTION,
    UNIQUE,
    key_of,
    normalise,
)


class Mark(StrEnum):
    """A sign in the wording. Strong ones are references; weak ones only hint at an earlier turn."""

    PRONOUN = "pronoun"
    DEMONSTRATIVE = "demonstrative"
    ONES = "ones"
    ORDINAL = "ordinal"
    PLACE = "there"
    CHOICE = "choice"
    ELLIPSIS = "ellipsis"
    CONTINUES = "continues"
    ADDITIVE = "additive"
    OTHER = "other"
    RECALLS = "recalls"
    DEFINITE = "definite"
    SHORT = "short"
    VERBLESS = "verbless"
    CORRECTION = "correction"
    COMMENT = "comment"


LEANING = (Mark.ELLIPSIS, Mark.COMMENT, Mark.CONTINUES, Mark.VERBLESS, Mark.PLACE, Mark.OTHER)
STRONG = frozenset({Mark.PRONOUN, Mark.DEMONSTRATIVE, Mark.ONES, Mark.ORDINAL, Mark.RECALLS})


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A message as the rules see it. `vector` is the unit embedding of `core`, or None."""

    text: str
    core: str
    cue: Cue
    analysis: Analysis
    vector: Vector | None = None
    terms: tuple[Term, ...] = ()
    keys: frozenset[str] = frozenset()
    text_key: str = ""
    marks: tuple[tuple[Mark, str], ...] = ()
    ordinals: tuple[int, ...] = field(default=())

    @classmethod
    def of(cls, cue: Cue, analysis: Analysis, vector: Vector | None = None, text: str | None = None) -> Reading:
        """From a cut message and the analysis of its core."""
        english = analysis.language == "en"
        return cls(
            text=text if text is not None else f"{cue.phrase} {cue.core}".strip(),
            core=cue.core,
            cue=cue,
            analysis=analysis,
            vector=vector,
            terms=terms_of(analysis) if english else (),
            keys=content_keys(analysis) if english else frozenset(),
            text_key=key_of(cue.core[:4000]),
            marks=tuple(_marks(cue, analysis)) if english else (),
            ordinals=tuple(_ordinals(analysis)) if english else (),
        )

    def has(self, *marks: Mark) -> bool:
        return any(mark in marks for mark, _ in self.marks)

    @property
    def strong(self) -> bool:
        return any(mark in STRONG for mark, _ in self.marks)

    @property
    def leaning(self) -> bool:
        """Whether the wording is unfinished or reaches out; other weak marks also occur in whole questions."""
        return self.has(*LEANING)

    @property
    def weak(self) -> bool:
        return any(mark not in STRONG and mark is not Mark.DEFINITE for mark, _ in self.marks)


_CONTINUES = re.compile(r"^(?:and|but|or|nor|so|then|also|plus|no|nope|yes|yeah|yep|not)\b(?!\s+(?:i|we)\s+(?:have|need|want)\s+to\b)", re.IGNORECASE)
_ELLIPSIS = re.compile(
    r"^(?:(?:and|but|so|ok(?:ay)?|now|well|then)[\s,]+)*(?:what|how)\s+(?:about|if|of)\b|^(?:same|likewise|ditto)\b|^(?:and|or|but)\s+(?:for|in|on|with|to|from|at|by|the|my)\b"
    r"|^(?:why|how|when|where|who|which|what)(?:\s+(?:not|so|come|exactly|else|then|though))?\s*[?.!]*$|^(?:how so|how come|why not|such as|like what|for example|e\.g\.)",
    re.IGNORECASE,
)
_ADDITIVE = re.compile(r"\b(?:too|as well|instead|besides|further|additional(?:ly)?|alternatives?|similar|related|respective(?:ly)?|both|neither|either|still|again|some more|any more)\b|\bmore\s*[?.!]*$", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:what|which|who|where|how|any(?:thing|one|body|where)?|some(?:thing|one|body|where)?|are there|is there|the|no)\s+(?:(?:are|is|about)\s+)?(?:the\s+)?(?:other|others|else|another)\b|^(?:another|others?)\b", re.IGNORECASE)
_CHOICE = re.compile(r"\b(?:both|either|neither)(?:\s+(?:of\s+(?:them|these|those)|one))?\b(?!\s+\w+\s+(?:and|or|nor)\b)|\b(?:the\s+two|each\s+of\s+(?:them|these))\b|^which\s+(?:of\s+(?:them|these|those|the\s+two)|is|has|are|costs?)\b", re.IGNORECASE)
_RECALLS = re.compile(
    r"\b(?:you|we|i)\s+(?:(?:just|already|previously|earlier|also|have|had|were|was|'ve)\s+){0,2}(?:said|mentioned|told|listed|described|explained|suggested|recommended|talked|referred|talking|discuss(?:ed|ing)|stated|noted|gave|asked)\b"
    r"|\b(?:mentioned|discussed|described|listed|said|stated|named)\s+(?:earlier|above|before|previously)\b|\b(?:aforementioned|(?:the|as)\s+above|the\s+(?:previous|earlier|former|latter))\b|\byour\s+(?:\w+\s+)?(?:answer|example|explanation|list|suggestion|recommendation|reply|response|last)s?\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"^(?:tell|give|show)\s+me\s+(?:some\s+)?more\b|^(?:more|go on|continue|elaborate|explain|expand|clarify|really|seriously|interesting|i\s+see)\b(?:\s+\w+){0,2}[.!?]*$"
    r"|^(?:can|could|would)\s+you\s+(?:please\s+)?(?:elaborate|explain|clarify|expand|be\s+more|give\s+(?:me\s+)?(?:an?\s+|some\s+)?(?:\w+\s+)?(?:examples?|more|details?)|summari[sz]e|repeat|rephrase|tell\s+me\s+more)(?:\s+(?:on|about))?(?:\s+(?:that|this|it|please|further|again|more|specific|detailed))*\s*[.!?]*$"
    r"|\bin\s+(?:more\s+)?(?:detail|other\s+words|simpler\s+terms)\b|^(?:any|some)\s+(?:\w+\s+)?(?:example|sample|tip|idea|suggestion|detail|advice|other)|^(?:and\s+)?(?:what(?:'s|\s+is|\s+are)|give\s+(?:me\s+)?)\s*(?:an?|some|the|another)?\s*(?:good\s+|other\s+)?examples?\b",
    re.IGNORECASE,
)
_PLEONASTIC = re.compile(
    r"\bit(?:'s|\s+is|\s+was|\s+be|\s+would\s+be)?\s+(?:\w+\s+){0,2}?(?:possible|important|better|best|necessary|safe|legal|ok|okay|easy|hard|difficult|good|bad|common|normal|required|true|worth|wise|advisable|allowed|feasible|cheaper|rude|smart|useful|likely|recommended|time|fair)\s+(?:\w+\s+){0,3}?(?:to|that|if|for|when)\b"
    r"|\b(?:does|did|will|would|can)\s+it\s+(?:take|cost|matter|make\s+sense|help)\s+(?:\w+\s+){0,2}?(?:to|if|that|when)\b|\bhow\s+(?:\w+\s+)?(?:does|is|was|would|will|long|much)\s+(?:\w+\s+)?it\s+(?:take|cost|like)?\s*(?:to|for)\b|\bit\s+(?:seems|appears|takes|costs|turns\s+out|rains?|snows?)\b",
    re.IGNORECASE,
)
_LISTED = r"(?:ones?|two|three|options?|items?|points?|choices?|methods?|ways?|types?|kinds?|steps?|reasons?|examples?|things?|suggestions?|tips?|approach(?:es)?|alternatives?|strateg(?:y|ies)|solutions?|categor(?:y|ies)|part|question|idea|plan|product|model)"
_PICKS = re.compile(
    rf"\b(?:the|that|your)\s+(?:very\s+)?(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|latter|former|1st|2nd|3rd|4th|5th)(?:\s+{_LISTED}\b|\s*(?:[?.!,;]|$)|\s+(?=(?:is|are|was|were|do|does|did|can|could|will|would|and|or|in|on|for|at|from|cost|work|mean|you|we)\b))"
    r"|(?:\b(?:option|number|no\.?|item|step|point|choice)\s*|#)(\d{1,2}|one|two|three|four|five)\b",
    re.IGNORECASE,
)
_SHORT_CONTENT = 2


def read_cue(message: str) -> Cue:
    """The first half of reading: what to analyse and embed is `.core`."""
    return split_cue(message)


def _marks(cue: Cue, analysis: Analysis) -> list[tuple[Mark, str]]:
    lead = cue.lead
    core = analysis.text[lead:2000]
    found: list[tuple[Mark, str]] = [*_references(analysis, lead)]
    for mark, pattern in (
        (Mark.ORDINAL, _PICKS),
        (Mark.RECALLS, _RECALLS),
        (Mark.ELLIPSIS, _ELLIPSIS),
        (Mark.COMMENT, _COMMENT),
        (Mark.CONTINUES, _CONTINUES),
        (Mark.OTHER, _OTHER),
        (Mark.CHOICE, _CHOICE),
        (Mark.ADDITIVE, _ADDITIVE),
    ):
        match = pattern.search(analysis.text[:2000] if mark is Mark.CONTINUES else core)
        if match:
            found.append((mark, match.group().strip()))
    if cue.kind is CueKind.CORRECTION or is_correction(analysis.text[:2000]):
        found.append((Mark.CORRECTION, cue.phrase or core[:40]))
    found.extend(_shape(analysis))
    found.extend(_definites(analysis))
    return found


def _shape(analysis: Analysis) -> list[tuple[Mark, str]]:
    keys = content_keys(analysis)
    verbs = [t for t in analysis.tokens if t.pos in {"VERB", "AUX"}]
    found: list[tuple[Mark, str]] = []
    if len(keys) <= _SHORT_CONTENT:
        found.append((Mark.SHORT, f"{len(keys)} content words"))
    if not verbs and len(keys) <= 3:
        found.append((Mark.VERBLESS, "no verb"))
    return found


def _references(analysis: Analysis, lead: int) -> list[tuple[Mark, str]]:
    """Pronouns and demonstratives that no earlier noun of the same message can explain."""
    found: list[tuple[Mark, str]] = []
    pleonastic = {m.start() for m in _PLEONASTIC.finditer(analysis.text[:2000])}
    for index, token in enumerate(analysis.tokens[:400]):
        mark = _reference(token, index, analysis, pleonastic)
        if mark and token.start >= lead and not _explained(index, token, analysis):
            found.append((mark, token.text))
    return found


def _reference(token: Token, index: int, analysis: Analysis, pleonastic: set[int]) -> Mark | None:
    word = token.lower
    if word in ONES and token.pos in {"NOUN", "PRON"}:
        return None if _counts(index, analysis) else Mark.ONES
    if word in PERSONAL and token.pos in {"PRON", "DET"}:
        near = any(start <= token.start <= start + 40 for start in pleonastic)
        return None if word == "it" and (token.dep == "expl" or near) else Mark.PRONOUN
    if word in DEMONSTRATIVE and token.dep not in {"mark", "advmod"} and token.tag not in {"WDT", "IN", "RB"}:
        governed = analysis.tokens[token.head]
        following = analysis.tokens[index + 1].lower if index + 1 < len(analysis.tokens) else ""
        deictic = token.pos == "DET" and governed.lower in DEICTIC_TIME
        return None if deictic or following in {"who", "whom", "whose", "that", "which"} else Mark.DEMONSTRATIVE
    if word in {"there", "here"} and token.dep != "expl" and token.pos == "ADV":
        greeted = index and analysis.tokens[index - 1].lower in {"hi", "hello", "hey"}
        return None if greeted else Mark.PLACE
    return None


def _counts(index: int, analysis: Analysis) -> bool:
    """"one" before a noun, or "no one": a number or a person, not a reference."""
    token = analysis.tokens[index]
    previous = analysis.tokens[index - 1].lower if index else ""
    return token.dep in {"nummod"} or previous in {"no", "every", "any", "some"}


def _explained(index: int, token: Token, analysis: Analysis) -> bool:
    """Whether a noun before the word, in this message, can be what it refers to."""
    word = token.lower
    governed = analysis.tokens[token.head]
    if word in DEMONSTRATIVE and token.pos == "DET":
        key = key_of(governed.text)
        return any(key_of(t.text) == key for t in analysis.tokens[:index] if t.pos in {"NOUN", "PROPN"})
    return any(_can_be_meant(t, i, index, analysis) for i, t in enumerate(analysis.tokens[:index]))


def _can_be_meant(noun: Token, position: int, index: int, analysis: Analysis) -> bool:
    """Whether a pronoun at `index` may refer to an earlier noun: not to a fellow argument of its own verb."""
    if noun.pos not in {"NOUN", "PROPN"} or noun.lower in QUESTION:
        return False
    if noun.dep in {"compound", "npadvmod"} or all(key in GENERIC_KEYS for key in normalise(noun.text)):
        return False
    pronoun = analysis.tokens[index]
    if pronoun.lower in DEMONSTRATIVE:
        return _sentence(position, analysis) != _sentence(index, analysis)
    if pronoun.dep == "poss" or pronoun.lower in {"its", "their", "his", "her"}:
        return pronoun.head != position and noun.head != index
    return _clause(position, analysis) != _clause(index, analysis)


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


def _definites(analysis: Analysis) -> list[tuple[Mark, str]]:
    """"the lender", "the outer portion": a definite noun that nothing in the message introduces or narrows down."""
    found: list[tuple[Mark, str]] = []
    for phrase in analysis.phrases:
        tokens = analysis.phrase_tokens(phrase)
        noun = analysis.tokens[phrase.head]
        if tokens[0].lower != "the" or noun.pos != "NOUN" or noun.lower in UNIQUE:
            continue
        narrowed = any(t.head == phrase.head and t.dep in {"prep", "relcl", "acl", "appos"} for t in analysis.tokens)
        special = any(t.tag in {"JJS", "RBS", "NNP", "NNPS", "CD"} for t in tokens)
        if not narrowed and not special and not _said_before(noun, phrase.first, analysis):
            found.append((Mark.DEFINITE, analysis.text[tokens[0].start : tokens[-1].end]))
    return found


def _said_before(noun: Token, index: int, analysis: Analysis) -> bool:
    key = key_of(noun.text)
    return any(key_of(token.text) == key for token in analysis.tokens[:index])


def _ordinals(analysis: Analysis) -> list[int]:
    found: list[int] = []
    for match in _PICKS.finditer(analysis.text[:2000]):
        word = (match.group(1) or match.group(2)).lower()
        number = ORDINALS.get(word) or NUMBERS.get(word) or (int(word) if word.isdigit() else 0)
        if number:
            found.append(number)
    return found
