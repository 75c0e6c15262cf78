"""What a turn was given beside its message: from memory, from the archive, and after a pause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from admin_ui.components.marks import Mark
from admin_ui.components.places import Place, Places
from conversations.domain.memory.notes import pause
from conversations.domain.memory.resume import RESUME_AFTER_SECONDS

NOTHING_NEW = Mark(
    "nothing new was found",
    "busy",
    "!",
    "Every passage had been shown before although the topic is young: the search may be stuck.",
)
ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Added:
    """What memory added to the prompt of the answer. Empty where it added nothing."""

    resume_note: str = ""
    correction_note: str = ""
    summary: str = ""
    facts: Sequence[str] = ()

    @property
    def told(self) -> str:
        """In a few words, for the line that opens it."""
        return " · ".join(self._told()) or "nothing"

    @property
    def nothing(self) -> bool:
        return not any(self._told())

    def _told(self) -> Iterator[str]:
        if self.resume_note:
            yield "resume note"
        if self.correction_note:
            yield "correction note"
        if self.summary:
            yield "summary"
        if self.facts:
            yield f"{len(self.facts)} fact{'' if len(self.facts) == 1 else 's'}"


def added(data: Mapping[str, Any]) -> Added:
    """From the trace's `background`."""
    told = data.get("background") or {}
    return Added(
        told.get("resume_note", ""),
        told.get("correction_note", ""),
        told.get("summary", ""),
        told.get("facts") or (),
    )


def recalled(data: Mapping[str, Any], places: Places) -> tuple[Place, ...]:
    """The turns that the archive brought back for this one."""
    return tuple(places.exchange(int(number)) for number in data.get("recalled") or ())


def paused(data: Mapping[str, Any]) -> str:
    """How long the conversation had rested before the turn, in words; empty for less than six hours."""
    seconds = float(data.get("idle_seconds") or 0)
    return pause(seconds) if seconds >= RESUME_AFTER_SECONDS else ""


def counted_by(data: Mapping[str, Any]) -> str:
    """How exact the token counts of a prompt are; empty when the trace does not say."""
    vocabulary = data.get("token_vocabulary") or ""
    if not vocabulary:
        return ""
    if vocabulary == ESTIMATE:
        return "Estimated, rather too many than too few: no vocabulary of this model is at hand."
    return f"Exact, counted with the model's own vocabulary {vocabulary}."
