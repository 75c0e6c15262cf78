"""Reading an answer that arrives as server-sent events."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.adapters.event_stream import BadEvent, EventStream, ProviderEvent


def event(text: str = "", **more) -> bytes:
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}, **more}]}).encode() + b"\n\n"


def read(*chunks: bytes) -> list:
    stream = EventStream()
    return [*(d for c in chunks for d in stream.feed(c)), *stream.finish()]


STREAM = (
    event("Grüße ")
    + b": keep-alive\n\n"
    + event("日本")
    + event("", finish_reason="stop")
    + b"data: [DONE]\n\n"
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_it_reads_the_same_wherever_the_bytes_are_cut(cuts):
    edges = [0, *sorted(cuts), len(STREAM)]
    deltas = read(*(STREAM[a:b] for a, b in itertools.pairwise(edges)))
    assert "".join(d.text for d in deltas) == "Grüße 日本"
    assert [d.finish for d in deltas if d.finish] == ["stop"]
    assert deltas[-1].done


def test_it_reads_windows_line_ends_and_names_without_space():
    assert [d.text for d in read(b'event: x\r\ndata:{"choices":[{"delta":{"content":"a"}}]}\r\n\r\n')] == [
        "a"
    ]


def test_it_reads_an_event_of_several_data_lines():
    assert [d.text for d in read(b'data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n')] == ["a"]


def test_it_reads_usage_without_choices():
    (delta,) = read(b'data: {"choices": [], "usage": {"prompt_tokens": 3}}\n\n')
    assert delta.usage == {"prompt_tokens": 3}


def test_a_refusal_of_the_model_is_its_answer():
    (delta,) = read(b'data: {"choices": [{"delta": {"content": null, "refusal": "No."}}]}\n\n')
    assert delta.text == "No."


def test_a_last_event_without_a_blank_line_counts():
    assert [d.text for d in read(event("a").rstrip())] == ["a"]


@pytest.mark.parametrize(
    "data", [b"data: {oops\n\n", b"data: 5\n\n", b'data: {"choices": 5}\n\n', b'data: {"choices": [5]}\n\n',
             b'data: {"choices": [{"delta": {"content": 5}}]}\n\n', b"data: " + b"x" * (2 << 20)]
)  # fmt: skip
def test_what_is_not_the_protocol_is_called_bad(data):
    with pytest.raises(BadEvent):
        read(data)


def test_an_error_of_the_provider_inside_the_stream_is_told_apart():
    with pytest.raises(ProviderEvent):
        read(b'data: {"error": {"message": "overloaded"}}\n\n')
