"""A model provider for tests: the OpenAI protocol on a free local port, with failures on demand.

    with model_server() as server:
        OpenAIChat(base_url=server.url, api_key="test", model="test-chat")
        server.behave("drop", times=1)   # takes effect with the next request
        assert server.stats.chat == 2

Behaviours, by name (see `_FAULTS` for failures, `_REWRITES`, `_ANSWERS` and `_WRAPPINGS` for manners):
normal · hang · slow_first_token · stall · rate_limited · server_error · unauthorized · not_found · bad_request ·
malformed_json · malformed_sse · empty · drop · drop_early · error_event · no_done ·
prose · fences · answers_instead · ten_lines · contaminating · welds_two · welds_in_front · paraphrases ·
translates · invents · passes_on · no_schema_support · no_usage_support
Nothing is random: the same prompt gets the same answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_PASSAGE = re.compile(r'<passage n="(\d+)"[^>]*>\n?(.*?)\n?</passage>', re.S)
_QUOTED = re.compile(r"<(notes|summary|facts|passages|searched_for)>.*?</\1>", re.S)
_MESSAGE = re.compile(r"<message>\s*(.*?)\s*</message>", re.S)
_LABELLED = re.compile(r"(?:latest message|message|question|query)\s*:\s*(\S[^\n]*)\s*\Z", re.I)
_STOPWORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "is",
        "are",
        "was",
        "be",
        "do",
        "does",
        "did",
        "can",
        "could",
        "i",
        "you",
        "we",
        "it",
        "its",
        "to",
        "of",
        "in",
        "on",
        "for",
        "and",
        "or",
        "what",
        "which",
        "how",
        "that",
        "this",
        "with",
        "my",
        "our",
        "your",
        "there",
        "from",
        "at",
        "by",
        "as",
        "if",
        "not",
        "about",
        "have",
        "has",
        "will",
        "would",
        "turn",
        "user",
        "assistant",
        "live",
        "none",
        "probably",
        "meant",
        "tell",
        "please",
        "me",
        "they",
        "them",
        "he",
        "she",
        "his",
        "her",
        "their",
        "so",
        "but",
        "also",
        "any",
        "all",
        "more",
        "most",
        "when",
        "where",
        "why",
        "who",
        "yes",
        "no",
    ]
)
_SCHEMA_VALUES = {"boolean": False, "integer": 0, "number": 0.0, "null": None}


@dataclass
class Behaviour:
    """How the next requests are met. `times` limits a failure to the first n of them; `delay` is in seconds."""

    name: str = "normal"
    times: int | None = None
    delay: float = 30.0
    token_delay: float = 0.0
    retry_after: str | None = None
    answer: str | None = None
    status: int | None = None

    def take(self) -> bool:
        """Does the behaviour apply to this request? Uses up one of `times`."""
        if self.times is None:
            return True
        self.times -= 1
        return self.times >= 0


@dataclass
class Stats:
    """Counts since the start or the last `reset`. `requests` holds the bodies in order of arrival."""

    chat: int = 0
    streams: int = 0
    embeddings: int = 0
    active: int = 0
    most_active: int = 0
    cut_short: int = 0
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)


class ModelServer:
    """A running server. `url` is the base URL for clients; all methods may be called from any thread."""

    def __init__(self, dimensions: int = 384) -> None:
        self.url = ""
        self.stats = Stats()
        self._behaviour = Behaviour()
        self._dimensions = dimensions

    def behave(self, name: str = "normal", **options: Any) -> None:
        """Switches the behaviour for the requests to come."""
        known = {"normal", *_FAULTS, *_STREAM_FAULTS, *_REWRITES, *_ANSWERS, *_WRAPPINGS, *_DIALECTS}
        if name not in known:
            raise ValueError(f"no such behaviour: {name}; one of {', '.join(sorted(known))}")
        self._behaviour = Behaviour(name, **options)

    def reset(self) -> None:
        """Normal behaviour and fresh counts."""
        self._behaviour = Behaviour()
        self.stats = Stats(active=self.stats.active)

    def application(self) -> web.Application:
        app = web.Application(client_max_size=64 << 20)
        app.add_routes(
            [
                web.post("/v1/chat/completions", self._chat),
                web.post("/v1/embeddings", self._embeddings),
                web.get("/v1/models", self._models),
            ]
        )
        return app

    async def _models(self, request: web.Request) -> web.Response:
        models = [
            {"id": name, "object": "model", "owned_by": "tests"} for name in ("test-chat", "test-embed")
        ]
        return web.json_response({"object": "list", "data": models})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        stats, manner = self.stats, self._behaviour
        stats.chat += 1
        stats.streams += bool(body.get("stream"))
        with self._counted(request, body):
            refusal = _refused_form(manner.name, body)
            if refusal:
                return _error(400, refusal)
            faulty = manner.name in (*_FAULTS, *_STREAM_FAULTS) and manner.take()
            if faulty and (failure := await _fault(manner, request)):
                return failure
            text = manner.answer if manner.answer is not None else compose(body, manner.name)
            usage = {"prompt_tokens": _tokens(_prompt(body)), "completion_tokens": _tokens(text)}
            usage["total_tokens"] = sum(usage.values())
            fault = manner.name if faulty else ""
            if body.get("stream"):
                return await self._stream(request, body, text, usage, fault, manner)
            return _whole(request, text, usage, fault)

    async def _stream(
        self,
        request: web.Request,
        body: dict[str, Any],
        text: str,
        usage: dict[str, int],
        fault: str,
        manner: Behaviour,
    ) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
        )
        await response.prepare(request)
        pieces = re.findall(r"\s*\S+", text) if fault != "empty" else []
        try:
            for number, piece in enumerate(pieces):
                if await _broke_off(fault, number, len(pieces), response, request, manner):
                    return response
                await response.write(_event({"content": piece}))
                await asyncio.sleep(manner.token_delay)
            await response.write(_event({}, finish="stop"))
            if (body.get("stream_options") or {}).get("include_usage"):
                await response.write(_event(None, usage=usage))
            await response.write(b"data: [DONE]\n\n" if fault != "no_done" else b"")
        except (ConnectionError, asyncio.CancelledError):
            self.stats.cut_short += 1
            raise
        return response

    async def _embeddings(self, request: web.Request) -> web.Response:
        body = await request.json()
        manner = self._behaviour
        self.stats.embeddings += 1
        with self._counted(request, body):
            if manner.name in _FAULTS and manner.take() and (failure := await _fault(manner, request)):
                return failure
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            size = body.get("dimensions") or self._dimensions
            data = [
                {"object": "embedding", "index": i, "embedding": hashed(t, size)} for i, t in enumerate(texts)
            ]
            usage = {"prompt_tokens": sum(map(_tokens, texts)), "total_tokens": sum(map(_tokens, texts))}
            return web.json_response(
                {"object": "list", "model": body.get("model"), "data": data, "usage": usage}
            )

    @contextlib.contextmanager
    def _counted(self, request: web.Request, body: dict[str, Any]) -> Iterator[None]:
        self.stats.requests.append(body)
        self.stats.authorizations.append(request.headers.get("Authorization", ""))
        self.stats.active += 1
        self.stats.most_active = max(self.stats.most_active, self.stats.active)
        try:
            yield
        finally:
            self.stats.active -= 1


@contextlib.contextmanager
def model_server(name: str = "normal", *, dimensions: int = 384, **options: Any) -> Iterator[ModelServer]:
    """Runs a server in a thread of its own on a free loopback port until the block ends."""
    server = ModelServer(dimensions)
    server.behave(name, **options)
    ready, loop = threading.Event(), asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        runner = web.AppRunner(
            server.application(), access_log=None, shutdown_timeout=0.1, handler_cancellation=True
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
        server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        await stop.wait()
        await runner.cleanup()

    def run() -> None:
        with contextlib.closing(loop):
            loop.run_until_complete(serve())
            loop.run_until_complete(loop.shutdown_asyncgens())

    thread = threading.Thread(target=run, name="model-server", daemon=True)
    thread.start()
    if not ready.wait(20):
        raise RuntimeError("the test model server did not start")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


def compose(body: dict[str, Any], manner: str = "normal") -> str:
    """What the model says: JSON for a request with a JSON format (or a prompt that asks for a rewrite), else an answer."""
    wants_json = (body.get("response_format") or {}).get("type") in ("json_schema", "json_object")
    if not wants_json and "standalone" not in _system(body) and "JSON" not in _system(body):
        return _answer(body)
    question = latest_message(body)
    if manner == "answers_instead":
        return "The recovery point objective is 5 minutes. Let me know if you need anything else!"
    if manner == "ten_lines":
        return "\n".join(f"{number}. {question}" for number in range(1, 11))
    if manner in _REWRITES:
        question = _REWRITES[manner](question, body)
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    reply = json.dumps(_instance(schema, question) if schema else {"query": question, "topic_shift": False})
    return _WRAPPINGS.get(manner, "{}").replace("{}", reply)


def latest_message(body: dict[str, Any]) -> str:
    """The person's own last words, out of whatever the prompt puts round them."""
    last = next((m["content"] for m in reversed(body["messages"]) if m["role"] == "user"), "")
    marked = _MESSAGE.findall(last)
    plain = _QUOTED.sub("", last).strip()
    labelled = _LABELLED.search(plain)
    return str(marked[-1] if marked else labelled[1] if labelled else plain)


def loudest_entity(body: dict[str, Any], rank: int = 0) -> str:
    """The most frequent name (else noun-like word) of the conversation that the latest message does not have.

    `rank` 1 is the second most frequent.
    """
    question = latest_message(body)
    talk = "\n".join(m["content"] for m in body["messages"] if m["role"] != "system")
    talk = talk[: talk.rfind(question)] if question in talk else talk
    asked = {w.casefold() for w in _WORD.findall(question)}
    words = [w for w in _WORD.findall(talk) if w.casefold() not in asked | _STOPWORDS and len(w) > 2]
    named = Counter(w for w in words if w[0].isupper())
    common = Counter(w for w in words if w[0].islower() and len(w) > 3)
    counts = named or common
    ranked = sorted(counts, key=lambda w: (counts[w], w), reverse=True)
    return ranked[rank] if len(ranked) > rank else ""


def welded(question: str, entity: str) -> str:
    stem = question.rstrip(" ?.!")
    return f"{stem} for {entity}{question[len(stem) :].strip()}" if entity else question


def hashed(text: str, dimensions: int) -> list[float]:
    """A unit vector of hashed words: texts that share words are near each other."""
    vector = [0.0] * dimensions
    words = [w for w in _WORD.findall(text.casefold()) if w not in _STOPWORDS] or [text]
    for word, n in Counter(words).items():
        digest = hashlib.blake2b(word.rstrip("s").encode(), digest_size=12).digest()
        for at in (0, 4, 8):
            place = int.from_bytes(digest[at : at + 4], "big")
            vector[place % dimensions] += (1 if place >> 31 else -1) * (1 + math.log(n))
    norm = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [round(x / norm, 7) for x in vector]


def _answer(body: dict[str, Any]) -> str:
    """The two sentences of the passages that share most words with the question, each with its marker."""
    question = {w.casefold().rstrip("s") for w in _WORD.findall(latest_message(body))} - _STOPWORDS
    found = []
    for n, text in _PASSAGE.findall(_prompt(body)):
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            own = {w.casefold().rstrip("s") for w in _WORD.findall(sentence)}
            found.append((len(own & question), -int(n), f"{sentence.strip().rstrip('.')} [{n}]."))
    best = [text for score, _, text in sorted(found, reverse=True)[:2] if score]
    if found:
        return " ".join(best) or "The passages do not contain this."
    return "This is the answer of the test model, without any passage to stand on."


def _instance(schema: dict[str, Any], question: str, name: str = "") -> Any:
    """A value of a JSON schema: the query where a query is wanted, the first of an enumeration, empty lists."""
    if "enum" in schema:
        return schema["enum"][0] if "follow_up" not in schema["enum"] else "follow_up"
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {key: _instance(part, question, key) for key, part in schema.get("properties", {}).items()}
    if kind == "array":
        return []
    return _SCHEMA_VALUES.get(kind, question) if kind != "string" or "quer" not in name else question


def _prompt(body: dict[str, Any]) -> str:
    return "\n".join(str(m.get("content") or "") for m in body["messages"])


def _system(body: dict[str, Any]) -> str:
    return "\n".join(m["content"] for m in body["messages"] if m["role"] == "system")


def _tokens(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def _event(
    delta: dict[str, Any] | None, *, finish: str | None = None, usage: dict[str, int] | None = None
) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    event = {
        "id": "chatcmpl-test",
        "object": "chat.completion.chunk",
        "model": "test-chat",
        "choices": choices,
    }
    return b"data: " + json.dumps(event | ({"usage": usage} if usage else {})).encode() + b"\n\n"


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "test"}}, status=status, headers=headers)


def _whole(request: web.Request, text: str, usage: dict[str, int], fault: str) -> web.Response:
    message = {"role": "assistant", "content": "" if fault == "empty" else text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    payload = json.dumps(
        {"object": "chat.completion", "model": "test-chat", "choices": choices, "usage": usage}
    )
    if fault in ("drop", "drop_early") and request.transport is not None:
        request.transport.abort()
    broken = fault in ("malformed_json", "malformed_sse")
    return web.Response(
        text=payload[: len(payload) // 2] if broken else payload, content_type="application/json"
    )


async def _broke_off(
    fault: str, number: int, total: int, response: web.StreamResponse, request: web.Request, manner: Behaviour
) -> bool:
    """Ends or disturbs a stream at its place: before the first piece or in the middle."""
    middle = number == max(1, total // 2)
    if (fault == "drop" and middle) or (fault == "drop_early" and number == 0):
        await asyncio.sleep(0.05)  # what was written must reach the client first
        assert request.transport is not None
        request.transport.abort()
        return True
    if fault == "malformed_sse" and middle:
        await response.write(b'data: {"choices": [{"delta": {"cont\n\n')
    elif fault == "malformed_json" and number == 0:
        await response.write(b"data: this is not JSON\n\n")
    elif fault == "error_event" and middle:
        await response.write(b'data: {"error": {"message": "overloaded", "type": "server_error"}}\n\n')
    elif fault == "stall" and middle:
        await asyncio.sleep(manner.delay)
    elif fault == "no_done" and middle:
        return True
    return False


async def _fault(manner: Behaviour, request: web.Request) -> web.Response | None:
    """The failing response of a behaviour that fails before it answers; None to go on."""
    return await _FAULTS[manner.name](manner, request) if manner.name in _FAULTS else None


async def _hang(manner: Behaviour, request: web.Request) -> web.Response | None:
    await asyncio.sleep(manner.delay)
    return None


def _failing(status: int, message: str) -> Any:
    async def fail(manner: Behaviour, request: web.Request) -> web.Response:
        headers = {"Retry-After": manner.retry_after} if manner.retry_after is not None else None
        key = request.headers.get("Authorization", "")  # real providers repeat parts of it
        return _error(manner.status or status, f"{message} {key}", headers)

    return fail


def _refused_form(manner: str, body: dict[str, Any]) -> str:
    kind = (body.get("response_format") or {}).get("type")
    if kind in _DIALECTS.get(manner, ()):
        return f"response_format {kind} is not supported"
    if manner == "no_usage_support" and "stream_options" in body:
        return "unknown field: stream_options"
    if manner == "new_parameters" and "max_tokens" in body:
        return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    if manner == "new_parameters" and "temperature" in body:
        return "Unsupported value: 'temperature' does not support 0."
    return ""


_FAULTS = {
    "hang": _hang,
    "slow_first_token": _hang,
    "rate_limited": _failing(429, "Too many requests."),
    "server_error": _failing(500, "Something broke."),
    "unauthorized": _failing(401, "Incorrect API key provided:"),
    "forbidden": _failing(403, "This key may not use this model:"),
    "not_found": _failing(404, "No such model."),
    "bad_request": _failing(400, "This model's maximum context length is 8 tokens."),
}
_STREAM_FAULTS = (
    "drop",
    "drop_early",
    "malformed_sse",
    "malformed_json",
    "error_event",
    "stall",
    "no_done",
    "empty",
)
_REWRITES: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "contaminating": lambda question, body: welded(question, loudest_entity(body)),
    "welds_two": lambda question, body: welded(
        welded(question, loudest_entity(body)), loudest_entity(body, 1)
    ),
    "welds_in_front": lambda question, body: f"Regarding {loudest_entity(body)}, {question}",
    "paraphrases": lambda question, body: (
        f"I want to know about {loudest_entity(body)} and {question.rstrip(' ?.!').lower()}"
    ),
    "translates": lambda question, body: "Wie funktioniert das und was kostet es für mich?",
    "invents": lambda question, body: welded(question, "Zanzibar Telecom"),
    "passes_on": lambda question, body: question,
}
_ANSWERS = ("answers_instead", "ten_lines")
_WRAPPINGS = {
    "prose": "Sure! Here is the standalone question you asked for:\n\n{}\n\nI hope this helps.",
    "fences": "```json\n{}\n```",
}
_DIALECTS: dict[str, tuple[str, ...]] = {
    "no_schema_support": ("json_schema",),
    "no_json_support": ("json_schema", "json_object"),
    "no_usage_support": (),
    "new_parameters": (),
}
