"""A configured provider that speaks the OpenAI protocol, well and in every way badly, behind stored turns."""

from __future__ import annotations

import pytest

from conversations import wiring
from conversations.adapters.openai_chat import OpenAIChat, Timeouts
from conversations.models import Turn, TurnTrace
from tests.fakes.model_server import model_server
from tests.integration.conversations.conftest import answered

FAILURES = {
    "hang": {"model_timeout"},
    "rate_limited": {"model_rate_limited"},
    "server_error": {"model_unavailable"},
    "malformed_json": {"model_malformed", "model_interrupted"},
    "malformed_sse": {"model_malformed", "model_interrupted"},
    "empty": {"model_malformed"},
    "drop": {"model_interrupted"},
    "stall": {"model_interrupted", "model_timeout"},
    "error_event": {"model_interrupted", "model_unavailable", "model_malformed"},
    "unauthorized": {"model_refused"},
}


@pytest.fixture
def provider(monkeypatch):
    """A running model server; every turn of the test goes to it."""
    with model_server() as server:
        timeouts = Timeouts(connect=0.5, first_token=1.0, between_tokens=0.5, total=4.0, whole=1.5)
        model = OpenAIChat(
            base_url=server.url, api_key="test", model="test-chat", timeouts=timeouts, retries=0
        )
        monkeypatch.setattr(wiring, "chat_model", lambda: model)
        yield server


def test_it_answers_with_the_model_and_says_so(asker, provider):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.state == "completed" and turn.engine == {"mode": "model", "label": "test-chat"}
    assert turn.citations and turn.notice is None
    assert provider.stats.chat == 1


def test_it_never_costs_more_than_two_calls(asker, provider):
    first = answered(asker, "What is the RPO in Frankfurt?")
    for message in ("and in Dublin?", "what about its RTO?", "Different question: what does a key cost?"):
        before = provider.stats.chat
        turn = answered(asker, message, first.session_id)
        used = provider.stats.chat - before
        assert used <= 2 and TurnTrace.objects.get(turn=turn).data["model_calls"] == used


@pytest.mark.parametrize("behaviour", FAILURES)
def test_a_failing_provider_leaves_an_answer_and_an_honest_note(asker, provider, behaviour):
    provider.behave(behaviour)
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.state == "completed"
    assert "5 minutes" in turn.answer and turn.engine["mode"] == "offline"
    assert turn.notice["code"] in FAILURES[behaviour]
    assert "documents" in turn.notice["message"]


@pytest.mark.parametrize("manner", ["prose", "fences", "answers_instead", "no_schema_support"])
def test_a_model_with_bad_manners_does_not_spoil_the_search(asker, provider, manner):
    first = answered(asker, "What is the RPO in Frankfurt?")
    provider.behave(manner)
    second = answered(asker, "and in Dublin?", first.session_id)
    assert second.state == "completed" and "Dublin" in second.query
    assert len(second.query) < 120


def test_a_contaminating_model_does_not_reach_the_search(asker, provider):
    first = answered(asker, "What is the RPO in Frankfurt?")
    provider.behave("contaminating")
    answered(asker, "Different question: what does a customer-managed key cost?", first.session_id)
    last = answered(asker, "how often is it rotated?", first.session_id)
    queries = Turn.objects.filter(session=first.session_id, n__gt=1).values_list("query", flat=True)
    assert not any("frankfurt" in query.lower() for query in queries)
    assert last.state == "completed"


def test_a_provider_that_is_down_costs_nothing_once_that_is_known(asker, provider):
    provider.behave("server_error")
    first = answered(asker, "What is the RPO in Frankfurt?")
    for number in range(8):
        answered(asker, f"What does customer-managed key number {number} cost?", first.session_id)
    before = provider.stats.chat
    turn = answered(asker, "What is the RTO in Dublin?", first.session_id)
    after = provider.stats.chat
    assert after == before
    assert turn.notice["code"] == "model_unavailable" and "4 hours" in turn.answer
