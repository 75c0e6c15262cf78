"""Whatever a tab sends, it is answered: with what it asked for, or with an error of the protocol. Nothing raises."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from types import SimpleNamespace
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import commands, errors
from conversations.commands import FRAME_LIMIT, Commands, decoded

EXAMPLES = int(os.environ.get("ANTECEDENT_FUZZ_EXAMPLES", "300"))
BOUNDED = settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
TYPES = [
    "open",
    "ask",
    "retry",
    "stop",
    "rate",
    "renew",
    "ping",
    "unknown",
    "__class__",
    "",
    "ask\x00",
    "obey",
    "\ud800",
]
WORDS = st.one_of(
    st.text(max_size=30), st.sampled_from([str(uuid4()), "\ud800", "\x00", "0" * 36, "'; drop table", "up", "none"])
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
NAMES = ["type", "session", "id", "turn", "text", "rating", "reason", "token", "after"]
FRAMES = st.one_of(
    JSON,
    st.fixed_dictionaries({"type": st.sampled_from(TYPES)}, optional=dict.fromkeys(NAMES[1:], JSON)),
    st.fixed_dictionaries({"type": st.sampled_from(TYPES)}, optional=dict.fromkeys(NAMES[1:], WORDS)),
)


class Tab(Commands):
    """A connection that keeps what it is told."""

    def __init__(self) -> None:
        self.asker = SimpleNamespace(token=None, login=None, user=None, end_user_id=uuid4())
        self.told, self.away, self.followed = [], None, []

    async def tell(self, frame):
        json.dumps(frame)
        self.told.append(frame)

    async def send_away(self, code):
        self.away = code

    async def follow(self, session_id):
        self.followed.append(session_id)

    follow_new = follow


@pytest.fixture(autouse=True)
def without_servers(monkeypatch):
    """What stands behind the protocol: it takes exactly what it is promised."""
    turn = SimpleNamespace(session_id=uuid4(), id=uuid4(), rating="up")

    async def took(*args, **given):
        for value in given.values():
            if isinstance(value, str):
                value.encode()
        return turn

    async def in_thread(work, *args, **given):
        if work is commands.asker_renewed:
            raise errors.SessionNotFound
        return await took(**given) if work is commands.turn_rate else (args[1] if len(args) > 1 else None)

    class Log:
        def __init__(self, session_id):
            pass

        async def append(self, *args, **given):
            json.dumps(given)

    monkeypatch.setattr(
        commands, "wiring", SimpleNamespace(ask=took, retry=took, stop=took, session_to_open=None)
    )
    monkeypatch.setattr(commands, "in_thread", in_thread)
    monkeypatch.setattr(commands, "EventLog", Log)


def obeyed(frame) -> Tab:
    tab = Tab()
    asyncio.run(tab.obey(frame))
    return tab


@BOUNDED
@given(FRAMES)
def test_every_frame_is_obeyed_or_refused_by_the_protocols_own_words(frame):
    tab = obeyed(frame)
    known = frame.get("type") if isinstance(frame, dict) else None
    for told in tab.told:
        assert told["type"] in ("error", "pong", "opened")
        if told["type"] == "error":
            assert told["code"] in ("unknown_command", "session_not_found"), (told, frame)
            assert len(json.dumps(told)) < 2000
    assert tab.away is None
    assert tab.told or known in ("open", "ask", "retry", "stop", "rate")


@BOUNDED
@given(
    st.one_of(
        st.text(max_size=200),
        JSON.map(json.dumps),
        st.sampled_from(["[" * 100_000, '{"a":' * 50_000, "NaN", "1e999"]),
    )
)
def test_every_text_is_json_or_refused(text):
    with suppress(errors.UnknownCommand):  # and nothing else
        decoded(text)


@pytest.mark.parametrize("text", [None, "x" * (FRAME_LIMIT + 1), "", "nul", '{"a": 1', "\x00"])
def test_what_is_no_frame_is_refused(text):
    with pytest.raises(errors.UnknownCommand):
        decoded(text)
