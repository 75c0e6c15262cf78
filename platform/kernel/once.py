"""What is made once for a process, whoever asks for it first and however many ask at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class MadeOnce(Generic[P, R]):
    """`functools.cache` that makes one thing for each set of arguments: by itself it makes one for every thread that
    asks before the first is done, and all but the last are thrown away in use."""

    def __init__(self, make: Callable[P, R]) -> None:
        self._made: Any = cache(make)
        self._one_at_a_time = RLock()
        self.__doc__, self.__name__ = make.__doc__, make.__name__

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._one_at_a_time:
            made: R = self._made(*args, **kwargs)
            return made

    def cache_clear(self) -> None:
        """Make it anew when it is next asked for."""
        self._made.cache_clear()


def made_once(make: Callable[P, R]) -> MadeOnce[P, R]:
    return MadeOnce(make)
