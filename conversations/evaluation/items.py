"""Follow-up sets: what is asked of the engine, and, kept apart until scoring, what a right outcome holds.

One item is one line of JSON; `sets/README.md` describes its fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernel.errors import DomainError
from kernel.json import JsonObject


class BadFollowUpSet(DomainError):
    """{file}, line {line}: {reason}"""

    code = "bad_followup_set"


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A user message of the prefix with the answer it got, empty where the next message came first."""

    message: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """All that the engine is shown of an item, with its name and stratum for the books."""

    id: str
    stratum: str
    prefix: tuple[Exchanged, ...]
    follow_up: str

    @property
    def conversation(self) -> str:
        """Everything that was said, the new message included."""
        said = [part for turn in self.prefix for part in (turn.message, turn.answer)]
        return "\n".join((*said, self.follow_up))


@dataclass(frozen=True, slots=True)
class Labels:
    """What a right outcome holds: for scoring only.

    `gold` are references of passages: a passage's id, or `<document>#<quote>` for any passage of the document
    that holds the quote. `dependent` is True when the message needs its history, False when it is self-contained
    or nobody is sure, None when the set does not say.
    """

    gold: tuple[str, ...]
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    dependent: bool | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its labels still folded away. `documents` names the documents that a shipped item is about."""

    question: Question
    documents: str
    _line: JsonObject

    def labels(self) -> Labels:
        """Unfolded when the outcome is there."""
        line = self._line
        dependent = line.get("meta", {}).get("context_dependent")
        return Labels(
            gold=tuple(line["gold"]),
            required=tuple(line.get("required_in_rewrite", ())),
            forbidden=tuple(line.get("forbidden_in_rewrite", ())),
            dependent=dependent if isinstance(dependent, bool) else None,
        )


def items_from(path: Path) -> tuple[Item, ...]:
    """The items of a set. Raises `BadFollowUpSet` with the line that cannot be used."""
    items = tuple(_item(path, number, line) for number, line in _lines(path))
    if not items:
        raise BadFollowUpSet(file=path.name, line=1, reason="there is no item in it")
    return items


def objects_from(path: Path, *fields: str) -> Iterator[JsonObject]:
    """The JSON objects of a file of lines, each with the text fields named. Raises `BadFollowUpSet`."""
    for number, line in _lines(path):
        if missing := [name for name in fields if not isinstance(line.get(name), str)]:
            raise BadFollowUpSet(file=path.name, line=number, reason=f"no text called {missing[0]}")
        yield line


def _lines(path: Path) -> Iterator[tuple[int, JsonObject]]:
    with path.open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                yield number, _object(path, number, text)


def _object(path: Path, number: int, text: str) -> JsonObject:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadFollowUpSet(file=path.name, line=number, reason=f"not JSON: {error.msg}") from error
    if not isinstance(value, dict):
        raise BadFollowUpSet(file=path.name, line=number, reason="not an object")
    return value


def _item(path: Path, number: int, line: JsonObject) -> Item:
    for name, kind in (("id", str), ("stratum", str), ("prefix", list), ("follow_up", str), ("gold", list)):
        if not isinstance(line.get(name), kind):
            raise BadFollowUpSet(file=path.name, line=number, reason=f"no {kind.__name__} called {name}")
    if not line["gold"]:
        raise BadFollowUpSet(file=path.name, line=number, reason="no gold passage")
    return item_of(line)


def item_of(line: JsonObject) -> Item:
    """The item of an object that has all its fields."""
    prefix = tuple(_exchanges(line["prefix"]))
    question = Question(line["id"], line["stratum"], prefix, line["follow_up"])
    return Item(question, str(line.get("meta", {}).get("tenant") or ""), line)


def _exchanges(messages: list[dict[str, Any]]) -> Iterator[Exchanged]:
    """User messages with what was answered before the next one. What came before the first is a greeting."""
    asked: str | None = None
    answers: list[str] = []
    for message in messages:
        if message["role"] != "user":
            answers.append(message["content"])
            continue
        if asked is not None:
            yield Exchanged(asked, "\n".join(answers))
        asked, answers = message["content"], []
    if asked is not None:
        yield Exchanged(asked, "\n".join(answers))
