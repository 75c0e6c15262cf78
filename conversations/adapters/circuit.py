"""A circuit breaker: after several failures in a row a provider is left alone for a while.

closed → (`threshold` failures in a row) → open → (`cool_down` seconds) → half-open: one trial call, whose
outcome closes or opens it again. The pattern is M. Nygard's (Release It!, 2007).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

State = Literal["closed", "open", "half_open"]


class Circuit:
    """One per endpoint and model. Safe between threads; `clock` is in seconds and never steps back.

    Every `admit` that returned True is followed by exactly one of `succeeded`, `failed` or `abandoned`.
    """

    def __init__(
        self, *, threshold: int = 5, cool_down: float = 15.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._threshold, self._cool_down, self._clock = threshold, cool_down, clock
        self._failures = 0
        self._opened_at: float | None = None
        self._trial = False
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        with self._lock:
            return self._state()

    def admit(self) -> bool:
        """May a call go out now? In half-open only one may, until its outcome is known."""
        with self._lock:
            state = self._state()
            if state == "half_open" and not self._trial:
                self._trial = True
                return True
            return state == "closed"

    def retry_after(self) -> float:
        """Seconds until a trial call will be let through; 0 when calls go out now."""
        with self._lock:
            if self._opened_at is None:
                return 0.0
            left = self._opened_at + self._cool_down - self._clock()
            return min(self._cool_down, max(0.0, left))  # sums of floats may overshoot

    def succeeded(self) -> None:
        """The provider answered, be it to say no."""
        with self._lock:
            if self._opened_at is None or self._trial:
                self._failures, self._opened_at, self._trial = 0, None, False

    def failed(self) -> None:
        """The provider did not answer, or broke. Calls that were out when it opened do not prolong it."""
        with self._lock:
            self._failures += 1
            tripped = self._opened_at is None and self._failures >= self._threshold
            if tripped or self._trial:
                self._opened_at, self._trial = self._clock(), False

    def abandoned(self) -> None:
        """The caller went away before the outcome was known."""
        with self._lock:
            self._trial = False

    def _state(self) -> State:
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._clock() >= self._opened_at + self._cool_down else "open"
