"""Whole and streamed answers from a provider that works."""

from __future__ import annotations

import asyncio
import json

import pytest

from conversations.adapters.openai_chat import OpenAIChat, StreamUsage
from conversations.adapters.openai_dialect import Endpoint, endpoint
from conversations.domain.answer import Passage, cited
from conversations.domain.window import build_window
from tests.integration.answers.conftest import KEY

ASK = [{"role": "user", "content": "What is the RPO?"}]
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["query", "kind"],
    "properties": {"query": {"type": "string"}, "kind": {"enum": ["standalone", "follow_up"]}},
}


async def said(chat, messages=ASK, **more) -> str:
    return "".join([piece async for piece in chat.stream(messages, **more)])


async def test_it_streams_piece_by_piece_and_reports_usage(server, client):
    server.behave(answer="one two three", token_delay=0.2)
    usage = StreamUsage()
    pieces = [piece async for piece in client().stream(ASK, usage=usage)]
    assert "".join(pieces) == "one two three"
    assert len(pieces) > 1  # whatever has arrived is one piece
    assert (usage.prompt_tokens, usage.completion_tokens, usage.attempts, usage.finish) == (5, 3, 1, "stop")
    assert usage.ms >= usage.first_token_ms > 0


async def test_it_answers_from_the_passages_of_a_window(server, client):
    passages = (Passage("c1", "d1", "Regions", (), 1, "Frankfurt is large. The RPO is 5 minutes.", 1.0),)
    window = build_window(message="What is the RPO?", passages=passages)
    answer = cited(await said(client(), window.messages), window.passages)
    assert answer.text.startswith("The RPO is 5 minutes [1].")
    assert answer.citations[0].chunk_id == "c1"


async def test_a_whole_answer_follows_a_schema(server, client):
    done = await client().complete(ASK, schema=SCHEMA)
    assert json.loads(done.text) == {"query": "What is the RPO?", "kind": "follow_up"}
    assert done.prompt_tokens == 5
    sent = server.stats.requests[0]["response_format"]["json_schema"]
    assert sent == {"name": "reply", "strict": True, "schema": SCHEMA}


async def test_a_schema_that_has_its_name_already_is_sent_as_it_is(server, client):
    named = {"name": "rewrite", "strict": True, "schema": SCHEMA}
    await client().reply(ASK, named)
    assert server.stats.requests[0]["response_format"]["json_schema"] == named


@pytest.mark.parametrize(
    "behaviour, formats",
    [
        ("no_schema_support", ["json_schema", "json_object"]),
        ("no_json_support", ["json_schema", "json_object", None]),
    ],
)
async def test_it_falls_back_to_simpler_formats_and_remembers_them(server, client, behaviour, formats):
    known = Endpoint()
    server.behave(behaviour)
    for _ in range(2):
        assert (await client(known=known).complete(ASK, schema=SCHEMA)).text
    sent = [r.get("response_format", {}).get("type") for r in server.stats.requests]
    assert sent == [*formats, formats[-1]]


async def test_it_learns_the_newer_names_of_parameters(server, client):
    known = Endpoint()
    server.behave("new_parameters")
    chat = client(known=known)
    assert await said(chat)
    assert await said(chat)
    assert server.stats.chat == 4
    assert server.stats.requests[-1]["max_completion_tokens"] > 0
    assert "temperature" not in server.stats.requests[-1]


async def test_it_estimates_usage_where_none_is_sent(server, client):
    server.behave("no_usage_support", answer="one two three")
    usage = StreamUsage()
    await said(client(), usage=usage)
    assert usage.completion_tokens == 3
    assert usage.prompt_tokens > 0


async def test_a_refusal_because_of_the_content_teaches_nothing(server, client):
    known = Endpoint()
    server.behave("bad_request", times=1)
    chat = client(known=known)
    with pytest.raises(Exception, match="does not accept"):
        await chat.complete(ASK, schema=SCHEMA)
    await chat.complete(ASK, schema=SCHEMA)
    assert server.stats.requests[-1]["response_format"]["type"] == "json_schema"


async def test_a_server_that_does_not_stream_is_understood(server, client, monkeypatch):
    async def whole(request, body, text, usage, fault, manner):
        from aiohttp import web

        return web.json_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    monkeypatch.setattr(server, "_stream", whole)
    server.behave(answer="all at once")
    assert await said(client()) == "all at once"


async def test_stopping_ends_the_request_at_the_provider(server, client):
    server.behave(answer="word " * 300, token_delay=0.02)
    stream = client().stream(ASK)
    assert await anext(stream) == "word"
    await stream.aclose()
    for _ in range(100):
        if not server.stats.active:
            break
        await asyncio.sleep(0.02)
    assert server.stats.active == 0
    assert server.stats.cut_short == 1


async def test_many_answers_stream_at_once(server, client):
    server.behave(answer="a b c", token_delay=0.2)
    chat = client()
    assert await asyncio.gather(*(said(chat) for _ in range(20))) == ["a b c"] * 20
    assert server.stats.most_active > 10


def test_one_client_serves_several_event_loops(server):
    chat = OpenAIChat(base_url=server.url, api_key=KEY, model="test-chat", known=Endpoint())

    async def once():
        async with chat:
            return await said(chat)

    assert asyncio.run(once()) == asyncio.run(once())


def test_what_is_known_of_an_endpoint_is_shared_by_address_and_model():
    assert endpoint("http://a/v1/", "m") is endpoint("http://a/v1", "m")
    assert endpoint("http://a/v1", "m") is not endpoint("http://a/v1", "n")
    assert endpoint("http://a/v1", "m") is not endpoint("http://b/v1", "m")
