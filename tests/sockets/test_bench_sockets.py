"""The socket benchmark reads the frames of an answer for what they are; its echo floor is measured over a real socket."""

from __future__ import annotations

import asyncio

import pytest

from config import socket_bench


@pytest.mark.parametrize(
    ("frame", "marks"),
    [
        ({"type": "turn.accepted"}, ("accepted",)),
        ({"type": "opened", "session": {"id": "1"}, "turns": [{"state": "running"}]}, ("accepted",)),
        (
            {"type": "opened", "session": {"id": "1"}, "turns": [{"state": "completed"}]},
            ("accepted", "ended"),
        ),
        ({"type": "opened", "session": None}, ()),
        ({"type": "turn.query"}, ("first_event",)),
        ({"type": "turn.delta"}, ("first_event", "first_piece")),
        ({"type": "pong"}, ()),
    ],
)
def test_it_notes_what_a_frame_marks(frame, marks):
    assert socket_bench._marks(frame) == marks


def test_it_measures_a_bare_echo():
    assert asyncio.run(socket_bench._echo())["echo_ms"] > 0


def test_it_takes_the_middle_and_the_ninety_fifth_of_a_hundred():
    assert socket_bench._spread([n / 1000 for n in range(1, 101)]) == {"p50": 50.5, "p95": 96}


@pytest.mark.parametrize(
    ("spans", "most"),
    [
        ([], 0),
        ([(0, 1), (1, 2)], 1),
        ([(0, 3), (1, 2), (2, 4)], 2),
        ([(0, 9), (1, 8), (2, 7), (10, 11)], 3),
    ],
)
def test_it_counts_how_many_streamed_at_the_same_time(spans, most):
    assert socket_bench._most_at_once(spans) == most
