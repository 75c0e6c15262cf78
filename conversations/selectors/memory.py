"""Reading what a session keeps beyond its state: archive, summary and ledger."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.db.models.fields.json import KeyTransform

from conversations import models
from conversations.domain.memory.values import Fact, Level, Memory, SummaryPart
from conversations.domain.remember import MESSAGE_CHARACTERS
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.vectors import Vector, cosine, unpack
from conversations.domain.words import STOP_KEYS, contains_key, key_of
from kernel.clock import now
from tenants.postgres.statements import Asked, Statement, answers

# So many exchanges come back from the archive at most.
RECALLED = 6
# A turn loads so many facts at most: those that share a word with it or are the user's own, the newest first.
FACTS_LOADED = 120
# A fact that was corrected within so many turns is loaded too: the correction note tells of it.
RECENTLY = 3
_FACT = tuple(field.name for field in fields(Fact))
_FACTS, _PARTS = (Statement.named("conversations", name) for name in ("memory_facts", "memory_parts"))

# Memory work that was queued after a turn has this long before the sweep queues it again.
PATIENCE = timedelta(seconds=30)


def exchanges_naming(*, session_id: UUID, keys: Collection[str], before: int) -> tuple[Exchange, ...]:
    """The newest exchanges of turns under `before` that are about one of the entity keys, newest first."""
    rows = _before(session_id, before).order_by("-n").values_list("n", "keys")
    about = [n for n, own in rows if any(contains_key(held, key) for held in own for key in keys)]
    return _of_turns(session_id, about[:RECALLED])


def exchanges_nearest(*, session_id: UUID, vector: Vector | None, before: int) -> tuple[Exchange, ...]:
    """The exchanges of turns under `before` whose query is nearest in meaning, newest first."""
    rows = _before(session_id, before).values_list("n", "vector")
    told = [(cosine(vector, unpack(bytes(packed))), n) for n, packed in rows]
    nearest = [n for score, n in sorted(told, reverse=True)[:RECALLED] if score > 0]
    return _of_turns(session_id, nearest)


def exchanges_opening(*, session_id: UUID, count: int) -> tuple[Exchange, ...]:
    """The first `count` exchanges of the session, newest first."""
    return _of_turns(session_id, range(1, count + 1))


def _before(session_id: UUID, turn: int) -> QuerySet[models.ArchivedExchange]:
    return models.ArchivedExchange.objects.filter(session_id=session_id, n__lt=turn)


def _of_turns(session_id: UUID, turns: Sequence[int]) -> tuple[Exchange, ...]:
    """These exchanges in full, newest first."""
    if not turns:
        return ()
    rows = models.ArchivedExchange.objects.filter(session_id=session_id, n__in=turns).order_by("-n")
    return _exchanges(rows.values_list("data", flat=True))


def memory_of(*, session_id: UUID, keys: Iterable[str] = ()) -> Memory:
    """What a turn may draw on: the current parts, and of the ledger the facts that can matter to it.

    `keys` are texts or keys of entities (`words.key_of`): the message, what is open in the session. A fact comes
    along when it shares a content word with them or is the user's own statement, the newest first, `FACTS_LOADED` at
    most. Without `keys`: the newest of all. One round trip, however long the session is.
    """
    session = {"session_id": session_id}
    wanted = {"words": sorted(words_of(keys)), "recently": RECENTLY, "most": FACTS_LOADED}
    parts, newest = answers(Asked(_PARTS, session, tuple), Asked(_FACTS, {**session, **wanted}, tuple))
    covered = parts[0][0] if parts else 0
    if not covered:
        return Memory()
    return Memory(
        tuple(
            _part((*row[1:5], json.loads(row[5]), json.loads(row[6]), row[7]))
            for row in parts
            if row[1] is not None
        ),
        tuple(_fact((*row[:8], json.loads(row[8]), *row[9:])) for row in reversed(newest)),
        covered,
    )


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The content words of texts, as facts are found by."""
    return frozenset(word for text in texts for word in key_of(text).split()) - STOP_KEYS


def parts_of(session_id: UUID) -> tuple[SummaryPart, ...]:
    """The current parts, in the order of their turns."""
    rows = models.SummaryPart.objects.filter(session_id=session_id).order_by("first_turn")
    columns = ("first_turn", "last_turn", "text", "level", "entities", "chunks", "engine")
    return tuple(map(_part, rows.values_list(*columns)))


def _part(row: Sequence[Any]) -> SummaryPart:
    first, last, text, level, entities, chunks, engine = row
    return SummaryPart(first, last, text, Level(level), tuple(entities), tuple(chunks), engine)


def ledger_of(session_id: UUID) -> tuple[Fact, ...]:
    """Every fact, in ledger order, corrected ones included."""
    return tuple(_facts(models.LedgerFact.objects.filter(session_id=session_id).order_by("position")))


def _facts(rows: QuerySet[models.LedgerFact]) -> Iterator[Fact]:
    return map(_fact, rows.values_list(*_FACT))


def _fact(row: Sequence[Any]) -> Fact:
    values = dict(zip(_FACT, row, strict=True))
    return Fact(**{**values, "chunks": tuple(values["chunks"])})


@dataclass(frozen=True, slots=True)
class Finished:
    """An exchange that memory has yet to cover, with its texts uncut, and which entities took another's role in it.

    `replaced` are (old, new) keys of entities.
    """

    exchange: Exchange
    replaced: tuple[tuple[str, str], ...] = ()


def exchanges_between(
    *, session_id: UUID, first: int, last: int, traced_after: int = 0
) -> tuple[Finished, ...]:
    """Archived exchanges from `first` to `last`; what replaced what is looked up for those after `traced_after`."""
    rows = models.ArchivedExchange.objects.filter(session_id=session_id, n__gte=first, n__lte=last)
    turns = {n: (turn_id, answer) for n, turn_id, answer in rows.values_list("n", "turn_id", "turn__answer")}
    joined = _messages([turn_id for turn_id, _ in turns.values()])
    roles = _roles({turn_id: n for n, (turn_id, _) in turns.items() if n > traced_after})
    found = []
    for exchange in _exchanges(rows.order_by("n").values_list("data", flat=True)):
        turn_id, answer = turns[exchange.turn]
        found.append(Finished(_uncut(exchange, joined[turn_id], answer), roles.get(exchange.turn, ())))
    return tuple(found)


def sessions_to_remember(*, limit: int = 200) -> Sequence[UUID]:
    """Sessions of the current tenant whose memory has lagged for a while, the longest silent first."""
    lagging = models.Session.objects.filter(
        memory_turn__lt=F("last_exchange"), last_turn_at__lt=now() - PATIENCE
    )
    due = lagging.order_by("last_turn_at")
    return list(due.values_list("pk", flat=True)[:limit])


def _exchanges(rows: Iterable[dict[str, Any]]) -> tuple[Exchange, ...]:
    empty = ConversationState().to_json()
    return ConversationState.from_json({**empty, "exchanges": list(rows)}).exchanges


def _messages(turn_ids: Collection[UUID]) -> dict[UUID, str]:
    """Each turn's message, with what was joined to it before it."""
    rows = models.Turn.objects.filter(Q(pk__in=turn_ids) | Q(joined_to__in=turn_ids)).order_by("n")
    said: dict[UUID, list[str]] = {}
    for turn_id, joined_to, message in rows.values_list("pk", "joined_to", "message"):
        said.setdefault(joined_to or turn_id, []).append(message)
    return {turn_id: "\n".join(messages) for turn_id, messages in said.items()}


def _uncut(exchange: Exchange, message: str, answer: str) -> Exchange:
    """The state keeps the beginning of long texts only; an answer that informed of nothing is kept as none."""
    whole = message if len(exchange.message) >= MESSAGE_CHARACTERS else exchange.message
    return replace(exchange, message=whole, answer=answer if exchange.answer else "")


def _roles(turns: dict[UUID, int]) -> dict[int, tuple[tuple[str, str], ...]]:
    """By exchange, which entity's role another took, from what the turn's trace says of its slots."""
    traces = models.TurnTrace.objects.filter(turn_id__in=turns).values_list(
        "turn_id", KeyTransform("memory", "data")
    )
    return {turns[turn_id]: _superseded(memory) for turn_id, memory in traces if memory}


def _superseded(memory: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    names = {slot["id"]: slot["name"] for slot in memory["slots"]}
    takers = {slot["id"]: slot["superseded_by"] for slot in memory["slots"]}
    gone = [change["slot_id"] for change in memory["changes"] if change["after"] == "superseded"]
    pairs = [(names.get(old, ""), names.get(takers.get(old) or "", "")) for old in gone]
    return tuple((key_of(old), key_of(new)) for old, new in pairs if old and new)
