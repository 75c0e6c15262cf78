"""Which of the ranked pieces are quoted together, and with what beside them.

The best comes first; another joins when it adds words of the question or says nearly the same thing of it as
well, and each side of a comparison gets its own piece.
A sentence takes along the one that it leans on, and a list that was asked for is quoted whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from conversations.domain.answer.candidates import Candidate, Sought, lacks_a_name, leans_back
from conversations.domain.answer.orders import to_the_machine
from conversations.domain.answer.render import MAX_WORDS, Chosen
from conversations.domain.answer.terms import stems
from conversations.domain.answer.units import Unit, units
from conversations.domain.answer.values import Passage

_LIST_WORDS = 80
_PRECISE_PIECES = 2


def chosen(
    found: list[Candidate], passages: Sequence[Passage], wanted: Sought, named: frozenset[str], most: int
) -> list[Chosen]:
    """What to quote, best first, within the number of pieces and words of an answer."""
    picked: list[Chosen] = []
    for c in _kept(found, passages, wanted, named, most):
        group = _group(c, units(passages[c.passage].text), wanted)
        known = {(x.passage, p) for x in picked for p in x.positions}
        fresh = tuple(p for p in group if (c.passage, p) not in known)
        made = Chosen(c.passage, fresh, c.unit.text if c.unit.kind == "overview" else "")
        if not picked or (fresh and _length([*picked, made], passages) <= MAX_WORDS):
            picked.append(made)
    return picked


def _kept(
    found: list[Candidate], passages: Sequence[Passage], wanted: Sought, named: frozenset[str], most: int
) -> list[Candidate]:
    best = found[0]
    kept = [best, *_other_sides(found, wanted)] if most > 1 else [best]
    if best.unit.kind == "overview":
        return kept + _rest_of_table(found, best, passages)
    limit = min(most, _PRECISE_PIECES) if wanted.question.precise else most
    for candidate in found[1:]:
        if len(kept) < limit and _adds(candidate, kept, wanted, named):
            kept.append(candidate)
    return kept


def _rest_of_table(found: list[Candidate], best: Candidate, passages: Sequence[Passage]) -> list[Candidate]:
    """A long table is cut into several passages of one document; each adds its own rows."""
    document, (label, told) = passages[best.passage].document_id, _told(best)
    more = []
    for c in found[1:]:
        mine, names = _told(c) if c.unit.kind == "overview" else ("", set())
        if mine == label and passages[c.passage].document_id == document and not names & told:
            more.append(c)
            told = told | names
    return more


def _told(overview: Candidate) -> tuple[str, set[str]]:
    """The label of an overview and the names it lists."""
    label, _, names = overview.unit.text.partition(": ")
    return label, set(names.split(", "))


def _other_sides(found: list[Candidate], wanted: Sought) -> list[Candidate]:
    """For each thing that is compared and that the best piece is not about, the best one that is, in its likeness."""
    best, held = found[0], wanted.question.held
    more: list[Candidate] = []
    for side in wanted.question.sides:
        if any(side & wanted.terms <= c.subject for c in (best, *more)):
            continue
        fit = [
            c
            for c in found
            if side <= c.subject
            and c.coverage >= 0.6 * best.coverage
            and (held(c.unit.text) or not held(best.unit.text))
        ]
        if fit:
            more.append(max(fit, key=lambda c: c.score + _likeness(c, best)))
    return more


def _likeness(one: Candidate, other: Candidate) -> float:
    same_table = one.unit.kind == other.unit.kind == "row" and _headings(one.unit) == _headings(other.unit)
    same_row = same_table and one.unit.cells[0] == other.unit.cells[0]
    return 0.1 * (same_table + same_row + (one.unit.kind == other.unit.kind) + (one.section == other.section))


def _headings(unit: Unit) -> tuple[str, ...]:
    return tuple(heading for heading, _ in unit.cells)


def _adds(candidate: Candidate, kept: list[Candidate], wanted: Sought, named: frozenset[str]) -> bool:
    best = kept[0]
    if candidate.score < 0.72 * best.score or candidate.unit.kind == "overview":
        return False
    if any(_alike(candidate.own, k.own) for k in kept) or (
        lacks_a_name(candidate, wanted) and not lacks_a_name(best, wanted)
    ):
        return False
    held = frozenset().union(*(k.own for k in kept)) & wanted.terms
    news = (candidate.own & wanted.terms) - held
    lost = (best.own & wanted.terms) - candidate.own - candidate.near
    rival = bool(lost) and (candidate.unit.kind == "row" == best.unit.kind or not lost.isdisjoint(named))
    unfit = wanted.question.held(best.unit.text) and not wanted.question.held(candidate.unit.text)
    return not rival and not unfit and (bool(news) or candidate.score >= 0.9 * best.score)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Near-duplicates: three quarters of the content words of the shorter are in the other."""
    return len(one & other) >= 0.75 * max(1, min(len(one), len(other)))


def _group(candidate: Candidate, every: tuple[Unit, ...], wanted: Sought) -> tuple[int, ...]:
    """The piece with what it needs beside it: the sentence it leans on, or its whole short list when that was asked for."""
    unit, at = candidate.unit, candidate.positions[0]
    if unit.kind == "overview":
        return candidate.positions
    if unit.kind == "item" and _whole_list(candidate, wanted):
        siblings = tuple(i for i, u in enumerate(every) if u.block == unit.block)
        if sum(len(every[i].text.split()) for i in siblings) <= _LIST_WORDS:
            return siblings
    if leans_back(unit) and at > 0 and every[at - 1].block == unit.block:
        return (at,) if to_the_machine(every[at - 1].source) else (at - 1, at)
    return (at,)


def _whole_list(candidate: Candidate, wanted: Sought) -> bool:
    """Whether the question is about what the list is of, and not about this item."""
    unit, question = candidate.unit, wanted.question
    if question.steps and unit.source.lstrip()[:1].isdigit():
        return True
    title = stems(unit.lead) | stems(unit.about) | (candidate.near if question.lists else frozenset())
    return bool(title & wanted.terms) and (stems(unit.text) & wanted.terms) <= title


def _length(picked: list[Chosen], passages: Sequence[Passage]) -> int:
    return sum(_count(passages[c.passage], c) for c in picked)


def _count(passage: Passage, part: Chosen) -> int:
    if part.text:
        return len(part.text.split())
    every = units(passage.text)
    lead = every[part.positions[0]].lead if part.positions else ""
    return sum(len(every[p].text.split()) for p in part.positions) + len(lead.split())
