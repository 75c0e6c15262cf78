"""Turns of an invented conversation in a public library, as a scenario would have held them."""

from __future__ import annotations

from typing import Any

from conversations.domain.memory.values import Fact, Memory, SummaryPart
from conversations.domain.state import Exchange, Term
from conversations.evaluation.running import Found
from conversations.evaluation.scenarios.held import HeldConversation, HeldTurn
from conversations.evaluation.scenarios.judging import judged
from conversations.evaluation.scenarios.script import Expectation, KeyFact, Script, ScriptedTurn


def term(text: str) -> Term:
    return Term(text, text.lower())


def turn(
    n: int, message: str, query: str = "", expected: Expectation | None = None, **about: Any
) -> HeldTurn:
    """A held turn. `terms` are what the message named, `answered` what its answer named."""
    expected, query = expected or Expectation(), query or message
    found = tuple(about.pop("found", ()))
    exchange = Exchange(
        turn=n,
        message=message,
        query=query,
        kind="follow_up",
        terms=tuple(map(term, about.pop("terms", ()))),
        answer_terms=tuple(map(term, about.pop("answered", ()))),
    )
    return HeldTurn(
        script=ScriptedTurn(n, message, expected),
        query=query,
        display=query,
        kind="follow_up",
        rewritten=query != message,
        verdict="clean",
        searched=(query,),
        found=found,
        chunks=tuple(about.pop("chunks", ())),
        answer="",
        exchange=exchange,
        judgement=judged(expected, query, (query,), found),
        **about,
    )


def held(*turns: HeldTurn, facts: tuple[KeyFact, ...] = (), memory: Memory | None = None) -> HeldConversation:
    script = Script("library", "At the library", (), tuple(t.script for t in turns), facts)
    memory = memory or Memory()
    return HeldConversation(script, turns, memory, memory)


def passage(text: str, name: str = "rules.md") -> Found:
    return Found(name, text)


def fact(text: str, value: str, n: int = 1, *, replaced_in: int = 0) -> Fact:
    return Fact("the user", "the user", text, value, n, said_by="user", replaced_in=replaced_in)


def part(text: str, first: int = 1, last: int = 1) -> SummaryPart:
    return SummaryPart(first, last, text)
