"""Builds what a model is shown when it rewrites a message, and reads what it sends back.

The model sees the scope and nothing else; text of the conversation is quoted as data, never as instructions.
Whatever comes back is read as far as it makes sense, and called malformed otherwise.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from conversations.domain.classify import Classification, Evidence, Kind
from conversations.domain.contextualize import Contextualized, EntityRef
from conversations.domain.entities import names_slot
from conversations.domain.liveness import Slot
from conversations.domain.prompts import CONTEXTUALIZE, Prompt, render
from conversations.domain.quoting import enclosed, indented, one_line
from conversations.domain.reading import Reading
from conversations.domain.resolve import picked
from conversations.domain.scope import Scope
from conversations.domain.state import Exchange, Term
from conversations.domain.swapping import swap
from conversations.domain.words import contains_key, key_of
from kernel.json import JsonObject

# English text has about four characters a token.
CHARACTERS_PER_TOKEN = 4
# How many live entities are listed, how many of them with what was said of them, and how much of that.
SLOTS_SHOWN, SLOTS_NOTED, NOTES_SHOWN, NOTE_CHARACTERS = 24, 6, 2, 160

REWRITE_SCHEMA: JsonObject = {
    "name": "contextualized_query",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["query", "kind", "topic_shift", "entities", "refers_to"],
        "properties": {
            "query": {"type": "string"},
            "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
            "topic_shift": {"type": "boolean"},
            "entities": {
                "type": "array",
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name", "type", "role"],
                    "properties": {
                        "name": {"type": "string"},
                        "type": {"type": "string"},
                        "role": {"type": "string", "enum": ["subject", "context"]},
                    },
                },
            },
            "refers_to": {"type": "array", "items": {"type": "string"}},
        },
    },
}


@dataclass(frozen=True, slots=True)
class MalformedRewrite:
    """A reply that holds no usable query: why, and the start of what came."""

    reason: str
    reply: str = ""


def rewrite_messages(reading: Reading, scope: Scope, prompt: Prompt = CONTEXTUALIZE) -> list[dict[str, str]]:
    """Chat messages for the rewrite, by the built-in prompt or the tenant's own."""
    values = {
        "kinds": json.dumps([kind.value for kind in Kind]),
        "slots": "\n".join(_slot_lines(scope)) or "(none)",
        "turns": "\n".join(_turn_lines(exchange, scope) for exchange in scope.exchanges) or "(nothing)",
        "message": enclosed(reading.text),
    }
    return [
        {"role": "system", "content": render(prompt.system, values)},
        {"role": "user", "content": render(prompt.user, values)},
    ]


def parse_reply(
    text: str, reading: Reading, classification: Classification, scope: Scope
) -> Contextualized | MalformedRewrite:
    """The rewrite in a model's reply: JSON, JSON in prose or fences, or a bare question. Never raises."""
    text = _THOUGHT.sub("", text)
    data = _json_object(text)
    if data is not None:
        query = data.get("query", data.get("rewrite", data.get("standalone_query")))
        if not isinstance(query, str) or not query.strip():
            return MalformedRewrite("no query in the JSON", text[:200])
        return _contextualized(" ".join(query.split()), data, reading, classification, scope)
    bare = _bare_query(text)
    if bare is None or not _shares_a_word(bare, reading):
        return MalformedRewrite("neither JSON nor one question", text[:200])
    return _contextualized(bare, {}, reading, classification, scope)


def _contextualized(
    query: str, data: JsonObject, reading: Reading, classification: Classification, scope: Scope
) -> Contextualized:
    held = scope.antecedent.slots if scope.antecedent else ()
    known = set(held) & {slot.id for slot in scope.slots}
    query_key = key_of(query)
    refers = [item for item in _items(data.get("refers_to")) if isinstance(item, str) and item in known]
    named = [s.id for s in scope.slots if contains_key(query_key, key_of(s.name))]
    own = {s.id for s in scope.slots if names_slot(s.name, s.type, reading.analysis, reading.text_key)}
    shift = data.get("topic_shift")
    return Contextualized(
        query=query,
        kind=_kind(data.get("kind"), classification.kind),
        topic_shift=shift if isinstance(shift, bool) else classification.topic_shift,
        entities=tuple(_entities(data.get("entities"))),
        refers_to=tuple(dict.fromkeys([*refers, *(i for i in named if i not in own)])),
        added=tuple(_added(query_key, reading, scope)),
        picked=tuple(term.key for term in picked(reading, scope)),
        replaced=_replaced(reading, scope),
        origin="model",
        antecedent_turn=scope.antecedent.turn if scope.antecedent else 0,
        display=query,
        evidence=(*scope.evidence, Evidence("model", query)),
    )


def _replaced(reading: Reading, scope: Scope) -> tuple[tuple[str, str], ...]:
    swapped = swap(reading, scope.antecedent, scope.exchanges) if scope.antecedent else None
    return ((swapped.old.key, swapped.new.key),) if swapped else ()


def _added(query_key: str, reading: Reading, scope: Scope) -> list[Term]:
    """The terms of the scope that the query has and the message has not."""
    terms = {t.key: t for e in scope.exchanges for t in (*e.terms, *e.inherited, *e.items, *e.answer_terms)}
    return [
        t
        for key, t in terms.items()
        if contains_key(query_key, key) and not contains_key(reading.text_key, key)
    ][:6]


def _kind(value: Any, default: Kind) -> Kind:
    try:
        return Kind(value)
    except ValueError:
        return default


def _entities(value: Any) -> list[EntityRef]:
    found = []
    for item in _items(value):
        name = item.get("name") if isinstance(item, dict) else item
        if isinstance(name, str) and name.strip():
            more = item if isinstance(item, dict) else {}
            role = "subject" if more.get("role") == "subject" else "context"
            found.append(EntityRef(name.strip()[:120], str(more.get("type") or "topic")[:40], role))
    return found[:20]


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_QUERY_FIELD = re.compile(r'"(?:query|rewrite|standalone_query)"\s*:\s*"((?:[^"\\]|\\.)*)"', re.DOTALL)
OUR_KEYS = frozenset({"query", "rewrite", "standalone_query"})
MOST_OBJECTS = 20


def _json_object(text: str) -> JsonObject | None:
    """The first JSON object in a text that has any key of ours, wherever it stands; else a query field that can be read."""
    text = _TRAILING_COMMA.sub("", text)
    decoder = json.JSONDecoder(strict=False)
    start = text.find("{")
    for _ in range(MOST_OBJECTS):
        if start == -1:
            break
        value = _decoded(decoder, text, start)
        if isinstance(value, dict) and value.keys() & OUR_KEYS:
            return value
        start = text.find("{", start + 1)
    return _query_field(decoder, text)


def _decoded(decoder: json.JSONDecoder, text: str, start: int) -> Any:
    try:
        return decoder.raw_decode(text, start)[0]
    except (json.JSONDecodeError, RecursionError):
        return None


def _query_field(decoder: json.JSONDecoder, text: str) -> JsonObject | None:
    """What is readable of JSON that was cut off or is broken further on."""
    match = _QUERY_FIELD.search(text)
    value = _decoded(decoder, f'"{match.group(1)}"', 0) if match else None
    return {"query": value} if isinstance(value, str) else None


_PREFIXES = (
    "query:",
    "rewrite:",
    "rewritten query:",
    "standalone query:",
    "standalone question:",
    "search query:",
)


def _shares_a_word(bare: str, reading: Reading) -> bool:
    """Whether a bare line can be the message put differently: "null", "none" or "OK." cannot."""
    return bool(set(key_of(bare).split()) & set(reading.text_key.split()))


def _bare_query(text: str) -> str | None:
    """A reply of one line, or of one line after a heading, taken as the query itself."""
    lines = [line.strip(" `\"'“”*") for line in text.strip().splitlines()]
    lines = [line for line in lines if line and line.lower() not in {"json", "text"}]
    for line in lines:
        lowered = line.lower()
        prefix = next((p for p in _PREFIXES if lowered.startswith(p)), None)
        if prefix and line[len(prefix) :].strip():
            return line[len(prefix) :].strip(" `\"'“”*")
    if len(lines) == 1 and "{" not in lines[0] and len(lines[0]) <= 300 and not lines[0].endswith(":"):
        return lines[0]
    return None


def _slot_lines(scope: Scope) -> list[str]:
    """The entities that the user most surely and most lately meant, in the order of the session; notes for the first.

    The list has a fixed length, so that a rewrite costs at turn 200 what it costs at turn 10.
    """
    held = set(scope.antecedent.slots) if scope.antecedent else set()
    first = sorted(scope.slots, key=lambda s: (s.id not in held, -s.confidence, -s.last_mention_turn))
    shown = {slot.id: rank for rank, slot in enumerate(first[:SLOTS_SHOWN])}
    return [_slot_line(slot, shown[slot.id] < SLOTS_NOTED) for slot in scope.slots if slot.id in shown]


def _slot_line(slot: Slot, noted: bool) -> str:
    line = f"- {slot.id}: {one_line(slot.name)} ({slot.type}, {slot.status.value})"
    notes = [one_line(note)[:NOTE_CHARACTERS] for note in slot.notes[:NOTES_SHOWN]] if noted else []
    return f"{line}: {' '.join(notes)}" if notes else line


def _turn_lines(exchange: Exchange, scope: Scope) -> str:
    mark = " (probably meant)" if scope.antecedent and exchange.turn == scope.antecedent.turn else ""
    answer = exchange.answer[: scope.assistant_tokens * CHARACTERS_PER_TOKEN]
    return f"turn {exchange.turn}{mark}\nuser: {indented(exchange.message)}\nassistant: {indented(answer)}"
