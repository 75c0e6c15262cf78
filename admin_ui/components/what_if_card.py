"""A difference of a what-if replay as its page shows it: before beside after, with what differs marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from admin_ui.components.marks import KINDS, STATUSES, VERDICTS, Mark, mark_of
from admin_ui.components.rewrite import both_worded
from admin_ui.components.text_marks import Stretch, text_marks
from conversations.evaluation.what_if import Change, Side
from conversations.evaluation.what_if_records import WhatIfDifference

CHANGES: dict[str, Mark] = {
    Change.REWRITE: Mark("rewrite", "carry", "✎", "Other words are searched for."),
    Change.VERDICT: Mark("verdict", "superseded", "⚖", "The guard says something else of the rewrite."),
    Change.TOP_PASSAGE: Mark("top passage", "stale", "↑", "Another passage comes first."),
    Change.PASSAGES: Mark("passages", "offered", "⇄", "Other passages are found."),
    Change.SCOPE: Mark("scope", "plain", "▣", "The rewrite is shown other turns or entities."),
}
GONE = "A passage that is no longer there"


@dataclass(frozen=True, slots=True)
class Found:
    """A passage: where it is from. `document_id` is empty where it is gone."""

    title: str
    where: str = ""
    document_id: str = ""
    chunk_id: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class SlotMove:
    """An entity that is shown on one side only, or under another status."""

    name: str
    before: Mark | None
    after: Mark | None


@dataclass(frozen=True, slots=True)
class WhatIfCard:
    row: WhatIfDifference
    kind: Mark
    kind_after: Mark
    changes: tuple[Mark, ...]
    before: Side
    after: Side
    searched_before: tuple[Stretch, ...]
    searched_after: tuple[Stretch, ...]
    verdict_before: Mark
    verdict_after: Mark
    slots: tuple[SlotMove, ...]
    gained: tuple[Found, ...]
    lost: tuple[Found, ...]
    top_before: Found | None
    top_after: Found | None

    @property
    def kind_moved(self) -> bool:
        return self.before.kind != self.after.kind


def what_if_card(row: WhatIfDifference, found: Mapping[str, Found]) -> WhatIfCard:
    """`found` are the passages that the reader may see, by the id of their chunk."""
    before, after = Side.from_json(row.before or {}), Side.from_json(row.after or {})
    marks = text_marks(*both_worded(before, after))
    one, other = set(before.passages), set(after.passages)
    return WhatIfCard(
        row=row,
        kind=mark_of(KINDS, before.kind),
        kind_after=mark_of(KINDS, after.kind),
        changes=tuple(mark for change, mark in CHANGES.items() if getattr(row, change)),
        before=before,
        after=after,
        searched_before=tuple(stretch for stretch in marks if stretch.sign != "+"),
        searched_after=tuple(stretch for stretch in marks if stretch.sign != "-"),
        verdict_before=mark_of(VERDICTS, before.verdict),
        verdict_after=mark_of(VERDICTS, after.verdict),
        slots=_slots(before, after),
        gained=tuple(_found(chunk, found) for chunk in after.passages if chunk not in one),
        lost=tuple(_found(chunk, found) for chunk in before.passages if chunk not in other),
        top_before=_first(before, found),
        top_after=_first(after, found),
    )


def _slots(before: Side, after: Side) -> tuple[SlotMove, ...]:
    one, other = dict(before.slots), dict(after.slots)
    names = [name for name in dict.fromkeys((*one, *other)) if one.get(name) != other.get(name)]
    return tuple(SlotMove(name, _status(one.get(name)), _status(other.get(name))) for name in names)


def _status(status: str | None) -> Mark | None:
    return mark_of(STATUSES, status) if status else None


def _first(side: Side, found: Mapping[str, Found]) -> Found | None:
    return _found(side.passages[0], found) if side.passages else None


def _found(chunk: str, found: Mapping[str, Found]) -> Found:
    return found.get(chunk) or Found(GONE)
