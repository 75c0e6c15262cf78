"""What runs in the background at this moment, and how far it is: kept in the shared cache, gone when it has ended.

At most one run of a kind at a time. A run whose process died gives no sign any more and is forgotten after a while.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from django.core.cache import cache

from kernel.clock import now

QUEUED_SECONDS = 15 * 60
"""How long a run may wait for a worker until another may be asked for."""
SILENT_SECONDS = 10 * 60
QUIET = timedelta(seconds=45)
"""After so long without a sign the page says so."""
SIGN_EVERY = timedelta(seconds=0.5)
BROKEN_SECONDS = 24 * 60 * 60

Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Running:
    """`done` of `total`, from its first report on. `seen_at` is its last sign of life."""

    kind: str
    by: str
    asked_at: datetime
    seen_at: datetime
    state: Literal["waiting", "starting", "running"] = "waiting"
    what: str = ""
    done: int = 0
    total: int = 0

    @property
    def waits(self) -> bool:
        return self.state == "waiting"

    @property
    def starts(self) -> bool:
        return self.state == "starting"

    @property
    def is_quiet(self) -> bool:
        return now() - self.seen_at > QUIET


def running(kind: str) -> Running | None:
    found: Running | None = cache.get(_key(kind))
    return found


def running_claim(kind: str, *, by: str) -> bool:
    """Whether this run may be queued: no other of its kind waits or runs."""
    moment = now()
    cache.delete(_broken_key(kind))
    claimed: bool = cache.add(_key(kind), Running(kind, by, moment, moment), QUEUED_SECONDS)
    return claimed


def running_release(kind: str) -> None:
    cache.delete(_key(kind))


def broke_off(kind: str) -> str:
    """Why the last run ended without a result; empty when it did not."""
    found: str = cache.get(_broken_key(kind), "")
    return found


@contextmanager
def followed(kind: str, *, by: str) -> Iterator[Report]:
    """For as long as a run lasts: hands out the function that tells how far it is."""
    moment = now()
    told = running(kind) or Running(kind, by, moment, moment)
    cache.set(_key(kind), replace(told, seen_at=moment, state="starting"), SILENT_SECONDS)
    try:
        yield _reporter(told)
    except Exception as error:
        cache.set(_broken_key(kind), type(error).__name__, BROKEN_SECONDS)
        raise
    finally:
        running_release(kind)


def _reporter(told: Running) -> Report:
    last: list[Any] = [None]

    def report(what: str, done: int, total: int) -> None:
        moment = now()
        if last[0] is None or done == total or moment - last[0] >= SIGN_EVERY:
            last[0] = moment
            cache.set(
                _key(told.kind),
                replace(told, seen_at=moment, state="running", what=what, done=done, total=total),
                SILENT_SECONDS,
            )

    return report


def _key(kind: str) -> str:
    return f"staff-run:{kind}"


def _broken_key(kind: str) -> str:
    return f"staff-run-broken:{kind}"
