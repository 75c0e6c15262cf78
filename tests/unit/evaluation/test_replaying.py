"""A conversation that took place elsewhere is brought into the state as if it had been held here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from conversations.domain.policy import ScopePolicy, Strategy
from conversations.domain.state import ConversationState
from conversations.evaluation.items import Exchanged, Question
from conversations.evaluation.replaying import Replays, replayed
from conversations.evaluation.running import Run
from conversations.evaluation.strategies import NAMES, UnknownStrategy, contender, contenders
from tests.unit.turn.fakes import Model, Shelf, language, ports

PREFIX = (
    Exchanged("What is the RPO in Frankfurt?", "In Frankfurt the RPO is 5 minutes."),
    Exchanged("And for Dublin?", "In Dublin the RPO is 15 minutes."),
)
NAMED = {"d1": "regions", "d2": "keys"}


def silent(what: str, done: int, total: int) -> None:
    pass


@dataclass
class Counted:
    """A language that counts what it is asked."""

    texts: list[str] = field(default_factory=list)

    def analyse(self, text: str) -> Any:
        self.texts.append(text)
        return language().analyse(text)


def outcome_of(question: Question, name: str = "liveness", **more: Any) -> Any:
    shelf, guarded = more.pop("shelf", Shelf()), more.pop("guarded", True)
    run = Run(contender(name), ports(shelf=shelf, **more), NAMED, guarded=guarded)
    return asyncio.run(run.outcomes([question], silent))[0]


def test_every_exchange_becomes_a_turn_with_its_own_answer() -> None:
    state = asyncio.run(replayed(PREFIX, ports(), ScopePolicy()))

    assert state.turn == 2
    assert [exchange.answer for exchange in state.exchanges] == [turn.answer for turn in PREFIX]
    assert "Dublin" in {slot.name for slot in state.slots}
    assert state.exchanges[1].anchor == 1


def test_nothing_is_searched_while_replaying() -> None:
    shelf = Shelf()

    asyncio.run(replayed(PREFIX, ports(shelf=shelf), ScopePolicy()))

    assert shelf.asked == []


def test_an_empty_conversation_is_an_empty_state() -> None:
    assert asyncio.run(replayed((), ports(), ScopePolicy())) == ConversationState()


def test_a_beginning_in_common_is_replayed_once() -> None:
    counted = Counted()
    replays = Replays(replace(ports(), language=counted), ScopePolicy())

    asyncio.run(replays.state_after(PREFIX))
    before = len(counted.texts)
    asyncio.run(replays.state_after(PREFIX))
    assert len(counted.texts) == before
    asyncio.run(replays.state_after((PREFIX[0], Exchanged("And the RTO?", "1 hour."))))
    assert PREFIX[0].answer not in counted.texts[before:]


def test_an_outcome_holds_the_query_what_was_shown_and_what_came_back() -> None:
    told = outcome_of(Question("q", "near_followup", PREFIX, "and the RTO there?"))

    assert told.rewritten and "Dublin" in told.query
    assert told.searched == (told.query,)
    assert {passage.name for passage in told.found} == {"regions", "keys"}
    assert told.trace["scope"]["strategy"] == "liveness" and told.trace["scope"]["exchanges"]
    assert told.model_calls == 0


def test_as_typed_sees_nothing_of_the_conversation() -> None:
    told = outcome_of(Question("q", "near_followup", PREFIX, "and the RTO there?"), "typed")

    assert (told.query, told.rewritten) == ("and the RTO there?", False)
    assert told.trace["scope"]["exchanges"] == []


def test_it_asks_for_ten_passages() -> None:
    shelf = Shelf()

    outcome_of(Question("q", "first_turn", (), "What is the RPO in Dublin?"), shelf=shelf)

    assert shelf.asked[-1].limit == 10


def saying(query: str) -> Callable[[Any], str]:
    return lambda messages: f'{{"query": "{query}"}}'


def test_a_model_that_spills_is_kept_back_by_the_guard_and_measured_without_it() -> None:
    question = Question("q", "near_followup", PREFIX, "and the RTO there?")
    spilling = saying("RTO in Dublin for Reykjavik")

    guarded = outcome_of(question, model=Model(rewrite=spilling))
    bare = outcome_of(question, model=Model(rewrite=spilling), guarded=False)

    assert "Reykjavik" not in " ".join(guarded.searched)
    assert "Reykjavik" in " ".join(bare.searched)


def test_model_calls_count_the_rewrite_and_the_answer() -> None:
    model = Model(rewrite=saying("RTO in Dublin"))

    dependent = outcome_of(Question("q", "near_followup", PREFIX, "and the RTO there?"), model=model)
    opening = outcome_of(Question("q", "first_turn", (), "What is the RPO in Dublin?"), model=model)

    assert (dependent.model_calls, opening.model_calls) == (2, 1)


@pytest.mark.parametrize(("name", "window"), [("window2", 2), ("window4", 4), ("window8", 8)])
def test_windows_are_named_by_their_size(name: str, window: int) -> None:
    policy = contender(name).policy

    assert (policy.strategy, policy.window) == (Strategy.WINDOW, window)


def test_all_are_all_in_the_order_of_the_table() -> None:
    assert [one.name for one in contenders(["all"])] == list(NAMES)
    assert [one.name for one in contenders(["liveness", "window2"])] == ["window2", "liveness"]
    with pytest.raises(UnknownStrategy, match="window3"):
        contenders(["window3"])
