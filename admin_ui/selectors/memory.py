"""Reading what a conversation keeps, as far as one reader of the console may see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from admin_ui.components.memory import (
    MemoryView,
    Passage,
    as_said,
    counts_of,
    fact_row,
    part_of,
    statuses_of,
)
from admin_ui.components.places import Places
from admin_ui.components.timeline import Timeline
from admin_ui.selectors.documents import CHUNKS_PER_PAGE
from conversations.domain.memory.values import Fact, Level
from conversations.models import Session
from conversations.selectors.memory import ledger_of, parts_of
from conversations.selectors.sight import Sight
from retrieval.models import Chunk


def memory_view(
    session: Session, sight: Sight, places: Places, drawn: Timeline, *, first: int, last: int
) -> MemoryView:
    """Summary and ledger, with the facts of turns `first` to `last` in full: three queries at most."""
    stored, ledger = parts_of(session.pk), ledger_of(session.pk)
    facts = [fact for fact in ledger if sight.fact(places.exchange(fact.turn).n, fact)]
    names, known = {fact.key: fact.entity for fact in facts}, statuses_of(drawn)
    parts = {
        level: tuple(
            part_of(part, places, known, names, seen=sight.part(places.exchange(part.last_turn).n, part))
            for part in stored
            if part.level is level
        )
        for level in Level
    }
    shown = [fact for fact in facts if first <= places.exchange(fact.turn).n <= last]
    passages = _passages(shown)
    return MemoryView(
        deep=parts[Level.DEEP],
        rolling=parts[Level.ROLLING],
        counts=counts_of(facts, places),
        rows=tuple(
            fact_row(
                fact, places, passages, carries_sealed=sight.carries_sealed(places.exchange(fact.turn).n)
            )
            for fact in shown
        ),
        facts=len(facts),
        corrected=sum(1 for fact in facts if fact.replaced_in),
        hidden=len(ledger) - len(facts),
        behind=session.last_exchange - session.memory_turn,
        as_said=as_said(stored, places),
    )


def _passages(facts: Sequence[Fact]) -> dict[str, Passage]:
    """The stored ones among what facts rest on, each with the page of its document's passages that lists it."""
    wanted = list(_ids(chunk for fact in facts for chunk in fact.chunks))
    if not wanted:
        return {}
    rows = Chunk.objects.filter(pk__in=wanted).values_list(
        "pk", "document_id", "document__title", "page", "ordinal"
    )
    return {
        str(pk): Passage(str(pk), str(document), title, page, ordinal // CHUNKS_PER_PAGE + 1)
        for pk, document, title, page, ordinal in rows
    }


def _ids(chunks: Iterable[str]) -> Iterator[UUID]:
    for chunk in set(chunks):
        try:
            yield UUID(chunk)
        except ValueError:
            continue
