"""What is worth counting of the work at hand, for whoever watches the platform. Without an observer nothing happens.

Only names, codes and figures are told here: never a text, and never who it was about.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class Counted(StrEnum):
    """What only ever grows."""

    TURNS = "turns"
    VERDICTS = "verdicts"
    MODEL_CALLS = "model_calls"
    MODEL_TOKENS = "model_tokens"
    CACHE = "cache"
    REFUSALS = "refusals"
    DOCUMENTS = "documents"
    LEAKAGE_CHECKS = "leakage_checks"


class Timed(StrEnum):
    """What takes time, in seconds."""

    TURN_STAGE = "turn_stage"


class Held(StrEnum):
    """What this process holds at the moment."""

    SOCKETS_OPEN = "sockets_open"


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many things wait, and since when the oldest does, None when nothing waits."""

    depth: int
    oldest: datetime | None


class Observer(Protocol):
    """Told of everything, from any thread. It must neither block nor raise."""

    def count(self, what: Counted, amount: float, labels: dict[str, str]) -> None: ...

    def time(self, what: Timed, seconds: float, labels: dict[str, str]) -> None: ...

    def hold(self, what: Held, change: int) -> None: ...


_observers: list[Observer] = []


def observe_with(observer: Observer | None) -> None:
    """Have this process watched by `observer`, or by nobody."""
    _observers[:] = [observer] if observer else []


def count(what: Counted, amount: float = 1, **labels: str) -> None:
    for observer in _observers:
        observer.count(what, amount, labels)


def took(what: Timed, seconds: float, **labels: str) -> None:
    for observer in _observers:
        observer.time(what, seconds, labels)


def hold(what: Held, change: int) -> None:
    """More (or with a negative number fewer) of it are held from now on."""
    for observer in _observers:
        observer.hold(what, change)
