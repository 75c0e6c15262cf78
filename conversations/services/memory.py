"""Bringing what a session keeps beyond its state up to date: the fact ledger, and the summary of what is long ago.

It runs beside the conversation, from the archive, and may run late, twice or at the same time: the covered turn
decides, under the session's lock, whose work counts. No turn waits for it and none fails with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Protocol
from uuid import UUID

from django.db import transaction

from conversations.audits.scanning import scan
from conversations.domain.classify import Kind
from conversations.domain.language import Language
from conversations.domain.memory.correcting import corrected
from conversations.domain.memory.facts import facts_of
from conversations.domain.memory.ledger import record
from conversations.domain.memory.summary import needed_from, plan_parts, summarised
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.domain.state import Exchange
from conversations.models import LedgerFact, Session
from conversations.models import SummaryPart as StoredPart
from conversations.selectors.memory import (
    Finished,
    exchanges_between,
    ledger_of,
    parts_of,
    words_of,
)
from tenants.threads import in_thread

# So many turns are caught up between two commits.
BATCH = 20


class Summarizer(Protocol):
    """Writes the summary of a stretch of turns. `final`: no later turn will be added to the stretch."""

    async def part(
        self, exchanges: Sequence[Exchange], facts: Sequence[Fact] = (), *, final: bool = True
    ) -> SummaryPart: ...


@dataclass(frozen=True, slots=True)
class Due:
    """What memory has to catch up with: `finished` reaches back as far as the summary needs it."""

    covered: int
    upto: int
    finished: tuple[Finished, ...]
    facts: tuple[Fact, ...]
    parts: tuple[SummaryPart, ...]


async def memory_update(*, session_id: UUID, language: Language, summarizer: Summarizer) -> int:
    """Cover every finished exchange that memory does not know yet; returns how many turns were covered.

    Returns early when another process does the same at the same time, or the session was deleted meanwhile.
    """
    covered = 0
    while due := await in_thread(memory_due, session_id=session_id):
        facts = await asyncio.to_thread(_recorded, due, language)
        parts = corrected(await _summarised(due, facts, summarizer), facts)
        if not await in_thread(memory_store, session_id=session_id, due=due, facts=facts, parts=parts):
            break
        covered += due.upto - due.covered
    return covered


def memory_due(*, session_id: UUID) -> Due | None:
    """The next turns to cover, or None when memory is up to date."""
    session = Session.objects.filter(pk=session_id).values_list("memory_turn", "last_exchange").first()
    if session is None or session[0] >= session[1]:
        return None
    covered, upto = session[0], min(session[1], session[0] + BATCH)
    parts = parts_of(session_id)
    first = min(covered + 1, needed_from(parts))
    finished = exchanges_between(session_id=session_id, first=first, last=upto, traced_after=covered)
    return Due(covered, upto, finished, ledger_of(session_id), parts)


def _recorded(due: Due, language: Language) -> tuple[Fact, ...]:
    """The ledger after the turns that are due."""
    facts = due.facts
    for finished in due.finished:
        exchange = finished.exchange
        if exchange.turn <= due.covered:
            continue
        message, answer = language.analyse(exchange.message), language.analyse(exchange.answer)
        facts = record(
            facts,
            facts_of(exchange, message, answer),
            correction=exchange.kind == Kind.CORRECTION.value,
            turn=exchange.turn,
            replaced=finished.replaced,
        )
    return facts


async def _summarised(due: Due, facts: Sequence[Fact], summarizer: Summarizer) -> tuple[SummaryPart, ...]:
    """The parts after the turns that are due, turn by turn, so that catching up gives what keeping up gives."""
    parts = due.parts
    exchanges = [finished.exchange for finished in due.finished]
    for turn in range(due.covered + 1, due.upto + 1):
        known = [e for e in exchanges if needed_from(parts) <= e.turn <= turn]
        written = {
            (stretch.first_turn, stretch.last_turn): await summarizer.part(
                _within(known, stretch.first_turn, stretch.last_turn),
                [f for f in facts if stretch.first_turn <= f.turn <= stretch.last_turn],
                final=stretch.complete,
            )
            for stretch in plan_parts(parts, known, turn).rolling
        }
        parts = summarised(parts, known, turn, lambda some: written[some[0].turn, some[-1].turn])  # noqa: B023
    return parts


def _within(exchanges: Sequence[Exchange], first: int, last: int) -> list[Exchange]:
    return [exchange for exchange in exchanges if first <= exchange.turn <= last]


@transaction.atomic
def memory_store(*, session_id: UUID, due: Due, facts: Sequence[Fact], parts: Sequence[SummaryPart]) -> bool:
    """Store the ledger and the parts up to a turn, all or nothing. False when somebody else was faster."""
    mine = Session.objects.select_for_update().filter(pk=session_id, memory_turn=due.covered)
    if not mine.exists():
        return False
    _store_facts(session_id, due.facts, facts)
    _store_parts(session_id, due.parts, parts)
    Session.objects.filter(pk=session_id).update(memory_turn=due.upto)
    told, known = set(due.parts), set(due.facts)
    summary = " ".join(part.text for part in parts if part not in told)
    ledger = " ".join(fact.fact for fact in facts if fact not in known)
    scan({"summary": summary, "ledger": ledger}, session_id=session_id, turn=due.upto)
    return True


def _store_facts(session_id: UUID, before: Sequence[Fact], after: Sequence[Fact]) -> None:
    """Positions never move: a fact is changed in its place or added at the end (`ledger.record`)."""
    changed = [
        LedgerFact(session_id=session_id, position=position, words=sorted(_words(fact)), **_columns(fact))
        for position, fact in enumerate(after)
        if position >= len(before) or fact != before[position]
    ]
    columns = [field.name for field in fields(Fact)]
    LedgerFact.objects.bulk_create(
        changed,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["tenant", "session", "position"],
        update_fields=[*columns, "words"],
    )


def _words(fact: Fact) -> frozenset[str]:
    return words_of((fact.entity, fact.fact))


def _columns(fact: Fact) -> dict[str, object]:
    columns = {field.name: getattr(fact, field.name) for field in fields(fact)}
    return {**columns, "chunks": list(fact.chunks)}


def _store_parts(session_id: UUID, before: Sequence[SummaryPart], after: Sequence[SummaryPart]) -> None:
    """A new part takes the place of all that it covers."""
    stored = StoredPart.objects.filter(session_id=session_id)
    for part in set(before) - set(after):
        stored.filter(level=part.level, first_turn=part.first_turn).delete()
    StoredPart.objects.bulk_create(
        StoredPart(
            session_id=session_id,
            level=part.level,
            first_turn=part.first_turn,
            last_turn=part.last_turn,
            text=part.text,
            entities=list(part.entities),
            chunks=list(part.chunks),
            engine=part.engine,
        )
        for part in after
        if part not in before
    )
