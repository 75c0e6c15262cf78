"""What a conversation keeps beyond its last turns: the summary as bars over the turns, and the ledger as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from admin_ui.components.marks import Mark
from admin_ui.components.places import Place, Places
from admin_ui.components.timeline import Lane, Timeline
from conversations.domain.memory.blocks import Block, read_blocks
from conversations.domain.memory.values import Fact, Level, SummaryPart
from conversations.domain.words import contains_key, key_of

LEVELS: dict[Level, Mark] = {
    Level.ROLLING: Mark("rolling", "carry", "≡", "A stretch of turns in a few sentences."),
    Level.DEEP: Mark("deep", "plain", "≣", "Several stretches condensed into one."),
}
UNMARKED = Mark("named in it", "plain", "·")
OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a part names, with its status in the conversation now."""

    name: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the summary. `hidden` when it rests on what the reader may not see: then without text."""

    level: Mark
    first: Place
    last: Place
    blocks: tuple[Block, ...] = ()
    entities: tuple[Named, ...] = ()
    engine: str = OFFLINE
    hidden: bool = False

    @property
    def anchor(self) -> str:
        return f"part-{self.level.label}-{self.first.n}"

    @property
    def end(self) -> int:
        """The column after the last."""
        return self.last.column + 1

    @property
    def turns(self) -> str:
        one = self.first.n == self.last.n
        return f"turn {self.first.n}" if one else f"turns {self.first.n}–{self.last.n}"

    @property
    def gist(self) -> str:
        """What it is about in a line."""
        about = dict.fromkeys(name for block in self.blocks for name in block.about)
        if about:
            return ", ".join(about)
        return next((block.sentences[0] for block in self.blocks if block.sentences), "")

    @property
    def writer(self) -> str:
        return "the offline engine" if self.engine == OFFLINE else self.engine


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that a fact rests on, with the page of its document that holds it."""

    chunk: str
    document: str
    title: str
    page: int | None = None
    listed_on: int = 1


@dataclass(frozen=True, slots=True)
class FactRow:
    """A line of the ledger. `replaced` is the turn that corrected it; `lost` passages are no longer stored."""

    entity: str
    statement: tuple[str, str, str]
    value: str
    attribute: str
    kind: str
    place: Place
    by_user: bool
    replaced: Place | None = None
    passages: tuple[Passage, ...] = ()
    lost: int = 0


@dataclass(frozen=True, slots=True)
class FactCount:
    """How many facts one turn stated, and how many of them were corrected later."""

    place: Place
    n: int
    corrected: int

    @property
    def tip(self) -> str:
        corrected = f", {self.corrected} of them corrected later" if self.corrected else ""
        return f"Turn {self.place.n}: {self.n} fact{'' if self.n == 1 else 's'} kept word for word{corrected}"


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MemoryView:
    """Everything the template draws. `rows` are of the turns in view, the other figures of the whole conversation.

    `behind` counts exchanges that memory has yet to cover; `as_said` is the stretch that no part covers.
    """

    deep: tuple[Part, ...] = ()
    rolling: tuple[Part, ...] = ()
    counts: tuple[FactCount, ...] = ()
    rows: tuple[FactRow, ...] = ()
    facts: int = 0
    corrected: int = 0
    hidden: int = 0
    behind: int = 0
    as_said: Span | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(sorted((*self.deep, *self.rolling), key=lambda part: part.first.n))

    @property
    def empty(self) -> bool:
        return not (self.deep or self.rolling or self.facts or self.hidden)


def statuses_of(drawn: Timeline) -> dict[str, Named]:
    """Entities by their key, as the lanes show them after the last turn."""
    lanes: Iterable[Lane] = (*drawn.offered, *drawn.lanes)
    return {key_of(lane.name): Named(lane.name, lane.mark) for lane in lanes}


def part_of(
    part: SummaryPart, places: Places, known: Mapping[str, Named], names: Mapping[str, str], *, seen: bool
) -> Part:
    """`names` are those of entities without a lane, by key. What is not `seen` comes without text and names."""
    first, last = places.exchange(part.first_turn), places.exchange(part.last_turn)
    if not seen:
        return Part(LEVELS[part.level], first, last, hidden=True)
    entities = tuple(known.get(key) or Named(names.get(key, key), UNMARKED) for key in part.entities)
    ordered = tuple(sorted(entities, key=lambda named: named.mark is UNMARKED))
    return Part(LEVELS[part.level], first, last, read_blocks(part.text), ordered, part.engine)


def fact_row(fact: Fact, places: Places, passages: Mapping[str, Passage], *, carries_sealed: bool) -> FactRow:
    """`carries_sealed`: what the fact is about may be known from a hidden answer, unless the fact itself names it."""
    known = tuple(passages[chunk] for chunk in fact.chunks if chunk in passages)
    told = not carries_sealed or contains_key(key_of(fact.fact), fact.key)
    return FactRow(
        entity=fact.entity if told else "",
        statement=_around(fact.fact, fact.value),
        value=fact.value,
        attribute=fact.attribute if told else "",
        kind=fact.kind,
        place=places.exchange(fact.turn),
        by_user=fact.said_by == "user",
        replaced=places.exchange(fact.replaced_in) if fact.replaced_in else None,
        passages=known,
        lost=len(fact.chunks) - len(known),
    )


def counts_of(facts: Sequence[Fact], places: Places) -> tuple[FactCount, ...]:
    """By turn, in the order of the turns."""
    stated = Counter(fact.turn for fact in facts)
    corrected = Counter(fact.turn for fact in facts if fact.replaced_in)
    return tuple(FactCount(places.exchange(n), stated[n], corrected[n]) for n in sorted(stated))


def as_said(parts: Sequence[SummaryPart], places: Places) -> Span | None:
    """The columns after the last summarised turn: those turns are shown as they were said."""
    covered = max((part.last_turn for part in parts), default=0)
    start = places.exchange(covered).column + 1 if covered else 1
    return Span(start, len(places.turns) + 1) if start <= len(places.turns) else None


def _around(text: str, value: str) -> tuple[str, str, str]:
    """A statement cut around its value, for setting it off."""
    before, found, after = text.partition(value) if value else (text, "", "")
    return before, found, after
