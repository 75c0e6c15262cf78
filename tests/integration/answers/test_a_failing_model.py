"""Every way in which a provider fails ends in its own error, within the timeouts."""

from __future__ import annotations

import asyncio
import gc
import socket
import traceback

import pytest

from conversations.adapters.circuit import Circuit
from conversations.adapters.openai_chat import StreamUsage, Timeouts
from conversations.adapters.openai_dialect import Endpoint
from conversations.domain.answer import ModelError, ModelInterrupted
from tests.integration.answers.conftest import KEY

ASK = [{"role": "user", "content": "What is the RPO?"}]


async def said(chat, **more) -> str:
    return "".join([piece async for piece in chat.stream(ASK, **more)])


async def failure(call) -> ModelError:
    """The error of a call, which has to come well before the test's own patience ends."""
    with pytest.raises(ModelError) as caught:
        await asyncio.wait_for(call, 10)
    return caught.value


@pytest.mark.parametrize(
    "behaviour, options, code, retryable, requests",
    [
        ("hang", {}, "model_timeout", True, 1),
        ("rate_limited", {}, "model_rate_limited", True, 3),
        ("rate_limited", {"retry_after": "60"}, "model_rate_limited", True, 1),
        ("server_error", {}, "model_unavailable", True, 3),
        ("server_error", {"status": 503}, "model_unavailable", True, 3),
        ("server_error", {"status": 408}, "model_timeout", True, 3),
        ("server_error", {"status": 409}, "model_unavailable", True, 3),
        ("unauthorized", {}, "model_refused", False, 1),
        ("forbidden", {}, "model_refused", False, 1),
        ("not_found", {}, "model_refused", False, 1),
        ("bad_request", {}, "model_refused", False, 1),
        ("malformed_json", {}, "model_malformed", True, 1),
        ("empty", {}, "model_malformed", True, 1),
        ("drop_early", {}, "model_unavailable", True, 3),
    ],
)
@pytest.mark.parametrize("streaming", [True, False], ids=["stream", "whole"])
async def test_a_failure_before_the_first_token_has_its_code(
    server, client, streaming, behaviour, options, code, retryable, requests
):
    server.behave(behaviour, **options)
    chat = client()
    error = await failure(said(chat) if streaming else chat.complete(ASK))
    assert (error.code, error.retryable, error.text) == (code, retryable, "")
    assert server.stats.chat == requests


@pytest.mark.parametrize("behaviour", ["drop", "malformed_sse", "error_event", "stall", "no_done"])
async def test_a_failure_in_mid_answer_carries_the_text_so_far_and_is_not_tried_again(
    server, client, behaviour
):
    server.behave(behaviour, answer="one two three four")
    error = await failure(said(client()))
    assert isinstance(error, ModelInterrupted)
    assert error.text == "one two"
    assert server.stats.chat == 1


@pytest.mark.parametrize("behaviour", ["rate_limited", "server_error", "drop_early"])
@pytest.mark.parametrize("streaming", [True, False], ids=["stream", "whole"])
async def test_it_recovers_when_the_provider_does(server, client, behaviour, streaming):
    server.behave(behaviour, times=2, answer="fine again")
    chat = client()
    assert (await said(chat) if streaming else (await chat.complete(ASK)).text) == "fine again"
    assert server.stats.chat == 3


async def test_it_waits_as_long_as_the_provider_asks(server, client):
    server.behave("rate_limited", times=1, retry_after="1.25")
    timeouts = Timeouts(first_token=30, total=60)
    await said(client(timeouts=timeouts))
    assert client.pauses == [1.25]


async def test_it_does_not_wait_past_its_deadline(server, client):
    server.behave("rate_limited", times=1, retry_after="4")
    error = await failure(said(client()))
    assert error.code == "model_rate_limited"
    assert (server.stats.chat, client.pauses) == (1, [])


async def test_waits_are_spread_between_zero_and_a_growing_bound(server, client):
    server.behave("server_error")
    bounds = []

    def spread(low, high):
        bounds.append((low, high))
        return 0.0

    await failure(said(client(spread=spread)))
    assert bounds == [(0.0, 0.5), (0.0, 1.0), (0.0, 2.0)]


async def test_a_slow_first_token_within_the_limit_is_waited_for(server, client):
    server.behave("slow_first_token", delay=0.3)
    usage = StreamUsage()
    assert await said(client(), usage=usage)
    assert usage.first_token_ms >= 300


async def test_a_slow_but_steady_answer_ends_at_the_total_limit(server, client):
    server.behave(answer="word " * 400, token_delay=0.05)
    timeouts = Timeouts(first_token=1.0, between_tokens=0.5, total=1.0)
    error = await failure(said(client(timeouts=timeouts)))
    assert error.code == "model_interrupted"
    assert error.text.startswith("word word")


async def test_nobody_listening_is_unavailable(client):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        chat = client(base_url=f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        error = await failure(said(chat))
    assert error.code == "model_unavailable"
    assert error.extra["reason"] == "not_connected"


@pytest.mark.parametrize("address", ["ftp://model.example/v1", "nonsense", "http://127.0.0.1:99999/v1"])
async def test_a_wrong_address_is_an_error_of_its_own(client, address):
    assert (await failure(said(client(base_url=address)))).code in ("model_refused", "model_unavailable")


async def test_a_dead_provider_costs_nothing_until_it_is_tried_again(server, client):
    now = [0.0]
    known = Endpoint(circuit=Circuit(threshold=3, cool_down=10, clock=lambda: now[0]))
    server.behave("server_error")
    await failure(said(client(known=known)))
    asked = server.stats.chat
    error = await failure(said(client(known=known)))
    assert (error.code, error.extra["reason"]) == ("model_unavailable", "circuit_open")
    assert server.stats.chat == asked
    server.behave()
    now[0] = 10.0
    assert await said(client(known=known))
    assert known.circuit.state == "closed"


async def test_being_told_no_does_not_open_the_circuit(server, client):
    known = Endpoint(circuit=Circuit(threshold=1))
    for behaviour in ("rate_limited", "unauthorized", "bad_request"):
        server.behave(behaviour)
        await failure(said(client(known=known)))
    assert known.circuit.state == "closed"


async def test_a_caller_who_goes_away_leaves_a_trial_open_to_the_next(server, client):
    now = [0.0]
    known = Endpoint(circuit=Circuit(threshold=1, cool_down=1, clock=lambda: now[0]))
    server.behave("server_error")
    await failure(said(client(known=known, retries=0)))
    now[0] = 1.0
    server.behave("hang")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(said(client(known=known)), 0.3)
    server.behave()
    assert await said(client(known=known))


@pytest.mark.parametrize("behaviour", ["unauthorized", "rate_limited", "server_error", "hang", "bad_request"])
async def test_the_key_is_in_no_error_and_no_traceback(server, client, behaviour, caplog):
    caplog.set_level("DEBUG")
    server.behave(behaviour)
    error = await failure(said(client(retries=0)))
    shown = "".join(traceback.format_exception(error)) + str(error.as_dict()) + repr(client()) + caplog.text
    assert KEY in str(server.stats.authorizations)
    assert KEY not in shown


async def test_nothing_stays_open_after_a_failure(server, client):
    for behaviour in ("drop", "stall", "malformed_sse", "hang", "server_error"):
        server.behave(behaviour, answer="one two three four")
        chat = client(retries=0)
        await failure(said(chat))
        await chat.aclose()
    gc.collect()
    for _ in range(50):
        if not server.stats.active:
            break
        await asyncio.sleep(0.05)
    assert server.stats.active == 0
