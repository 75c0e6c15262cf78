"""Whether a turn did what a careful person would have done: the right query, nothing of what was left, the right passage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conversations.evaluation.matching import contains_term
from conversations.evaluation.metrics import matches
from conversations.evaluation.running import Found
from conversations.evaluation.scenarios.script import Expectation


@dataclass(frozen=True, slots=True)
class Judgement:
    """`missing` are required terms that the query lacks, `unwanted` forbidden ones in anything searched.

    `found` is the share of the gold passages among those that the turn was given, None where no gold is named.
    """

    missing: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    found: float | None = None

    @property
    def understood(self) -> bool:
        """The query says what it has to and nothing that it must not."""
        return not self.missing and not self.unwanted

    @property
    def ok(self) -> bool:
        """Understood, and at least one of the gold passages came back."""
        return self.understood and self.found != 0


def judged(expected: Expectation, query: str, searched: Sequence[str], found: Sequence[Found]) -> Judgement:
    """`searched` are all texts that went to retrieval, `query` the one that people are shown."""
    texts = (query, *searched)
    return Judgement(
        missing=tuple(term for term in expected.required if not holds_any(query, term)),
        unwanted=tuple(term for term in expected.forbidden if any(holds_any(text, term) for text in texts)),
        found=recall(expected.gold, found),
    )


def recall(gold: Sequence[str], found: Sequence[Found]) -> float | None:
    """The share of gold references that some passage answers to, None without gold."""
    if not gold:
        return None
    return sum(any(matches(reference, passage) for passage in found) for reference in gold) / len(gold)


def holds_any(text: str, term: str) -> bool:
    """Whether one of the alternatives of a term ("fee|cost") stands in the text."""
    return any(contains_term(text, choice) for choice in term.split("|"))


def holds_all(text: str, terms: Iterable[str]) -> bool:
    return all(holds_any(text, term) for term in terms)
