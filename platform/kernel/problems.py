"""What is wrong with a value that somebody wrote: where, in words, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

from kernel.json import JsonObject


class Severity(StrEnum):
    """An error forbids the value; a warning only says what it will cost."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """`path` leads to the place, such as `horizons.stale_after`, and is empty for the whole value.

    `allowed` says what would be right, such as "1 to 50 turns", where that can be said.
    """

    path: str
    message: str
    allowed: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        allowed = f" Allowed: {self.allowed}." if self.allowed else ""
        return f"{where}{self.message}{allowed}"

    def to_json(self) -> JsonObject:
        return asdict(self)


def errors_in(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that forbid the value."""
    return tuple(problem for problem in problems if problem.severity is Severity.ERROR)
