"""What a scenario is made of: messages in their order, what is expected of each, and the facts that must be kept.

Nothing in here knows what the engine did. Expectations are only looked at once a turn is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a careful person would search for at a turn.

    `required` and `forbidden` are terms, matched as whole words in a row; a term may list alternatives between
    bars ("fee|cost"). `gold` are references `<file>#<quote>`: a passage of the file that holds the quote.
    `depends` says that the message cannot be understood alone, `continues` which turn it goes on from (0: none),
    `needs` names the key facts of earlier turns that a good answer rests on, `why` is for the reader.
    """

    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    depends: bool = False
    continues: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class ScriptedTurn:
    """The `n`-th message of the conversation, counted from 1."""

    n: int
    message: str
    expected: Expectation


@dataclass(frozen=True, slots=True)
class KeyFact:
    """A fact that the user states at `turn` and that must survive: all `words` in one statement.

    A correction names the turn it `corrects`; the words of `outdated`, together in one statement without any of
    `words`, would show the old value as if it still held.
    """

    name: str
    turn: int
    words: tuple[str, ...]
    corrects: int = 0
    outdated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """A scenario. `documents` are loaded before it begins; the turns of `judged` are shown in detail."""

    name: str
    title: str
    documents: tuple[Path, ...]
    turns: tuple[ScriptedTurn, ...]
    facts: tuple[KeyFact, ...] = ()
    judged: tuple[int, ...] = ()

    def fact(self, name: str) -> KeyFact:
        return next(fact for fact in self.facts if fact.name == name)
