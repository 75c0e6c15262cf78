"""What came of a scenario: every turn as it was held, and what the session kept."""

from __future__ import annotations

from dataclasses import dataclass, field

from conversations.domain.memory.values import Memory
from conversations.domain.state import Exchange
from conversations.domain.window import Background
from conversations.evaluation.running import Found
from conversations.evaluation.scenarios.judging import Judgement
from conversations.evaluation.scenarios.script import Script, ScriptedTurn
from kernel.json import JsonObject


@dataclass(frozen=True, slots=True)
class Compared:
    """Recall of the gold passages among the first five: with the query as rewritten, and with the message as typed."""

    rewritten: float
    typed: float


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """One turn. `found` and `chunks` are the passages given to the answer, in order.

    `background` is what memory added to the context, `recent` the earlier turns shown word for word, `tokens` what
    a model's prompt takes by section. `model_calls` are those a configured model gets: none, one or two.
    `exchange` is how the turn is remembered.
    """

    script: ScriptedTurn
    query: str
    display: str
    kind: str
    rewritten: bool
    verdict: str
    searched: tuple[str, ...]
    found: tuple[Found, ...]
    chunks: tuple[str, ...]
    answer: str
    exchange: Exchange
    judgement: Judgement
    background: Background = field(default_factory=Background)
    recent: tuple[str, ...] = ()
    tokens: dict[str, int] = field(default_factory=dict)
    model_calls: int = 0
    compared: Compared | None = None
    trace: JsonObject = field(default_factory=dict)

    @property
    def n(self) -> int:
        return self.script.n

    @property
    def prompt_tokens(self) -> int:
        return sum(self.tokens.values())


@dataclass(frozen=True, slots=True)
class HeldConversation:
    """A scenario from its first turn to its last.

    `memory` is what the session keeps after the last turn, `closed` what it will keep once the last turns are
    summarised as well.
    """

    script: Script
    turns: tuple[HeldTurn, ...]
    memory: Memory
    closed: Memory
    engine: str = "offline"

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(turn.exchange for turn in self.turns)
