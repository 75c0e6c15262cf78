from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from config.health import Found, NotReady, Question


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    opened = threading.Event()
    yield opened
    opened.set()


def test_it_is_not_ready_when_it_answers_nothing(gate: threading.Event) -> None:
    question = Question(lambda: gate.wait(30) and None)
    assert question.answer(0.05) == Found("no answer within 0.05 s")


def test_while_one_answer_is_out_no_second_thread_is_started(gate: threading.Event) -> None:
    asked = []

    def ask() -> None:
        asked.append(1)
        gate.wait(30)

    question = Question(ask)
    for _ in range(20):
        assert question.answer(0.01).reason
    assert len(asked) == 1


def test_it_is_asked_again_when_it_has_answered(gate: threading.Event) -> None:
    question = Question(lambda: gate.wait(30) and None)
    out = question.put()
    gate.set()
    out.result(timeout=30)
    assert question.answer(30) == Found()


def test_it_tells_why_and_quotes_no_driver(gate: threading.Event) -> None:
    def refuse() -> None:
        raise NotReady("3 migrations are not applied")

    def break_down() -> None:
        raise OSError("password=hunter2")

    assert Question(refuse).answer(30).as_dict() == {"ok": False, "reason": "3 migrations are not applied"}
    assert Question(break_down).answer(30) == Found("OSError")
