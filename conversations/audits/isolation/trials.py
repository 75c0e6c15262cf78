"""Trials: what is attempted against the wall, and what came of it.

A trial returns what it saw, in words with figures, or raises `Leaked` with what it should never have seen. Whatever
else it raises counts as failed too: a check that could not be carried out proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from conversations.evaluation.library import Report
from kernel.json import JsonObject

if TYPE_CHECKING:
    from conversations.audits.isolation.ground import Ground

Trial = Callable[["Ground"], str]
TRIALS: dict[str, Trial] = {}


class Leaked(Exception):
    """Something was reached that must not be. Its text is the evidence."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one trial."""

    name: str
    passed: bool
    evidence: str

    def as_json(self) -> JsonObject:
        return asdict(self)


def trial(name: str) -> Callable[[Trial], Trial]:
    """Adds a trial to those that `tried` carries out, under a name that staff can read."""

    def added(attempt: Trial) -> Trial:
        TRIALS[name] = attempt
        return attempt

    return added


def tried(ground: Ground, report: Report) -> tuple[Result, ...]:
    """The outcome of every trial, in order."""
    results = []
    for number, (name, attempt) in enumerate(TRIALS.items(), 1):
        results.append(outcome(name, attempt, ground))
        report("checks", number, len(TRIALS))
    return tuple(results)


def outcome(name: str, attempt: Trial, ground: Ground) -> Result:
    """What came of one trial."""
    try:
        return Result(name, True, attempt(ground))
    except Leaked as leak:
        return Result(name, False, str(leak))
    except Exception as error:
        return Result(name, False, f"could not be carried out: {type(error).__name__}: {error}")


def refused(attempt: Callable[[], Any], *errors: type[Exception]) -> str:
    """The name of the refusal. Raises `Leaked` when the attempt succeeds."""
    try:
        got = attempt()
    except errors as refusal:
        return type(refusal).__name__
    raise Leaked(f"{_words(attempt)} was not refused and returned {str(got)[:200]!r}")


def nothing(found: Sized, what: str) -> None:
    """Raises `Leaked` when anything was found."""
    if found:
        raise Leaked(f"{what}: {len(found)} found, such as {str(next(iter(found), ''))[:120]!r}")  # type: ignore[call-overload]


def _words(attempt: Callable[[], Any]) -> str:
    return getattr(attempt, "__name__", "an attempt").replace("_", " ").strip("<>")
