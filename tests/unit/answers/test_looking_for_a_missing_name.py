"""A name that the passages at hand lack is looked for by itself, before it is called missing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from conversations.domain.answer import Passage
from conversations.domain.answer_stage import AnswerStage, Asked
from conversations.domain.ports import Candidate, Ports
from conversations.domain.search_plan import by_name
from conversations.domain.vectors import unit

CARDS = Passage("cards", "d1", "Paying", (), None, "You can pay by card or on account. Cash is not taken.")
TELLO = Passage(
    "tello", "d2", "Abroad", (), None, "In the north you can pay with Tello. Parcels take a week."
)
IN_NORWAY = Passage("norway", "d3", "Abroad", (), None, "Whoever buys in Norway can pay by card.")
IN_TELLONIA = Passage("tellonia", "d4", "Abroad", (), None, "In Tellonia you pay on account.")


@dataclass
class Shelf:
    """A retriever that knows passages by their words."""

    passages: tuple[Passage, ...] = ()
    asked: list[str] = field(default_factory=list)

    async def search(self, plan: Any) -> tuple[Candidate, ...]:
        (query,) = plan.queries
        self.asked.append(query.text)
        return tuple(Candidate(p) for p in self.passages if query.text.lower() in p.text.lower())

    async def permitted(self, chunk_ids: Any) -> frozenset[str]:
        return frozenset(chunk_ids)


class Alike:
    async def embed(self, texts: Any) -> list[Any]:
        return [unit([1.0, 0.0]) for _ in texts]


def answered(message: str, shelf: Shelf, passages: tuple[Passage, ...] = (CARDS,)) -> AnswerStage:
    ports = Ports(
        language=None,  # type: ignore[arg-type]
        offload=None,  # type: ignore[arg-type]
        embedder=Alike(),
        retriever=shelf,
        clock=lambda: 0.0,
        count_tokens=len,
    )
    stage = AnswerStage(Asked(message, message, passages), ports)

    async def run() -> None:
        async for _ in stage.pieces():
            pass

    asyncio.run(run())
    return stage


def test_it_answers_from_what_the_name_alone_finds():
    shelf = Shelf((TELLO,))
    stage = answered("Can I pay with Tello?", shelf)
    assert shelf.asked == ["Tello"]
    assert stage.text.startswith("In the north you can pay with Tello [1].")
    assert stage.citations[0].chunk_id == "tello"
    assert stage.notes["found_by_name"] == ["tello"]


def test_it_says_that_the_name_is_missing_when_nothing_holds_it():
    stage = answered("Can I pay with Tello?", Shelf())
    assert stage.text.startswith("I could not find anything about Tello")
    assert "found_by_name" not in stage.notes


def test_it_looks_for_nothing_when_no_name_is_missing():
    shelf = Shelf((TELLO,))
    answered("Can I pay by card?", shelf)
    assert shelf.asked == []


def test_a_name_is_searched_by_its_word_and_not_by_its_likeness():
    (query,) = by_name("Tello").queries
    assert query.dense_weight == 0
    assert query.lexical_weight > 0


def test_a_name_that_people_tell_of_themselves_is_not_looked_for():
    stage = answered("We are Marrick Dyeworks. Can I pay with Tello?", Shelf((TELLO,)))
    assert "Marrick" not in stage.text
    assert stage.citations


def test_a_place_typed_small_is_looked_for_as_well():
    shelf = Shelf()
    stage = answered("can i pay in tellonia?", shelf, (CARDS, TELLO, IN_NORWAY))
    assert shelf.asked == ["tellonia"]
    assert stage.text.startswith("I could not find anything about tellonia")
    found = answered("can i pay in tellonia?", Shelf((IN_TELLONIA,)), (CARDS, TELLO, IN_NORWAY))
    assert found.text.startswith("In Tellonia you pay on account [1].")
