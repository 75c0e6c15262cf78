"""One user message, read once: the announcing phrase, what remains, its words, and the marks of its form.

Marks say whether the wording leans on something outside the message; they say nothing of what that is.
Text that is not English is carried along whole, without terms and without marks.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from conversations.domain.cues import Cue, CueKind, split_cue
from conversations.domain.entities import content_keys, terms_of
from conversations.domain.headings import heading_of
from conversations.domain.language import Analysis
from conversations.domain.marks import LEANING, STRONG, Mark, picked_numbers, wording_marks
from conversations.domain.references import definites, of_heading, references
from conversations.domain.state import Term
from conversations.domain.stray_nouns import asks_with_do
from conversations.domain.torn_phrases import put_together
from conversations.domain.vectors import Vector
from conversations.domain.words import key_of


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A message as the rules see it. `vector` is the unit embedding of `core`, or None.

    `keys` are its words of content, `things` those of them that are no verbs. A message that does nothing but point
    at an earlier question has none of these, and no terms. `headed`: the message names its subject at its head, and its
    references mean that.
    """

    text: str
    core: str
    cue: Cue
    analysis: Analysis
    vector: Vector | None = None
    terms: tuple[Term, ...] = ()
    keys: frozenset[str] = frozenset()
    text_key: str = ""
    marks: tuple[tuple[Mark, str], ...] = ()
    ordinals: tuple[int, ...] = ()
    things: frozenset[str] = frozenset()
    headed: bool = False

    @classmethod
    def of(
        cls, cue: Cue, analysis: Analysis, vector: Vector | None = None, text: str | None = None
    ) -> Reading:
        """From a cut message and the analysis of its core."""
        number = analysis.language == "none" and cue.kind is CueKind.CORRECTION
        english, points = analysis.language == "en" or number, cue.place is not None and cue.place.only
        keys = content_keys(analysis) if english and not points else frozenset()
        said = text if text is not None else f"{cue.phrase} {cue.core}".strip()
        marks = tuple(_marks(cue, analysis)) if english else ()
        terms = terms_of(analysis) if english and not points else ()
        corrects = any(mark is Mark.CORRECTION for mark, _ in marks) and not points
        whole = put_together(terms, said, analysis, corrects)
        if whole != terms and all(mark is not Mark.VERBLESS for mark, _ in marks):
            marks = (*marks, (Mark.VERBLESS, "no verb"))
        return cls(
            text=said,
            core=cue.core,
            cue=cue,
            analysis=analysis,
            vector=vector,
            terms=whole,
            keys=keys,
            text_key=key_of(cue.core[:4000]),
            marks=marks,
            headed=english and _is_headed(cue, analysis),
            ordinals=tuple(picked_numbers(analysis)) if english else (),
            things=keys - _doings(analysis),
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


def read_cue(message: str) -> Cue:
    """The first half of reading: what to analyse and embed is `.core`."""
    return split_cue(message)


def _doings(analysis: Analysis) -> frozenset[str]:
    """Words that say what is done, or how much of it: "cost" and "how long" are shared by questions that have nothing
    else in common."""
    roots = {"ROOT"} if asks_with_do(analysis) else set()
    doing = [t.text for t in analysis.tokens if t.pos == "VERB" or t.dep in roots]
    doing += [t.text for how, t in itertools.pairwise(analysis.tokens) if how.lower == "how"]
    return frozenset(key_of(" ".join(doing)).split())


def _is_headed(cue: Cue, analysis: Analysis) -> bool:
    heading = heading_of(analysis, cue.lead)
    if heading is None or heading.open:
        return False
    return bool(of_heading(analysis, heading)) and not references(analysis, cue.lead, heading)


def _marks(cue: Cue, analysis: Analysis) -> list[tuple[Mark, str]]:
    return [
        *references(analysis, cue.lead, heading_of(analysis, cue.lead)),
        *wording_marks(cue, analysis),
        *definites(analysis),
    ]
