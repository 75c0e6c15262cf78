"""Bars on a terminal for work that tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.progress import Progress

Report = Callable[[str, int, int], None]


def bars(progress: Progress) -> Report:
    """A `report(what, done, total)` that keeps a bar for each `what`."""
    known: dict[str, Any] = {}

    def report(what: str, done: int, total: int) -> None:
        if what not in known:
            known[what] = progress.add_task(what, total=total)
        progress.update(known[what], completed=done)

    return report


def named(report: Report, part: str) -> Report:
    """The same report, its bars headed by the part they belong to."""
    return lambda what, done, total: report(f"{part}: {what}", done, total)
