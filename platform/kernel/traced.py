"""Spans: which piece of work took how long, inside which other one, across processes. Without a tracer nothing happens.

Only names, codes, ids and figures are told here: never a message, a query or a document's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol

Attributes = Mapping[str, str | int | float | bool]
_NONE: Attributes = {}


class Kind(StrEnum):
    """Work that comes in from outside begins a trace where none is carried; the others only ever go on with one."""

    SERVED = "server"
    CONSUMED = "consumer"
    CALLED = "client"
    INSIDE = "internal"

    @property
    def begins(self) -> bool:
        return self in (Kind.SERVED, Kind.CONSUMED)


class Span(Protocol):
    """A piece of work under way."""

    def note(self, attributes: Attributes) -> None: ...

    def named(self, name: str) -> None:
        """What it is called, where that is known only at its end."""

    def failed(self, code: str) -> None:
        """It went wrong: an error's code or type, or a status, never its text."""


class Tracer(Protocol):
    """Told of every piece of work, from any thread. It must neither block nor raise."""

    def span(
        self, name: str, kind: Kind, attributes: Attributes, carried: str
    ) -> AbstractContextManager[Span]: ...

    def current(self) -> Span | None: ...

    def ids(self) -> Mapping[str, str]: ...

    def traceparent(self) -> str: ...


class _Nothing:
    """The span of whoever is not watched."""

    def __enter__(self) -> Span:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def note(self, attributes: Attributes) -> None:
        return None

    def named(self, name: str) -> None:
        return None

    def failed(self, code: str) -> None:
        return None


NOTHING = _Nothing()
_tracers: list[Tracer] = []


def trace_with(tracer: Tracer | None) -> None:
    """Have this process traced by `tracer`, or by nobody."""
    _tracers[:] = [tracer] if tracer else []


def span(
    name: str, kind: Kind = Kind.INSIDE, attributes: Attributes = _NONE, *, carried: str = ""
) -> AbstractContextManager[Span]:
    """The work inside is a piece of the one around it, or of the one that `carried` (a W3C `traceparent`) names.

    An exception that leaves it marks it as failed; one that only ends it early, as a cancelled answer's, does not.
    """
    for tracer in _tracers:
        if kind.begins or tracer.current() is not None:
            return tracer.span(name, kind, attributes, carried)
    return NOTHING


def note(attributes: Attributes) -> None:
    """Say more of the innermost piece of work that is under way."""
    for tracer in _tracers:
        if (current := tracer.current()) is not None:
            current.note(attributes)


def trace_ids() -> Mapping[str, str]:
    """`trace` (32 hexadecimal digits) and `span` (16) of the work at hand; empty when it is not traced."""
    for tracer in _tracers:
        return tracer.ids()
    return {}


def traceparent() -> str:
    """What another process is handed to go on with this trace; empty when there is none. W3C Trace Context, 3.2."""
    for tracer in _tracers:
        return tracer.traceparent()
    return ""
