"""Every quotable piece of the passages, with how well it answers the question.

A piece is read together with its heading and the line before it: it counts how many of the question's words
are there, how rare they are, and whether it holds an amount where an amount was asked for.
Of things that are compared, each piece needs to be about one only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from conversations.domain.answer.orders import to_the_machine
from conversations.domain.answer.overview import overviews
from conversations.domain.answer.question import Question
from conversations.domain.answer.terms import content, names, stems, words
from conversations.domain.answer.units import Unit, units
from conversations.domain.answer.values import Passage

SentenceScores = Callable[[Sequence[str]], Sequence[float]]

MAX_PASSAGES, SHORTLIST = 8, 16
_MACHINE_WORDS = stems("ai llm assistant chatbot prompt injection jailbreak")
_LEANS_BACK = re.compile(
    r"(it|its|they|their|them|this|that|these|those|he|she|his|her|however|therefore|otherwise|then|such|both|(in|after|before|beyond|above|until|from) (this|that|these|then)( cases?)?)\b",
    re.I,
)
_SAYS_ENOUGH, _ADDED = 3, 0.4
_REFERS = re.compile(
    r"\b(it|its|they|them|their|there|that|this|these|those|he|she|his|her|him|one|ones)\b", re.I
)
_ABOUT_ANOTHER = 0.35
_HERE = re.compile(r"\bhere\b", re.I)
_LONG_LINE, _SMALL_WORDS_OF_PROSE = 14, 0.22
_ENUMERATES = re.compile(
    r"[^\s,;:]+(?: [^\s,;:]+){0,3}, (?!for example)[^,;:.]{2,70}(?:,? (?:and|or|und|et|y) |, )"
)


@dataclass(frozen=True, slots=True)
class Sought:
    """A question with the weight of each of its stems, and which of them are names."""

    question: Question
    weights: Mapping[str, float]
    names: frozenset[str] = frozenset()
    """Those of the stems that are names and stand in some passage."""

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(self.weights)

    def rivals(self) -> tuple[frozenset[str], ...]:
        """What a piece need not hold: for each side of a comparison the stems of the other sides."""
        sides = [side & self.terms for side in self.question.sides]
        everything = frozenset().union(*sides) if sides else frozenset()
        return (frozenset(), *(everything - side for side in sides if side))


@dataclass(frozen=True, slots=True)
class Candidate:
    """`own` are the stems of the piece itself, `near` those of its headings; `positions` of its units in the passage."""

    passage: int
    positions: tuple[int, ...]
    unit: Unit
    own: frozenset[str]
    near: frozenset[str]
    coverage: float
    score: float
    title: str = ""
    section: str = ""
    similarity: float | None = None

    @property
    def about(self) -> frozenset[str]:
        return self.own | self.near

    @property
    def subject(self) -> frozenset[str]:
        """What it is about rather than what it says: of a row its name and its headings."""
        if self.unit.kind != "row" or not self.unit.cells:
            return self.about
        told = " ".join((self.unit.cells[0][1], *(heading for heading, _ in self.unit.cells)))
        return stems(told) | self.near

    @property
    def readable(self) -> str:
        heading = ", ".join(part for part in dict.fromkeys((self.title, self.section)) if part)
        return f"{heading} {self.unit.about}: {self.unit.lead} {self.unit.text}".strip(": ")


def sought(
    query: str, message: str, passages: Sequence[Passage], known_names: Collection[str] = ()
) -> Sought:
    """Rare among the passages' sentences counts more, a name counts double."""
    known = frozenset().union(*map(stems, known_names)) if known_names else frozenset()
    asked = (stems(query) or stems(message)) - known or stems(query)
    named = names(query) | names(message) | _names_added(query, message)
    rows = [stems(u.text) for p in passages[:MAX_PASSAGES] for u in units(p.text)]
    frequency = Counter(term for row in rows for term in row & asked)
    question = Question.of(query, message)
    asked = frozenset(term for term in asked if not question.asks(term)) or asked
    typed = _typed(message, asked)
    weights = {
        term: _weight(frequency[term], len(rows), term in named) * (1.0 if term in typed else _ADDED)
        for term in asked
    }
    needed = named if _REFERS.search(message) else named & typed
    headed = frozenset().union(*(_frame(p) for p in passages[:MAX_PASSAGES]))
    return Sought(question, weights, needed & (frequency.keys() | headed))


def _frame(passage: Passage) -> frozenset[str]:
    return stems(" ".join((passage.title, *passage.heading_path)))


def _names_added(query: str, message: str) -> frozenset[str]:
    """Names that a rewrite put behind the message: "Is it open there? Leeds" begins no sentence with Leeds."""
    return names(f"… {query[len(message) :].strip()}") if query.startswith(message) else frozenset()


def _typed(message: str, asked: frozenset[str]) -> frozenset[str]:
    """The terms that count in full: all of a short message; of one that says enough itself only its own words.

    What a rewrite added to such a message is context, and context is not what is asked.
    """
    own = stems(message) & asked
    return own if len(own) >= _SAYS_ENOUGH else asked


def _weight(frequency: int, rows: int, named: bool) -> float:
    """Between 0.4 and 1.4 by rarity, twice that for a name. A plain word in no sentence may be just the person's way to ask."""
    if not frequency:
        return 2.4 if named else 0.8
    rarity = 0.4 + math.log((rows + 1) / (1 + frequency)) / math.log(rows + 1)
    return rarity * (2.0 if named else 1.0)


def candidates(query: str, passages: Sequence[Passage], wanted: Sought) -> list[Candidate]:
    """Everything that may be quoted, in the order of the passages. Orders to a machine may not, unless asked about."""
    about_machines = bool(stems(query) & _MACHINE_WORDS) and not to_the_machine(query)
    found = []
    for index, passage in enumerate(passages[:MAX_PASSAGES]):
        frame = _frame(passage)
        section = passage.heading_path[-1] if passage.heading_path else ""
        every = units(passage.text)
        for positions, unit in (
            *(((n,), u) for n, u in enumerate(every)),
            *overviews(passage, wanted.question),
        ):
            before = every[positions[0] - 1] if positions[0] and unit.kind != "overview" else None
            if about_machines or not to_the_machine(unit.source):
                made = _candidate(index, positions, unit, before, frame, wanted)
                found.append(replace(made, title=passage.title, section=section))
    return _all_named(found, wanted)


def _all_named(found: list[Candidate], wanted: Sought) -> list[Candidate]:
    """Where one piece is about every name of the question, pieces that lack one are about something else.

    "Here" is what the page is about, so such a piece is about something else in any case.
    """
    lacking = [lacks_a_name(c, wanted) for c in found]
    found = [
        replace(c, score=c.score - _ABOUT_ANOTHER) if lacks and _HERE.search(c.unit.text) else c
        for c, lacks in zip(found, lacking, strict=True)
    ]
    if all(lacking) or not any(lacking):
        return found
    return [
        replace(c, score=c.score - _ABOUT_ANOTHER) if lacks else c
        for c, lacks in zip(found, lacking, strict=True)
    ]


def lacks_a_name(candidate: Candidate, wanted: Sought) -> bool:
    """Whether a piece, its headings included, is without a name of the question: it is about something else."""
    return not any(wanted.names - rivals <= candidate.about for rivals in wanted.rivals())


def leans_back(unit: Unit) -> bool:
    """Whether a sentence needs the one before it to be understood."""
    return unit.kind == "sentence" and bool(_LEANS_BACK.match(unit.text))


def _candidate(
    index: int,
    positions: tuple[int, ...],
    unit: Unit,
    before: Unit | None,
    frame: frozenset[str],
    wanted: Sought,
) -> Candidate:
    own = stems(f"{unit.lead} {unit.text} {' '.join(heading for heading, _ in unit.cells)}")
    near = stems(unit.about) | frame
    earlier = stems(before.text) if before and before.block == unit.block else frozenset()
    share = _share_of_earlier(unit, before)
    held = wanted.question.held(unit.text)
    reach = {t: _reach(t, own, near, earlier, share, held, wanted.question) for t in wanted.weights}
    coverage = max(_covered(reach, wanted.weights, rivals) for rivals in wanted.rivals())
    score = coverage + 0.12 / (1 + 0.3 * index) + _fitness(unit, own | near, wanted)
    return Candidate(index, positions, unit, own, near, coverage, score)


def _covered(reach: Mapping[str, float], weights: Mapping[str, float], without: Collection[str]) -> float:
    """The share of the weights that is reached, as if the terms `without` had not been asked for."""
    total = sum(w for t, w in weights.items() if t not in without)
    return sum(w * reach[t] for t, w in weights.items() if t not in without) / (total or 1)


def _share_of_earlier(unit: Unit, before: Unit | None) -> float:
    """What the words of the sentence before count here: much after a question and for a pronoun, else little."""
    if before and before.text.endswith("?"):
        return 0.8
    return 0.7 if _LEANS_BACK.match(unit.text) else 0.35


def _reach(
    term: str,
    own: frozenset[str],
    near: frozenset[str],
    earlier: frozenset[str],
    earlier_share: float,
    held: bool,
    question: Question,
) -> float:
    if term in own or akin(term, own) or (question.said(term) and held and not question.named):
        return 1.0
    if question.kin(term, own):
        return 0.8
    return 0.6 if term in near or akin(term, near) else earlier_share if term in earlier else 0.0


def akin(term: str, others: frozenset[str]) -> bool:
    """encrypt / encryption: one stem begins the other, and six letters at least are shared."""
    if len(term) < 6 or not term.isalpha():
        return False
    return any(o[:6] == term[:6] and (o.startswith(term) or term.startswith(o)) for o in others)


def _fitness(unit: Unit, there: frozenset[str], wanted: Sought) -> float:
    length = len(unit.text.split())
    value = -0.3 if unit.text.endswith("?") else 0.0
    value -= 0.1 if length < 3 or (length > 45 and unit.kind != "overview") else 0.0
    value -= 0.1 if unit.kind == "sentence" and _run_together(unit.text) else 0.0
    value -= 0.05 if _LEANS_BACK.match(unit.text) else 0.0
    return (
        value
        + wanted.question.fits(unit.text)
        + _listing(unit, there, wanted.question)
        + _row_meant(unit, wanted)
    )


def _run_together(text: str) -> bool:
    """Cells of a table that a converter wrote as one line: prose of that length has small words."""
    told = words(text)
    return len(told) >= _LONG_LINE and sum(not content(w) for w in told) < _SMALL_WORDS_OF_PROSE * len(told)


def _row_meant(unit: Unit, wanted: Sought) -> float:
    """A row is meant when its name says nothing beyond the question: "Requests" rather than "Range of one request"."""
    name = stems(unit.cells[0][1]) if unit.kind == "row" and unit.cells else frozenset()
    return 0.1 * len(name & wanted.terms) / len(name) if name else 0.0


def _listing(unit: Unit, there: frozenset[str], question: Question) -> float:
    """Where a list is asked for, an enumeration answers better than one fact."""
    if not question.lists or not question.listed <= there:
        return 0.0
    if unit.kind == "overview":
        return 0.3
    if unit.kind == "item" and question.listed <= stems(unit.lead):
        return 0.1
    return 0.1 if _ENUMERATES.search(unit.text) else -0.2


def ranked(found: list[Candidate], wanted: Sought, sentence_scores: SentenceScores | None) -> list[Candidate]:
    """Best first. The embedding is asked about a short list only: the best of every passage and side, then overall."""
    found = sorted(found, key=lambda c: -c.score)
    if sentence_scores is None or not found:
        return found
    heads = [c for p in range(4) for c in [c for c in found if c.passage == p][:2]]
    sides = [c for side in wanted.question.sides for c in [c for c in found if side <= c.subject][:4]]
    short = list(dict.fromkeys([*heads, *sides, *found]))[:SHORTLIST]
    cosines = sentence_scores([c.readable for c in short])
    scored = [
        replace(c, similarity=float(s), score=0.55 * c.score + 0.6 * float(s))
        for c, s in zip(short, cosines, strict=True)
    ]
    return sorted(scored, key=lambda c: -c.score)
