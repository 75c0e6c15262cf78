"""Finds the value of a question that no passage holds: a place, a plan, a version that the documents say nothing of.

A name that was typed as one is missing when no passage has it. Without a capital the documents must show that another
value stands in its place: "in Dublin" for "in cork", "the Team plan" for "the enterprise plan", "version 4.2" for
"version 5". When in doubt nothing is called missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from conversations.domain.answer.candidates import akin
from conversations.domain.answer.phrases import message_language, not_found
from conversations.domain.answer.question import CALENDAR
from conversations.domain.answer.terms import content, names, stem, stems, words
from conversations.domain.answer.units import sentences, units
from conversations.domain.answer.values import Passage
from conversations.domain.spelling import is_slip

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SENTENCE_END, _CLAUSE_END = re.compile(r"(?<=[.!?])\s+"), re.compile(r"(?<=[;,])\s+")
# "We live in Ohio": what people tell of themselves is not asked for.
_OF_THEMSELVES = re.compile(r"^\W*(?:(?:and|so|but|since|as|because|when|if)\s+)?(?:i|we|my|our|i['’]m|we['’]re|you)\b", re.I)  # fmt: skip
_SHORTEST, _ROWS = 4, 2
# "How much is delivery to portugal?": the value ends its phrase.
_PLACED = re.compile(
    r"\b(?=(?P<before>[\w'’-]+)\s+(?P<prep>in|at|near|from|on|to|for)\s+(?:the\s+)?"
    r"(?P<value>(?:[a-z][a-z'’-]{2,}\s+)?[a-z][a-z'’-]{3,})(?=\s*(?:[^\w\s]|$)|\s+(?P<after>\w+)))"
)
_POINTS = re.compile(r"\b(?:there|it|its|they|their)\b", re.IGNORECASE)
# What follows these may as well be a verb or a purpose, so the documents must have the same word before the name.
_OPEN = frozenset({"to", "for"})
_SENDING = stems(
    "deliver delivery delivers ship shipping shipment send sending post postage dispatch parcels orders"
)
_SET_PHRASES = frozenset(
    "advance bulk person stock full general total detail writing cash case time store shop work school home bed abroad scratch sale credit "
    "request demand foot board paper average place order line theory practice principle addition particular public private hand touch "
    "effect force need trouble doubt short long least most last first once present moment start beginning middle hospital holiday vacation "
    "duty call leave account balance future past meantime return exchange town country world area region city office online "
    "example instance free good sure ever instead later next today tomorrow tonight yesterday morning afternoon evening night noon midnight "
    "weekend summer winter spring autumn".split()
)
_QUALITIES = frozenset(
    "another fastest slowest strongest safest latest newest oldest lightest hardest softest warmest coldest shortest new old own best better worst free current other same next last previous first second third fourth fifth sixth seventh eighth ninth tenth different cheap cheaper cheapest whole "
    "entire main right wrong correct small smaller smallest large larger largest big bigger biggest long longer short shorter good great "
    "normal usual regular special certain particular extra additional specific actual local nearby nearest closest lower lowest higher "
    "highest upper default exact full half single double joint final early late simple easy basic common general total minimum maximum".split()
)
_SAID_OF_QUALITY = tuple("able ible ive ous ful less ing ed ly iest ish ary ical".split())
# "The Team plan", and not "Norway costs".
_WITH_KIND = re.compile(
    r"\b(?i:the|an?|our|your|each|every)\s+(?=(?P<name>[A-ZÀ-Þ][\w'’-]*)\s+(?P<kind>[^\W\d_]+))"
)
_VERBS = frozenset(
    "cost take have need work open close get include support run start end begin offer pay come go use".split()
)
_INDEFINITE = frozenset(
    "a an my your our his her their its any which what each every no some other another how much many more this that these those".split()
)
_NUMBERED = re.compile(r"\b(?P<noun>[^\W\d_]{3,})\s+(?P<number>v?\d+(?:\.\d+)*)\b(?![.,:]?\d|\s*[%€$£:/-])", re.IGNORECASE)  # fmt: skip
# "From version 4.2 on", "version 4.2 or later", "levels 1 to 6": others are meant as well.
_BOUND_BEFORE = re.compile(
    r"\b(?:from|since|until|up\s+to|at\s+least|at\s+most|before|after|over|under|between|to|all|any|every|each)\s+(?:the\s+)?$",
    re.I,
)
_BOUND_AFTER = re.compile(
    r"^\s*(?:[-–—+]|(?:or|and|to|through)\s+(?:\d|later|newer|above|higher|older|earlier|up|below|lower|more|on)\b|on(?:wards)?\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Missing:
    """What no passage holds, as to be said and searched for, and its stems among those of the question."""

    text: str
    terms: frozenset[str]


def missing_value(
    message: str,
    passages: Sequence[Passage],
    known_names: Collection[str] = (),
    *,
    query: str = "",
    told: Sequence[str] = (),
) -> Missing | None:
    """The value that the part of the message that asks names and no passage holds, None where there is none.

    `told` are earlier answers: what one of them called missing still is where the query carries it on.
    """
    asked, held = asked_part(message), _held(passages, known_names)
    return (
        _typed_name(asked, held)
        or _still_missing(message, query, held, told)
        or (_variant(asked, passages, held) if message_language(asked) == "en" else None)
    )


def asked_part(message: str) -> str:
    """The sentences of a message that ask. What people tell of themselves ("We are Acme.") is not looked for."""
    said = [sentence for line in message.splitlines() for sentence in sentences(line)]
    asking = [sentence for sentence in said if sentence.rstrip().endswith(("?", "？", "؟"))]
    return " ".join(asking) if asking and len(asking) < len(said) else message


def _held(passages: Sequence[Passage], known_names: Collection[str]) -> frozenset[str]:
    held = frozenset().union(*(stems(" ".join((p.text, p.title, *p.heading_path))) for p in passages))
    return held | frozenset().union(*map(stems, known_names)) if known_names else held


def _typed_name(message: str, held: frozenset[str]) -> Missing | None:
    """A name by its capital; none where capitals say nothing."""
    typed = [w for w in words(message) if w[0].isalpha()]
    inner = [w for w in typed[1:] if w != "I"]
    capitals = sum(w[0].isupper() for w in inner)
    if message_language(message) == "de" or (len(inner) > 2 and capitals * 2 > len(inner)):
        return None
    absent = {n for n in names(message) - held - CALENDAR if not akin(n, held)}
    bare = (re.sub(r"['’]s$", "", w) for w in typed)
    name = next((w for w in bare if stem(w) in absent and not (w.isupper() and w.isalpha())), "")
    return Missing(name, frozenset({stem(name)})) if name else None


def _still_missing(message: str, query: str, held: frozenset[str], told: Sequence[str]) -> Missing | None:
    """What an earlier answer called missing, where the message names it again, or only points at it."""
    refused = " | ".join(told).casefold()
    points = not stems(message) - CALENDAR or (_POINTS.search(message) and not _PLACED.search(message))
    for word in words(f"{message} {query}" if points else message):
        lacks = stem(word) not in held and content(word)
        if lacks and not_found(message, word).casefold() in refused:
            return Missing(word, frozenset({stem(word)}))
    return None


def _variant(message: str, passages: Sequence[Passage], held: frozenset[str]) -> Missing | None:
    finders = (_placed, _before_its_kind, _numbered)
    said = _SENTENCE_END.split(message)
    asking = [sentence for sentence in said if sentence.rstrip().endswith("?")] or said
    parts = [p for sentence in asking for p in _CLAUSE_END.split(sentence) if not _OF_THEMSELVES.match(p)]
    return next(
        (found for part in parts for finder in finders for found in finder(part, passages, held)), None
    )


def _placed(message: str, passages: Sequence[Passage], held: frozenset[str]) -> Iterator[Missing]:
    """ "in cork", where a sentence about the same thing has "in Dublin", or rows of a table are about one name each."""
    for match in _PLACED.finditer(message):
        value = match["value"].split()
        if match["after"] and content(match["after"]):
            continue
        if _is_known(value[-1], held) or any(
            stem(w) in held or w in _QUALITIES or not content(w) for w in value
        ):
            continue
        if value[-1] in _SET_PHRASES or value[-1].endswith(("ing", "ly")) or _in_plural(value[-1]):
            continue
        gone = stems(" ".join(value))
        if _others_in_place(match["before"], match["prep"], stems(message) - gone, passages):
            yield Missing(" ".join(value), gone)


def _others_in_place(before: str, prep: str, about: frozenset[str], passages: Sequence[Passage]) -> bool:
    head = rf"(?P<before>[\w'’-]+)\s+{prep}\s+(?:the\s+)?(?P<name>[A-ZÀ-Þ][\w'’-]+)"
    about = about | _SENDING if stem(before) in _SENDING else about
    rows: set[str] = set()
    for passage in passages:
        for unit in units(passage.text):
            if not stems(f"{unit.about} {unit.text}") & about:
                continue
            for match in re.finditer(head, unit.text):
                heads = {stem(match["before"]), stem(before)}
                same = prep not in _OPEN or len(heads) == 1 or heads <= _SENDING
                if same and stem(match["name"]) not in CALENDAR:
                    return True
            if unit.kind == "row" and unit.cells and unit.cells[0][1][:1].isupper():
                rows.add(unit.cells[0][1])
    return prep not in _OPEN and len(rows) >= _ROWS


def _before_its_kind(message: str, passages: Sequence[Passage], held: frozenset[str]) -> Iterator[Missing]:
    """ "the enterprise plan", where the passages have "the Team plan" and "the Starter plan"."""
    typed = [match[0] for match in _WORD.finditer(message)]
    for at, (word, kind) in enumerate(pairwise(typed)):
        before = typed[at - 1].casefold() if at else ""
        if before in _INDEFINITE or _is_known(word, held) or _is_quality(word) or not content(kind):
            continue
        others = {name for p in passages for name, of in _names_with_kind(p) if of == stem(kind)}
        told = kind.casefold() not in _VERBS and not _in_plural(kind.casefold())
        if told and len(others) >= _ROWS:
            yield Missing(word, frozenset({stem(word)}))


def _names_with_kind(passage: Passage) -> Iterator[tuple[str, str]]:
    """("team", "plan") of "on the Team plan": a capital inside a sentence with the small word behind it, or a row's name."""
    for unit in units(passage.text):
        if unit.kind == "row" and unit.cells and unit.cells[0][1][:1].isupper():
            yield stem(unit.cells[0][1]), stem(unit.cells[0][0])
        named = names(unit.text) - CALENDAR
        for match in _WITH_KIND.finditer(unit.text):
            if stem(match["name"]) in named:
                yield stem(match["name"]), stem(match["kind"])


def _numbered(message: str, passages: Sequence[Passage], held: frozenset[str]) -> Iterator[Missing]:
    """ "version 5.0", where the passages have a version of another number and no range that may hold it."""
    for match in _NUMBERED.finditer(message):
        noun, number = stem(match["noun"]), match["number"].lower()
        if not content(match["noun"]) or stem(number) in held or noun not in held:
            continue
        told = [(u.text, m) for p in passages for u in units(p.text) for m in _NUMBERED.finditer(u.text)]
        same = [(text, m) for text, m in told if stem(m["noun"]) == noun]
        if same and not any(_bounded(text, m) for text, m in same):
            yield Missing(f"{match['noun']} {number}", frozenset({stem(number)}))


def _bounded(text: str, match: re.Match[str]) -> bool:
    return bool(_BOUND_BEFORE.search(text[: match.start()]) or _BOUND_AFTER.search(text[match.end() :]))


def _is_known(word: str, held: frozenset[str]) -> bool:
    """Whether a word is in a passage, in another form or misspelt, or too short or common to tell."""
    own = stem(_plain(word))
    held = held | frozenset(_plain(other) for other in held if not other.isascii())
    short = len(word) < _SHORTEST or not content(word) or own in CALENDAR or word.isupper()
    return short or own in held or akin(own, held) or any(is_slip(own, other) for other in held)


def _plain(word: str) -> str:
    """Without accents: a cafe is a café."""
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


def _is_quality(word: str) -> bool:
    lower = word.casefold()
    return (
        lower in _QUALITIES or lower in _SET_PHRASES or lower.endswith(_SAID_OF_QUALITY) or _in_plural(lower)
    )


def _in_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))
