"""Which session, turn and request the work at hand belongs to, for whoever writes about it.

Ids only: nothing that anybody said or uploaded is ever put here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_NOTHING: Mapping[str, str] = {}
_ids: ContextVar[Mapping[str, str]] = ContextVar("log_ids", default=_NOTHING)


@contextmanager
def logged_as(**ids: object) -> Iterator[None]:
    """Every line logged within carries these ids besides those around it; None leaves one out."""
    token = _ids.set({**_ids.get(), **{name: str(value) for name, value in ids.items() if value is not None}})
    try:
        yield
    finally:
        _ids.reset(token)


def log_ids() -> Mapping[str, str]:
    """The ids in force here, by name."""
    return _ids.get()
