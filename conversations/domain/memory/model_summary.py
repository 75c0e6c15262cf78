"""Lets a model write a summary part, and takes it only when it is true to what was said.

A summary with a number or a name that nobody said, or one that drops too much, is refused; the offline one is used then.
The conversation is quoted as data, so that nothing said in it becomes an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conversations.domain.memory.items import CITATION, Item, names_in, names_known, numerals
from conversations.domain.memory.summary import Analyse
from conversations.domain.memory.survival import key_items, text_of
from conversations.domain.memory.values import Fact, SummaryPart
from conversations.domain.prompts import SUMMARIZE, Prompt
from conversations.domain.quoting import indented
from conversations.domain.state import Exchange
from conversations.domain.words import GENERIC_KEYS, STOP_KEYS, contains_key, key_of
from kernel.json import JsonObject

SUMMARY_SCHEMA: JsonObject = {
    "name": "conversation_summary",
    "strict": True,
    "schema": {
        "type": "object",
        "additionalProperties": False,
        "required": ["text", "entities"],
        "properties": {
            "text": {"type": "string"},
            "entities": {"type": "array", "items": {"type": "string"}},
        },
    },
}
# What a summary keeps by itself, and together with the ledger: shares of the covered turns' key items.
KEPT_ALONE, KEPT_IN_ALL = 0.5, 0.98
LONGEST_SHARE = 1.2
_SHORTEST = 400


@dataclass(frozen=True, slots=True)
class MalformedSummary:
    """A reply that cannot be used: why, and the start of what came."""

    reason: str
    reply: str = ""


def summary_messages(exchanges: Sequence[Exchange], prompt: Prompt = SUMMARIZE) -> list[dict[str, str]]:
    """Chat messages that ask for a part about these exchanges, oldest first."""
    turns = "\n".join(
        f"user: {indented(e.message)}\nassistant: {indented(CITATION.sub('', e.answer))}" for e in exchanges
    )
    return [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": f"<conversation>\n{turns}\n</conversation>"},
    ]


def parse_summary(
    reply: str,
    exchanges: Sequence[Exchange],
    *,
    engine: str = "model",
    analyse: Analyse | None = None,
    facts: Sequence[Fact] = (),
) -> SummaryPart | MalformedSummary:
    """The part in a model's reply, or why it is refused. Never raises. `facts` are the ledger of these turns."""
    data = _json_object(reply)
    text = data.get("text") if data else None
    if data is None or not isinstance(text, str) or not text.strip() or not exchanges:
        return MalformedSummary("no text in the JSON", reply[:200])
    lines = (" ".join(line.split()) for line in CITATION.sub("", text).splitlines())
    body = "\n".join(line for line in lines if line)
    refused = _invents(body, exchanges, analyse) or _drops(body, exchanges, analyse, facts)
    if refused:
        return MalformedSummary(refused, reply[:200])
    return SummaryPart(
        first_turn=exchanges[0].turn,
        last_turn=exchanges[-1].turn,
        text=body,
        entities=_entities(
            data.get("entities"), body, exchanges, names_known(analyse(body)) if analyse else ()
        ),
        chunks=tuple(dict.fromkeys(chunk for e in exchanges for chunk in e.chunks)),
        engine=engine,
    )


def _invents(text: str, exchanges: Sequence[Exchange], analyse: Analyse | None) -> str:
    said = " ".join(_said(exchanges))
    numbers = numerals(text) - numerals(said)
    if numbers:
        return f"a number that nobody said: {sorted(numbers)[0]}"
    known = set(key_of(said).split()) | STOP_KEYS | GENERIC_KEYS | _TALK
    names = names_in(text, names_known(analyse(text)) if analyse else ())
    unsaid = [name for name in names if not set(key_of(name).split()) <= known]
    return f"a name that nobody said: {unsaid[0][:60]}" if unsaid else ""


# How a retelling names the two who talk.
_TALK = frozenset({"user", "assistant", "customer", "visitor", "person"})


def _drops(text: str, exchanges: Sequence[Exchange], analyse: Analyse | None, facts: Sequence[Fact]) -> str:
    if len(text) > _room(exchanges):
        return "longer than what it sums up"
    items = [item for item in key_items(_said(exchanges), analyse) if item.kind != "decision"]
    alone = key_of(text)
    in_all = f"{text_of((), facts)} | {alone}"
    if _kept(items, alone) < KEPT_ALONE * len(items):
        return "too little of what was said is kept"
    return "numbers or names are lost" if _kept(items, in_all) < KEPT_IN_ALL * len(items) else ""


def _kept(items: Sequence[Item], text_key: str) -> int:
    """How many items a retelling holds: of a number its figure, of a name all its words, wherever they stand."""
    words = set(text_key.split())
    return sum(
        contains_key(text_key, _essence(item)) or set(_essence(item).split()) <= words for item in items
    )


def _essence(item: Item) -> str:
    parts = item.key.split()
    figures = [part for part in parts if part[0].isdigit()]
    if item.kind == "number":
        return " ".join(figures or parts[:1])
    return " ".join(part for part in parts if part not in STOP_KEYS) or item.key


def _room(exchanges: Sequence[Exchange]) -> float:
    return max(_SHORTEST, LONGEST_SHARE * sum(map(len, _said(exchanges))))


def _said(exchanges: Sequence[Exchange]) -> list[str]:
    return [text for e in exchanges for text in (e.message, e.answer) if text]


def _entities(value: Any, text: str, exchanges: Sequence[Exchange], known: Sequence[str]) -> tuple[str, ...]:
    """Keys of what the text names: what the model lists, the terms of the turns, and the names in it."""
    listed = [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
    terms = [t.key for e in exchanges for t in (*e.terms, *e.inherited, *e.answer_terms)]
    keys = dict.fromkeys((*map(key_of, listed[:40]), *terms, *map(key_of, names_in(text, known))))
    text_key = key_of(text)
    return tuple(key for key in keys if contains_key(text_key, key))


def _json_object(text: str) -> JsonObject | None:
    """The first JSON object with a text, wherever it stands in the reply."""
    decoder = json.JSONDecoder(strict=False)
    start, tries = text.find("{"), 0
    while start != -1 and tries < 20:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict) and "text" in value:
            return value
        start, tries = text.find("{", start + 1), tries + 1
    return None
