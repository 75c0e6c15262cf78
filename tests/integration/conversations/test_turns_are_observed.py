"""What a turn leaves behind for whoever watches: figures by kind, verdict and stage, and ids on its log lines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from config.metrics import Metrics
from conversations import wiring
from conversations.adapters.metered_model import MeteredModel
from conversations.adapters.openai_chat import OpenAIChat, Timeouts
from kernel.log_ids import log_ids
from kernel.observed import observe_with
from tests.fakes.model_server import model_server
from tests.integration.conversations.conftest import answered, shelve


@pytest.fixture
def figures() -> Iterator[CollectorRegistry]:
    watching = Metrics(CollectorRegistry())
    observe_with(watching)
    yield watching.registry
    observe_with(None)


def _value(figures: CollectorRegistry, name: str, **labels: str) -> float:
    return figures.get_sample_value(f"antecedent_{name}", labels) or 0.0


def test_a_conversation_is_counted(asker: Any, figures: CollectorRegistry) -> None:
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    for turn in (first, second):
        assert _value(figures, "turns_total", kind=turn.kind, outcome="completed") >= 1
    ruled = [s.value for f in figures.collect() if f.name == "antecedent_verdicts" for s in f.samples]
    assert sum(ruled) >= 2
    for stage in ("classify", "retrieve", "answer", "remember"):
        assert _value(figures, "turn_stage_seconds_count", stage=stage) == 2
    assert _value(figures, "cache_total", result="miss") == 1
    assert _value(figures, "cache_total", result="hit") == 1
    assert _value(figures, "leakage_checks_total") > 0


def test_a_document_is_counted_when_its_indexing_ended(library: Any, figures: CollectorRegistry) -> None:
    shelve("hours.md", b"# Hours\n\nThe library opens at nine.\n", corpus=library)
    assert _value(figures, "documents_total", state="indexed") == 1
    assert _value(figures, "documents_total", state="failed") == 0


def test_a_model_call_is_counted_with_its_tokens(
    asker: Any, figures: CollectorRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server() as server:
        chat = OpenAIChat(
            base_url=server.url, api_key="test", model="test-chat", timeouts=Timeouts(), retries=0
        )
        model = MeteredModel(chat)
        monkeypatch.setattr(wiring, "chat_model", lambda: model)
        first = answered(asker, "What is the RPO in Frankfurt?")
        assert _value(figures, "model_calls_total", purpose="answer", outcome="ok") == 1
        assert _value(figures, "model_calls_total", purpose="rewrite", outcome="ok") == 0
        answered(asker, "and in Dublin?", first.session_id)
    assert _value(figures, "model_calls_total", purpose="rewrite", outcome="ok") == 1
    assert _value(figures, "model_calls_total", purpose="summary", outcome="ok") == 0
    assert _value(figures, "model_tokens_total", direction="prompt") > 0
    assert _value(figures, "model_tokens_total", direction="completion") > 0


def test_its_log_lines_name_session_and_turn(asker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, str]] = []

    def failing(turn: Any) -> Any:
        seen.append(dict(log_ids()))
        raise RuntimeError("no ports today")

    monkeypatch.setattr(wiring, "ports_for_quick", failing)
    monkeypatch.setattr(wiring, "ports_for", failing)
    logging.getLogger("conversations.services.answering").disabled = True
    try:
        turn = answered(asker, "What is the RPO in Frankfurt?")
    finally:
        logging.getLogger("conversations.services.answering").disabled = False
    assert seen == [{"session": str(turn.session_id), "turn": str(turn.pk)}]
