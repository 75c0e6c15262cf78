"""The tests' own provider has the manners that the product must survive."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.fakes.model_server import hashed, loudest_entity

SYSTEM = "Rewrite the latest message into a standalone question. Return one JSON object."
TALK = (
    "<conversation>\nuser: What about Dublin?\nassistant: Dublin is in Ireland. Dublin has an RPO.\n"
    "user: and Oslo?\n</conversation>\n\n<message>\nWhat does the gold plan cost?\n</message>"
)
REWRITE = {
    "model": "test-chat",
    "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TALK}],
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "r", "schema": {"type": "object", "properties": {
            "query": {"type": "string"}, "topic_shift": {"type": "boolean"}, "entities": {"type": "array"}}}},
    },
}  # fmt: skip


def rewrite(server) -> str:
    reply = httpx.post(f"{server.url}/chat/completions", json=REWRITE).json()
    return reply["choices"][0]["message"]["content"]


def test_it_rewrites_by_the_schema(server):
    assert json.loads(rewrite(server)) == {
        "query": "What does the gold plan cost?",
        "topic_shift": False,
        "entities": [],
    }


def test_it_welds_the_loudest_old_entity_on(server):
    server.behave("contaminating")
    assert json.loads(rewrite(server))["query"] == "What does the gold plan cost for Dublin?"
    assert loudest_entity(REWRITE) == "Dublin"


@pytest.mark.parametrize(
    "behaviour, start", [("prose", "Sure!"), ("fences", "```json"), ("answers_instead", "The rec")]
)
def test_it_can_disregard_the_schema(server, behaviour, start):
    server.behave(behaviour)
    assert rewrite(server).startswith(start)


def test_embeddings_are_unit_vectors_that_know_shared_words(server):
    texts = ["return shoes", "shoes returned", "quarterly audit"]
    reply = httpx.post(
        f"{server.url}/embeddings", json={"model": "m", "input": texts, "dimensions": 64}
    ).json()
    one, near, far = (row["embedding"] for row in reply["data"])
    dot = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))  # noqa: E731
    assert dot(one, one) == pytest.approx(1, abs=1e-4)
    assert dot(one, near) > dot(one, far)
    assert one == hashed("return shoes", 64)


def test_it_lists_its_models(server):
    assert [m["id"] for m in httpx.get(f"{server.url}/models").json()["data"]] == ["test-chat", "test-embed"]


def test_an_unknown_behaviour_is_refused(server):
    with pytest.raises(ValueError, match="no such behaviour"):
        server.behave("polite")
