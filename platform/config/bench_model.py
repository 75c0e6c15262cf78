"""A model server that answers at once, for benchmarks: the OpenAI chat protocol with no model behind it.

    python -m config.bench_model --tokens 200 --pace 0

It prints its base URL and serves until it is ended. Answers are encoded before the first request, so that they cost
next to nothing; with `--pace` a stream comes at so many tokens a second, measured from its first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from embedded.process import dies_with_parent
from embedded.state import PROJECT_ROOT

_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.I)
_MESSAGE = re.compile(r"<message>\s*(.*?)\s*</message>", re.S)
_WORDS = "The service keeps a copy of every record and tells the owner when it was changed last".split()
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n%s\r\n\r\n"
_CHUNKED = b"Transfer-Encoding: chunked"


@dataclass(frozen=True, slots=True)
class Script:
    """What every stream says: `tokens` pieces, `pace` of them a second, 0 for all at once."""

    tokens: int = 200
    pace: float = 0.0
    pieces: tuple[bytes, ...] = field(init=False)

    def __post_init__(self) -> None:
        texts = [_token(n, self.tokens) for n in range(self.tokens)]
        usage = {"prompt_tokens": 700, "completion_tokens": self.tokens, "total_tokens": 700 + self.tokens}
        last = _event({}, finish="stop") + _event(None, usage=usage) + b"data: [DONE]\n\n"
        object.__setattr__(self, "pieces", (*(_event({"content": text}) for text in texts), last))

    @property
    def text(self) -> str:
        return "".join(_token(n, self.tokens) for n in range(self.tokens))


def _token(number: int, total: int) -> str:
    """One token of the answer: sentences of a dozen words, the first and the last with a citation."""
    word = _WORDS[number % len(_WORDS)]
    start = "" if number == 0 else " "
    if number % len(_WORDS) == len(_WORDS) - 1 or number == total - 1:
        return f"{start}{word} [1]."
    return f"{start}{word}"


def _event(delta: dict[str, str] | None, *, finish: str | None = None, usage: Any = None) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    event = {"id": "bench", "object": "chat.completion.chunk", "model": "bench", "choices": choices}
    return b"data: " + json.dumps(event | ({"usage": usage} if usage else {})).encode() + b"\n\n"


class Server:
    """Serves one script on a loopback port."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._whole = b"".join(map(_chunk, script.pieces)) + b"0\r\n\r\n"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                found = _LENGTH.search(head)
                body = await reader.readexactly(int(found[1]) if found else 0)
                await self._answer(body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        if b'"stream":true' not in body and b'"stream": true' not in body:
            reply = _completion(json.loads(body))
            writer.write(_HEAD % (b"application/json", b"Content-Length: %d" % len(reply)) + reply)
        elif self._script.pace:
            writer.write(_HEAD % (b"text/event-stream", _CHUNKED))
            await self._paced(writer)
        else:
            writer.write(_HEAD % (b"text/event-stream", _CHUNKED) + self._whole)
        await writer.drain()

    async def _paced(self, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for number, piece in enumerate(self._script.pieces):
            await asyncio.sleep(max(0.0, began + number / self._script.pace - loop.time()))
            writer.write(_chunk(piece))
        writer.write(b"0\r\n\r\n")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _completion(request: dict[str, Any]) -> bytes:
    """A rewrite that is the message itself: what a careful model says of a message that stands on its own."""
    asked = str(request["messages"][-1]["content"])
    marked = _MESSAGE.findall(asked)
    query = (marked or [asked.strip().rsplit("\n", 1)[-1]])[-1]
    text = {"query": query, "kind": "follow_up", "topic_shift": False, "entities": [], "refers_to": []}
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": json.dumps(text)},
    }
    usage = {"prompt_tokens": 700, "completion_tokens": 40, "total_tokens": 740}
    reply = {
        "id": "bench",
        "object": "chat.completion",
        "model": "bench",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(reply).encode()


@contextmanager
def running(script: Script) -> Iterator[str]:
    """The base URL of a server in a process of its own, for as long as the block runs."""
    roots = os.pathsep.join((str(PROJECT_ROOT), str(PROJECT_ROOT / "platform")))
    arguments = ["--tokens", str(script.tokens), "--pace", str(script.pace)]
    process = subprocess.Popen(
        [sys.executable, "-m", "config.bench_model", *arguments],
        env={**os.environ, "PYTHONPATH": roots},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=dies_with_parent(signal.SIGTERM),
    )
    with process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def _main(script: Script) -> None:
    server = await asyncio.start_server(Server(script).serve, "127.0.0.1", 0, backlog=512, limit=1 << 22)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)  # noqa: T201 -- its caller reads it
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--pace", type=float, default=0.0)
    chosen = parser.parse_args()
    asyncio.run(_main(Script(chosen.tokens, chosen.pace)))
