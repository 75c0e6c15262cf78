"""What came in one read of a model's stream goes on as one piece, and loses nothing before an error."""

from __future__ import annotations

import pytest

from conversations.adapters.event_stream import BadEvent, EventStream, merged


def event(text: str) -> bytes:
    return b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % text.encode()


def test_it_joins_the_texts_of_one_read():
    (whole,) = merged(EventStream().feed(event("Open ") + event("at ") + event("nine.")))
    assert (whole.text, whole.done) == ("Open at nine.", False)


def test_it_keeps_how_the_answer_ended_and_what_it_cost():
    end = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
    usage = b'data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n'
    (whole,) = merged(EventStream().feed(event("Nine.") + end + usage + b"data: [DONE]\n\n"))
    assert (whole.text, whole.finish, whole.usage, whole.done) == (
        "Nine.",
        "stop",
        {"prompt_tokens": 3},
        True,
    )


def test_it_tells_what_stood_before_a_bad_event_and_then_the_error():
    told = []
    with pytest.raises(BadEvent):
        for delta in merged(EventStream().feed(event("Open at ") + b"data: not JSON\n\n" + event("nine."))):
            told.append(delta.text)
    assert told == ["Open at "]
