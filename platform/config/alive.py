"""Whether one of the processes lives, asked cheaply from beside it: for the checks of containers.

The web process is asked over HTTP. Worker and beat serve nothing; each touches a file as long as its loop turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

from config import environment as env
from kernel import programs

# A worker's loop turns every two seconds and beat's at least every fifteen; a slow machine gets more.
STALE_SECONDS = 120.0
_PATHS = {"web": "/healthz", "ready": "/readyz"}


def main(arguments: Sequence[str]) -> int:
    """`web`, `ready`, `worker` or `beat`: 0 when it is well, 1 when not, 2 for another name."""
    name = arguments[0] if arguments else ""
    if name in _PATHS:
        return 0 if _answers(_PATHS[name]) else 1
    if name in {"worker", "beat"}:
        return 0 if _is_fresh(pulse_file(name)) else 1
    print(f"antecedent alive {'|'.join([*_PATHS, 'worker', 'beat'])}", file=sys.stderr)  # noqa: T201
    return 2


def pulse(name: str) -> None:
    """Say that a process lives."""
    path = pulse_file(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def pulse_file(name: str) -> Path:
    return env.STATE_DIR / "alive" / name


def _is_fresh(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime < STALE_SECONDS
    except FileNotFoundError:
        return False


def _answers(path: str) -> bool:
    return programs.answers("127.0.0.1", int(env.text("WEB_PORT", "8000")), path)
