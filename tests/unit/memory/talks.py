"""Long invented conversations, and the exchanges that a session would keep of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from conversations.domain.entities import terms_of
from conversations.domain.language import Analysis
from conversations.domain.state import Exchange, Term
from conversations.domain.words import key_of

TALKS = Path(__file__).parent / "talks"
_TURN = re.compile(r"^U: (?P<user>.*)\nA: (?P<answer>(?:(?!U: ).*\n?)*)", re.MULTILINE)


def term(text: str) -> Term:
    return Term(text, key_of(text), name=text[:1].isupper())


def exchange(
    turn: int, message: str, answer: str = "", about: Sequence[str] = (), thread: int = 1, segment: int = 1
) -> Exchange:
    """An exchange about the things named."""
    terms = tuple(term(text) for text in about)
    return Exchange(turn, message, message, "standalone", answer, terms=terms, thread=thread, segment=segment)


def long_talk(name: str, analyse: Callable[[str], Analysis]) -> tuple[Exchange, ...]:
    """A conversation of the folder; an empty line begins a new thread."""
    found: list[Exchange] = []
    for thread, stretch in enumerate((TALKS / f"{name}.txt").read_text().split("\n\n"), 1):
        for match in _TURN.finditer(stretch):
            terms = terms_of(analyse(match["user"]))[:12]
            turn = len(found) + 1
            found.append(
                Exchange(
                    turn,
                    match["user"],
                    match["user"],
                    "small_talk" if match["user"].lower().startswith("thank") else "standalone",
                    match["answer"].strip(),
                    terms=terms,
                    thread=thread,
                    segment=thread,
                )
            )
    return tuple(found)
