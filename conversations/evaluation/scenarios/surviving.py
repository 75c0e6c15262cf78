"""Whether what was said survives in the summary and the ledger: the key facts, and every number, name and decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conversations.domain.language import Analysis
from conversations.domain.memory.blocks import read_blocks
from conversations.domain.memory.items import Item
from conversations.domain.memory.survival import lost, survival
from conversations.domain.memory.values import Memory
from conversations.domain.state import Exchange
from conversations.domain.window import Background
from conversations.evaluation.scenarios.held import HeldTurn
from conversations.evaluation.scenarios.judging import holds_all
from conversations.evaluation.scenarios.script import KeyFact


@dataclass(frozen=True, slots=True)
class Kept:
    """A key fact after the session. `where` are the statements that hold it, `outdated` those that show an old value
    as if it still held.
    """

    fact: KeyFact
    where: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return bool(self.where) and not self.outdated


@dataclass(frozen=True, slots=True)
class Survival:
    """What of a session survives: `facts` one by one, and the share of all items of its `covered` turns.

    `gone` are items of those turns that neither summary nor ledger holds.
    """

    covered: int
    facts: tuple[Kept, ...]
    items: float
    gone: tuple[Item, ...] = ()

    @property
    def key_facts(self) -> float:
        return sum(fact.ok for fact in self.facts) / len(self.facts) if self.facts else 1.0

    @property
    def share(self) -> float:
        """The lower of the two: neither a fact nor a number may go missing behind an average."""
        return round(min(self.key_facts, self.items), 4)


def survived(
    facts: Sequence[KeyFact],
    memory: Memory,
    exchanges: Sequence[Exchange],
    analyse: Callable[[str], Analysis] | None = None,
) -> Survival:
    """What of the turns that the summary covers is left, and the key facts, whenever they were said."""
    covered = [exchange for exchange in exchanges if exchange.turn <= memory.covered]
    return Survival(
        covered=memory.covered,
        facts=kept(facts, memory),
        items=survival(covered, memory.parts, memory.facts, analyse),
        gone=lost(covered, memory.parts, memory.facts, analyse),
    )


def kept(facts: Sequence[KeyFact], memory: Memory) -> tuple[Kept, ...]:
    """The key facts, looked for in what a turn could be shown: summary sentences, and facts that hold."""
    said = statements(memory)
    return tuple(
        Kept(
            fact,
            tuple(text for text in said if holds_all(text, fact.words)),
            tuple(text for text in said if _outdated(text, fact)),
        )
        for fact in facts
    )


def statements(memory: Memory) -> tuple[str, ...]:
    """Every statement of the summary (a heading is one) and every fact of the ledger that holds."""
    told = [text for part in memory.parts for text in _sentences(part.text)]
    told += [f"{fact.entity}: {fact.fact}" for fact in memory.facts if fact.holds]
    return tuple(dict.fromkeys(told))


def outdated_shown(facts: Iterable[KeyFact], turns: Iterable[HeldTurn]) -> list[tuple[int, bool]]:
    """(turn, whether it was shown an old value as if it held) for every turn after a correction that saw memory."""
    corrections = [fact for fact in facts if fact.corrects]
    return [
        (turn.n, any(_outdated(text, fact) for fact in known for text in _shown(turn.background)))
        for turn in turns
        if (known := [fact for fact in corrections if fact.turn < turn.n]) and any(_shown(turn.background))
    ]


def _shown(background: Background) -> tuple[str, ...]:
    return (*_sentences(background.summary), *background.facts)


def _sentences(summary: str) -> list[str]:
    return [text for block in read_blocks(summary) for text in _texts(block.about, block.sentences)]


def _texts(about: Sequence[str], sentences: Sequence[str]) -> Iterable[str]:
    return (", ".join(about), *sentences) if about else sentences


def _outdated(text: str, fact: KeyFact) -> bool:
    return bool(fact.outdated) and holds_all(text, fact.outdated) and not holds_all(text, fact.words)
