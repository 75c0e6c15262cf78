"""How tests are shared out among workers: whole files, the longest first, and the browser's beside everything else.

Tests of the browser wait for pages more than they compute. They share one platform, so one worker has them all; it
begins with them, and takes its part of the rest when they are done.
"""

from __future__ import annotations

import os

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

BROWSER = "tests/browser"
MOST_CORES = 4
PATIENCE = (
    15  # machines that run tests are shared: only what takes so many times as long as it should is ended
)


def workers_for(cores: int) -> int:
    """One for each core up to four, since each has servers of its own, and one that mostly waits for the browser."""
    return min(cores, MOST_CORES) + 1


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def scope_of(nodeid: str) -> str:
    """What a worker takes at once: a file, or all that uses the browser's platform."""
    file = nodeid.split("::", 1)[0]
    return BROWSER if file.startswith(f"{BROWSER}/") else file


def longest_first(items: list[pytest.Item]) -> None:
    """The browser's, files by the seconds that they are marked with, then by how many tests they have.

    A long file that begins last leaves every other worker idle for as long as it takes.
    """
    sizes: dict[str, int] = {}
    seconds: dict[str, float] = {}
    for item in items:
        scope = scope_of(item.nodeid)
        sizes[scope] = sizes.get(scope, 0) + 1
        marked = item.get_closest_marker("takes")
        seconds[scope] = max(seconds.get(scope, 0), marked.args[0] if marked else 0)
    seconds[BROWSER] = float("inf")
    rank = {scope: (-seconds[scope], -size) for scope, size in sizes.items()}
    items.sort(key=lambda item: rank[scope_of(item.nodeid)])


def longer_timeouts(items: list[pytest.Item], usual: float) -> None:
    """What is marked as long may take in proportion, where that is more than the usual timeout, in seconds."""
    for item in items:
        marked = item.get_closest_marker("takes")
        allowed = marked.args[0] * PATIENCE if marked else 0
        if allowed > usual and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(allowed))


class SharedOut(LoadFileScheduling):
    """Hands out scopes in the order of the collection, which every worker has put right."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)
