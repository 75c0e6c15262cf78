"""Events that happen close together are numbered one after another, kept one by one and told in one ring."""

from __future__ import annotations

from uuid import uuid4

import pytest
from channels.layers import get_channel_layer

from conversations.adapters.event_log import EventLog, group_of
from conversations.services.following import news
from conversations.wiring import run_apart

pytestmark = pytest.mark.usefixtures("scoped", "stack")


def numbered(*numbers):
    return [{"seq": number, "type": "turn.rated"} for number in numbers]


def test_they_are_numbered_in_order_and_ring_once():
    session_id = uuid4()

    async def told():
        layer = get_channel_layer()
        channel = await layer.new_channel()
        await layer.group_add(group_of(session_id), channel)
        log = EventLog(session_id)
        await log.append("session.titled", title="first")
        await log.append_all([("turn.rated", {"rating": str(n)}) for n in range(12)])
        rung = [await layer.receive(channel) for _ in range(2)]
        return log.seq, await log.since(0), rung

    last, kept, rung = run_apart(told())
    assert last == 13 and [event["seq"] for event in kept] == list(range(1, 14))
    assert [event.get("rating") for event in kept[1:]] == [str(n) for n in range(12)]
    assert [len(message["events"]) for message in rung] == [1, 12]
    assert rung[0]["events"] + rung[1]["events"] == kept


def test_after_a_loss_they_leap_together():
    async def told():
        log = EventLog(uuid4(), floor=40)
        await log.append_all([("turn.rated", {}), ("turn.rated", {})])
        return [event["seq"] for event in await log.since(0)]

    first, second = run_apart(told())
    assert first > 1000 and second == first + 1


class Log:
    """Stands for the log: what is read from it was missed."""

    async def since(self, seq):
        return [{"seq": seq + 1, "type": "read"}]


@pytest.mark.parametrize(
    ("seen", "rung", "expected"),
    [
        (3, numbered(4, 5), [4, 5]),
        (4, numbered(4, 5), [5]),
        (5, numbered(4, 5), []),
        (2, numbered(4, 5), ["read"]),
        (2, None, ["read"]),
    ],
)
async def test_a_reader_takes_what_is_next_and_reads_what_it_missed(seen, rung, expected):
    found = await news(Log(), seen, rung)
    assert [event["seq"] if event["type"] != "read" else "read" for event in found] == expected
