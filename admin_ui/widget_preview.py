"""A widget as it would look: the real loader and frame with a look that nobody has saved, and a chat that stores nothing.

The look travels in the address, so that a preview is made by asking for it and leaves nothing behind. What the frame
says is answered here with samples, following the chat protocol over HTTP (`conversations/widget/docs/protocol.md`).
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

from conversations.looks import look_shown
from conversations.widget.shades import accent_shades
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from kernel.json import JsonObject
from tenants.look import look_checked
from tenants.models import Tenant, WidgetKey

LONGEST = 12_000
_NAMESPACE = UUID("5d0f9a4e-8a0c-4a53-9c0f-3f0b7d3d7e11")
_TITLE, _HEADING = "A sample document", "What an answer stands on"
_TEXT = "An answer names the passages that it is taken from, and a click on a number opens the passage."
_ANSWER = (
    "This is what an answer looks like. It names the passages that it is taken from [1].\n\n"
    "- Your documents are not asked in a preview.\n- Nothing that is typed here is stored."
)
# With a space it is no subprotocol: browsers refuse to open a socket with it, and the frame goes over HTTP at once.
_NO_SUBPROTOCOL = "a preview"


def look_packed(look: JsonObject) -> str:
    """A look as a part of an address."""
    return base64.urlsafe_b64encode(json.dumps(look).encode()).decode().rstrip("=")


def look_unpacked(packed: str) -> JsonObject:
    """The look in an address. Raises Invalid for what is none."""
    try:
        text = base64.urlsafe_b64decode(packed[:LONGEST] + "=" * (-len(packed[:LONGEST]) % 4))
        look = json.loads(text)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise Invalid(reason="This is no look.") from error
    return look_checked(look)


def boot_of(tenant: Tenant, key: WidgetKey, look: JsonObject, below: str) -> JsonObject:
    """What the frame is given; it turns to addresses `below` the preview's own."""
    shown = look_shown(tenant, WidgetKey(look=look))
    return {
        "key": f"preview-{key.pk}",
        "tenant": {"slug": f"preview-{tenant.slug}", "name": tenant.name, "tagline": tenant.tagline},
        "look": shown,
        "shades": accent_shades(shown["accent"]),
        "urls": {name: f"{below}api/{name}" for name in ("ws", *_ANSWERS)},
    }


def answer(what: str, asked: Any) -> JsonObject:
    """What the preview's chat answers to a request of the frame. Raises NotFound."""
    name = what.split("/")[0]
    if name not in _ANSWERS:
        raise NotFound(what="page")
    return _ANSWERS[name](asked)


def _token(asked: Any) -> JsonObject:
    ends = (now() + timedelta(hours=1)).isoformat()
    return {"token": _NO_SUBPROTOCOL, "expires_at": ends, "engine": {"mode": "model", "label": "Preview"}}


def _commands(asked: Any) -> JsonObject:
    frames = asked.get("frames", []) if isinstance(asked, dict) else []
    told = [told for frame in frames if isinstance(frame, dict) for told in _told(frame)]
    return {"frames": told or [{"type": "pong"}]}


def _told(frame: JsonObject) -> Iterator[JsonObject]:
    kind = frame.get("type")
    if kind == "ask" and frame.get("session") is None:
        yield from _turn(str(frame.get("id")), str(frame.get("text"))[:1000])
    elif kind == "ask":
        message = "A preview answers one question. Begin a new chat for another."
        yield {
            "type": "error",
            "code": "preview",
            "message": message,
            "retryable": False,
            "ref": frame.get("id"),
        }
    elif kind == "open":
        yield {"type": "opened", "session": None, "title": "", "seq": 0, "turns": []}
    else:
        yield {"type": "pong"}


def _turn(client_id: str, text: str) -> Iterator[JsonObject]:
    session, turn = str(uuid5(_NAMESPACE, client_id)), str(uuid5(_NAMESPACE, f"turn {client_id}"))
    cited: JsonObject = {"n": 1, "chunk": turn, "document": turn, "title": _TITLE, "heading_path": [_HEADING]}
    cited |= {"page": 1, "snippet": _TEXT}
    told: tuple[JsonObject, ...] = (
        {"type": "turn.accepted", "client_id": client_id, "n": 1, "text": text, "created": now().isoformat()},
        {"type": "turn.query", "query": text, "display": text, "kind": "opening", "rewritten": False, "verdict": "clean"},
        {"type": "turn.completed", "answer": _ANSWER, "citations": [cited], "engine": None, "notice": None, "kind": "opening"},
    )  # fmt: skip
    for seq, event in enumerate(told, start=1):
        yield {**event, "seq": seq, "session": session, "turn": turn}


def _passage(asked: Any) -> JsonObject:
    place = {"title": _TITLE, "heading_path": [_HEADING], "page": 1, "document": None, "filename": ""}
    return {**place, "text": _TEXT, "highlight": [[0, len(_TEXT)]], "before": "", "after": ""}


_ANSWERS: dict[str, Callable[[Any], JsonObject]] = {
    "token": _token,
    "commands": _commands,
    "events": lambda asked: {},
    "sessions": lambda asked: {"sessions": []},
    "passages": _passage,
}
