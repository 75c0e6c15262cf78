"""The answer without a model: the best sentences of the best passages, each with its citation.

A sentence is good when it holds the words of the question, means nearly the same, and has a number where a
number was asked for; it is read together with its heading and the line before it.
When nothing is good enough the person is told so, and when the very name they asked for is in no passage,
that is said before the closest passage is quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from conversations.domain.answer.candidates import (
    Candidate,
    SentenceScores,
    Sought,
    akin,
    candidates,
    ranked,
    sought,
)
from conversations.domain.answer.missing import missing_value
from conversations.domain.answer.phrases import nearest, not_found
from conversations.domain.answer.question import CALENDAR, in_foreign_script
from conversations.domain.answer.render import MAX_SENTENCES, Chosen, rendered
from conversations.domain.answer.selection import chosen
from conversations.domain.answer.terms import names, stems
from conversations.domain.answer.units import units
from conversations.domain.answer.values import ExtractedAnswer, Passage

_REFERS = re.compile(r"\b(?:it|they|there|here)\b", re.IGNORECASE)
_SAMPLES, _SAMPLED = 3, 200


@dataclass(frozen=True, slots=True)
class Floors:
    """What a sentence must reach to count as an answer.

    `coverage`: share of the question's weighted words (0..1), which decides only where there are no cosines, or
    where they say nothing because the model does not know the script of the question (`latin_only`).
    `similarity`: cosine of sentence and question, enough on its own. `both` and `nearly_all`: (coverage, similarity)
    enough together, and what lies between them. `attribute_missing`: the similarity needed where no sentence names
    what is asked of a thing. `exists`: the similarity of the nearest sentence that names the thing, where the question
    is whether there is such a thing. `told`: the similarity that is enough for "you have 30 days" when asked how long one has.
    These are for all-MiniLM-L6-v2; another embedding model needs its own figures.
    """

    coverage: float = 0.5
    similarity: float = 0.62
    both: tuple[float, float] = (0.35, 0.5)
    nearly_all: tuple[float, float] = (0.8, 0.3)
    attribute_missing: float = 0.75
    told: float = 0.5
    exists: float = 0.45
    latin_only: bool = True

    def cleared(self, coverage: float, similarity: float | None) -> bool:
        if similarity is None:
            return coverage >= self.coverage
        return similarity >= self.similarity or similarity >= self._needed(coverage)

    def _needed(self, coverage: float) -> float:
        """The similarity that goes with a coverage: on the line from `both` to `nearly_all`."""
        (least, high), (most, low) = self.both, self.nearly_all
        if coverage < least:
            return math.inf
        return high + (low - high) * min(1.0, (coverage - least) / ((most - least) or 1))


def extract_answer(
    query: str,
    message: str,
    passages: Sequence[Passage],
    *,
    sentence_scores: SentenceScores | None = None,
    floors: Floors | None = None,
    known_names: Collection[str] = (),
    told: Sequence[str] = (),
) -> ExtractedAnswer:
    """Quotes 1 to 4 sentences (at most 90 words) that answer `query`, or says that nothing was found.

    `query` is the standalone query, `message` what the person typed (its language is answered in), `passages`
    come best first. `sentence_scores` gives the cosine of each text with the query for a short list of at most
    16 texts, in one call. `known_names` (the tenant's own) need not occur in a passage. `told` are the answers before.
    """
    floors = floors or Floors()
    if not passages:
        return ExtractedAnswer(not_found(message), (), confident=False)
    if floors.latin_only and in_foreign_script(query):
        sentence_scores = None
    wanted = sought(query, message, passages, known_names)
    found = ranked(candidates(query, passages, wanted), wanted, sentence_scores)
    lacking = missing_value(message, passages, known_names, query=query, told=told)
    missing = lacking.text if lacking else ""
    if lacking:
        found = _without_terms(found, wanted, lacking.terms)
    if not found or not _answers(found, wanted, floors):
        refused = not_found(message, missing, _sample(passages))
        return ExtractedAnswer(refused, (), confident=False, missing=missing)
    named = names(query) & wanted.terms
    picked = chosen(found, passages, wanted, named, 1 if missing else MAX_SENTENCES - 1)
    if missing:
        picked = [_with_the_one_before(part, passages) for part in picked]
    text, citations = rendered(picked, passages, wanted.terms)
    if missing:
        text = f"{not_found(message, missing)} {nearest(message, _heading(found[0]))}\n\n{text}"
    return ExtractedAnswer(text, citations, confident=not missing, missing=missing)


def _heading(candidate: Candidate) -> str:
    """Where a piece stands, when it does not say itself what it is about: "Open from 9 to 5" of which store?"""
    heading = candidate.section or candidate.title
    tells = names(candidate.unit.text) - CALENDAR or stems(heading) & candidate.own
    return "" if tells or candidate.unit.kind == "row" else heading


def _with_the_one_before(part: Chosen, passages: Sequence[Passage]) -> Chosen:
    """ "It is open from 9 to 13" with the sentence that tells what "it" is."""
    every, first = units(passages[part.passage].text), part.positions[0]
    unit, before = every[first], every[max(first - 1, 0)]
    refers = unit.kind == "sentence" and _REFERS.search(unit.text) and before.block == unit.block
    return replace(part, positions=(first - 1, *part.positions)) if refers and first else part


def _sample(passages: Sequence[Passage]) -> str:
    """Enough of the passages to tell their language by."""
    return "\n".join(passage.text[:_SAMPLED] for passage in passages[:_SAMPLES])


def _answers(found: Sequence[Candidate], wanted: Sought, floors: Floors) -> bool:
    best, question = found[0], wanted.question
    if question.named and not question.held(best.unit.text):
        return False
    attribute = question.attribute
    if attribute and not question.said(attribute) and not any(_is_about(c, attribute) for c in found):
        return best.similarity is not None and best.similarity >= floors.attribute_missing
    if best.similarity is not None and best.similarity >= floors.told and question.told(best.unit.text):
        return True
    return floors.cleared(best.coverage, best.similarity) and (
        not question.exists or _is_there(found, floors)
    )


def _is_there(found: Sequence[Candidate], floors: Floors) -> bool:
    """ "Car parks are free" says nothing to whoever asks for cars."""
    near = [c.similarity for c in found if c.similarity is not None and c.coverage >= floors.nearly_all[0]]
    return all(c.similarity is None for c in found) or max(near, default=0.0) >= floors.exists


def _is_about(candidate: Candidate, term: str) -> bool:
    return term in candidate.about or akin(term, candidate.about)


def _without_terms(found: list[Candidate], wanted: Sought, gone: Collection[str]) -> list[Candidate]:
    """Coverage as if the missing name had not been asked for."""
    left = sum(w for t, w in wanted.weights.items() if t not in gone)
    return (
        [replace(c, coverage=c.coverage * sum(wanted.weights.values()) / left) for c in found] if left else []
    )
