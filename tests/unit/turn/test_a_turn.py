"""One turn through the pure pipeline, from message to memory."""

from __future__ import annotations

import asyncio
import json

import pytest

from conversations.domain.answer import ModelInterrupted, ModelMalformed, ModelTimeout, ModelUnavailable
from conversations.domain.state import ConversationState
from conversations.domain.turn import TurnInput, run_turn
from conversations.domain.turn_events import AnswerPiece, QueryDecided, SourcesFound, TurnFinished
from tests.unit.turn.fakes import Model, Shelf, ports, say, talk

STAGES = [
    "load",
    "classify",
    "scope",
    "contextualize",
    "guard",
    "authorize",
    "retrieve",
    "answer",
    "remember",
]


def test_it_tells_the_query_then_the_sources_then_the_answer_then_the_end():
    heard = say("What is the RPO in Frankfurt?", ports())
    kinds = [type(event) for event in heard.events]
    assert kinds[:2] == [QueryDecided, SourcesFound]
    assert set(kinds[2:-1]) == {AnswerPiece}
    assert kinds[-1] is TurnFinished


def test_it_leaves_a_trace_of_every_stage_with_its_time():
    trace = say("What is the RPO in Frankfurt?", ports()).end.trace
    assert [stage["name"] for stage in trace["stages"]] == STAGES
    assert all(stage["ms"] >= 0 and stage["at"] >= 0 for stage in trace["stages"])
    assert trace["classification"]["kind"] == "opening"
    assert trace["candidates"] and trace["ruling"]["verdict"] == "clean" and trace["memory"]["slots"]


def test_its_trace_is_plain_json():
    trace = say("What is the RPO in Frankfurt?", ports(model=Model())).end.trace
    assert json.loads(json.dumps(trace)) == trace


def test_what_streams_is_what_is_stored():
    heard = say("What is the RPO in Frankfurt?", ports())
    assert heard.seen == heard.end.answer
    assert "5 minutes" in heard.end.answer
    assert heard.end.engine.mode == "offline"
    assert [c.chunk_id for c in heard.end.citations][:1] == ["c1"]


def test_it_searches_a_follow_up_with_what_it_refers_to():
    shelf = Shelf()
    talk("What is the RPO in Frankfurt?", "and for Dublin?", given=ports(shelf=shelf))
    assert "RPO" in shelf.searched[-1] and "Dublin" in shelf.searched[-1]


def test_it_answers_small_talk_without_a_search():
    shelf = Shelf()
    heard = say("thanks a lot!", ports(shelf=shelf))
    assert shelf.asked == [] and heard.end.answer and heard.end.citations == ()


def test_it_asks_a_model_once_for_a_message_that_stands_on_its_own():
    model = Model()
    heard = say("What is the RPO in Frankfurt?", ports(model=model))
    assert [name for name, _ in model.calls] == ["stream"]
    assert heard.end.trace["model_calls"] == 1
    assert heard.end.engine.mode == "model"


def test_it_asks_a_model_twice_for_one_that_depends_and_never_more():
    model = Model()
    heard = talk("What is the RPO in Frankfurt?", "and for Dublin?", given=ports(model=model))
    assert [name for name, _ in model.calls][1:] == ["reply", "stream"]
    assert heard[-1].end.trace["model_calls"] == 2


@pytest.mark.parametrize("error", [ModelTimeout(), ModelUnavailable(), ModelMalformed()])
def test_a_model_that_fails_leaves_the_passages_and_an_honest_note(error):
    heard = say("What is the RPO in Frankfurt?", ports(model=Model(error=error)))
    assert "5 minutes" in heard.end.answer
    assert heard.end.notice is not None and heard.end.notice.code == error.code
    assert heard.end.engine.mode == "offline"


def test_a_model_that_breaks_off_is_replaced_not_left_standing():
    model = Model(answer=("Half an ans", "wer"), error=ModelInterrupted(), fails_after=1)
    heard = say("What is the RPO in Frankfurt?", ports(model=model))
    assert heard.seen == heard.end.answer
    assert "Half an ans" not in heard.end.answer and "5 minutes" in heard.end.answer


def test_a_model_that_cannot_rewrite_leaves_it_to_the_rules():
    shelf = Shelf()
    model = Model(fails_rewriting=ModelTimeout())
    heard = talk("What is the RPO in Frankfurt?", "and for Dublin?", given=ports(shelf=shelf, model=model))
    assert "RPO" in shelf.searched[-1]
    assert heard[-1].end.trace["contextualizer_error"] == "model_timeout"


@pytest.mark.parametrize(
    "reply", ["", "[]", "Sure! The RPO in Dublin is 15 minutes.", '{"query": ""}', "{", "null"]
)
def test_a_model_that_talks_nonsense_leaves_it_to_the_rules(reply):
    shelf = Shelf()
    model = Model(rewrite=lambda _: reply)
    talk("What is the RPO in Frankfurt?", "and for Dublin?", given=ports(shelf=shelf, model=model))
    assert "Dublin" in shelf.searched[-1] and "15 minutes" not in shelf.searched[-1]


def test_what_a_contaminating_model_welds_on_does_not_reach_the_search():
    shelf = Shelf()
    model = Model(
        rewrite=lambda _: json.dumps({"query": "does it cost extra for Frankfurt customer-managed keys"})
    )
    heard = talk(
        "What is the RPO in Frankfurt?",
        "Different question: what do customer-managed keys cost?",
        "does it cost extra?",
        given=ports(shelf=shelf, model=model),
    )
    assert "frankfurt" not in shelf.searched[-1].lower()
    assert heard[-1].decided.verdict == "contaminated"


def test_stop_ends_the_answer_where_it_is_even_while_the_model_is_silent():
    async def run():
        halt = asyncio.Event()
        given = ports(model=Model(answer=("The RPO is 5 minutes [1].  It is",), hangs=True), halt=halt)
        events = []
        async for event in run_turn(TurnInput("What is the RPO?", ConversationState(), _policy()), given):
            events.append(event)
            if isinstance(event, AnswerPiece):
                halt.set()
        return events

    *_, end = asyncio.run(asyncio.wait_for(run(), 10))
    assert isinstance(end, TurnFinished) and end.stopped
    assert end.answer.startswith("The RPO")
    assert end.state.turn == 1


def _policy():
    from conversations.domain.policy import ScopePolicy

    return ScopePolicy()


def test_a_document_that_may_no_longer_be_seen_takes_its_words_along():
    shelf = Shelf()
    first = say("Which regions are there?", ports(shelf=shelf))
    hidden = Shelf(hidden=frozenset({"c1", "c2"}))
    heard = say("what about the first one?", ports(shelf=hidden), first.end.state)
    assert all(c.passage.chunk_id == "c3" for c in heard.sources.candidates)
    assert "minutes" not in " ".join(hidden.searched)


@pytest.mark.parametrize(
    "message",
    ["?", "🙂🙂", "x" * 20_000, "def f(x): return x", "https://a.example/b?c=d", "\u202eabc", "ราคาเท่าไหร่"],
    ids=lambda message: message[:8],
)
def test_it_ends_every_message_in_an_outcome(message):
    assert say(message, ports()).end.answer
