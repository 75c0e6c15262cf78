"""What commands that measure have in common: a console, bars on a terminal, figures as JSON, an orderly end."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from config.progress import Report, bars

# In a pipe there is no terminal to ask for a width, and a narrow default would cut the columns.
WIDTH_IN_A_PIPE = 160


def console_for(width_in_a_pipe: int = WIDTH_IN_A_PIPE) -> Console:
    """Where tables go. Width in characters; a terminal has its own."""
    return Console(width=None if sys.stdout.isatty() else width_in_a_pipe)


@contextmanager
def progress_on(console: Console) -> Iterator[Report]:
    """Bars for as long as the work inside lasts; nothing where there is no terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield bars(progress)


def write_figures(out: Path | None, figures: object) -> None:
    """What `--json OUT` asks for. Raises OSError."""
    if out is not None:
        out.write_text(f"{json.dumps(figures, indent=2, ensure_ascii=False)}\n", encoding="utf-8")


def p95(values: Sequence[float]) -> float:
    """The value that 95 of 100 do not exceed; the largest of few."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Ended from outside, the command still removes what it loaded."""

    def leave(signum: int, frame: Any) -> None:
        raise SystemExit(128 + signum)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
