"""What the guard says of a rewrite and what was done about it.

Every verdict is shown to people under these names, in the trace, the console and the audit.
A turn is never blocked: at worst the message is searched as it was typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from conversations.domain.classify import Evidence


class Verdict(StrEnum):
    CLEAN = "clean"
    CONTAMINATED = "contaminated"
    INVENTED = "invented"
    DIVERGED = "diverged"
    MALFORMED = "malformed"
    REVOKED = "revoked"


FLAGGED = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.CLEAN)
"""The verdicts of turns that somebody should look at."""


class Action(StrEnum):
    ACCEPTED = "accepted"
    REPAIRED = "repaired"
    FELL_BACK = "fell_back"


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing wrong with a rewrite: the verdict it earns, the words at fault, and why."""

    verdict: Verdict
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """The query that goes to retrieval. `offending` are the words that were kept out of it.

    `origin` says whose wording it is: "model", "offline" or "typed".
    """

    query: str
    verdict: Verdict = Verdict.CLEAN
    action: Action = Action.ACCEPTED
    origin: str = "offline"
    objections: tuple[Objection, ...] = ()
    offending: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    display: str = ""
