"""Questions are let in a few at a time and in order; a place is given back once, and never kept for ever."""

from __future__ import annotations

import asyncio

import pytest

from conversations.turnstile import MakingRoom, Turnstile, turnstile

FOR_EVER = 3600


async def entered(gate, names, came, places):
    for name in names:
        places[name] = await gate.enter()
        came.append(name)


async def until_all_wait():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_as_many_as_there_are_places_and_the_next_when_one_leaves():
    gate, came, places = Turnstile(2, FOR_EVER), [], {}
    waiting = [asyncio.create_task(entered(gate, name, came, places)) for name in "abcd"]
    await until_all_wait()
    assert came == ["a", "b"]
    places["b"].leave()
    await until_all_wait()
    assert came == ["a", "b", "c"]
    places["c"].leave()
    places["a"].leave()
    await asyncio.gather(*waiting)
    assert came == ["a", "b", "c", "d"]
    places["d"].leave()


async def test_leaving_twice_makes_room_for_one():
    gate, came, places = Turnstile(1, FOR_EVER), [], {}
    first = await gate.enter()
    waiting = [asyncio.create_task(entered(gate, name, came, places)) for name in "ab"]
    first.leave()
    first.leave()
    await until_all_wait()
    assert came == ["a"]
    places["a"].leave()
    await asyncio.gather(*waiting)
    places["b"].leave()


async def test_a_place_that_nobody_gives_back_is_free_again():
    gate = Turnstile(1, 0.01)
    await gate.enter()
    async with asyncio.timeout(30):
        (await gate.enter()).leave()


async def test_who_goes_away_while_waiting_takes_no_place():
    gate = Turnstile(1, FOR_EVER)
    first = await gate.enter()
    gone = asyncio.create_task(gate.enter())
    await until_all_wait()
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    first.leave()
    async with asyncio.timeout(30):
        (await gate.enter()).leave()


class Silent:
    """A model that is asked and says nothing for as long as the test runs."""

    label = "silent"

    def __init__(self):
        self.asked = asyncio.Event()

    async def reply(self, messages, schema):
        self.asked.set()
        await asyncio.Event().wait()

    async def stream(self, messages):
        await self.reply(messages, {})
        yield ""


@pytest.mark.parametrize("call", ["reply", "stream"])
async def test_nobody_waits_for_a_place_while_a_model_is_waited_for(call):
    gate, silent = Turnstile(1, FOR_EVER), Silent()
    model = MakingRoom(silent)

    async def question():
        """As a tab's: the answer is a task of its own, begun where the place was taken."""
        await gate.enter()
        asking = model.reply([], {}) if call == "reply" else anext(model.stream([]))
        return asyncio.create_task(asking)

    async with asyncio.timeout(30):
        answer = await asyncio.create_task(question())
        await silent.asked.wait()
        (await gate.enter()).leave()
    answer.cancel()


async def test_a_model_that_is_asked_without_a_place_is_only_asked():
    silent = Silent()
    asking = asyncio.create_task(MakingRoom(silent).reply([], {}))
    async with asyncio.timeout(30):
        await silent.asked.wait()
    asking.cancel()
    assert MakingRoom(silent).label == "silent"


async def test_an_event_loop_has_one():
    assert turnstile() is turnstile()
