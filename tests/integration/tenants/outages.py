"""What happens to every installation: many at once, and a Valkey that cannot be reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

from django.db import connections


@contextmanager
def valkey_out_of_reach(settings: Any) -> Iterator[None]:
    address = settings.VALKEY_URL
    settings.VALKEY_URL = "redis://127.0.0.1:1/0"
    try:
        yield
    finally:
        settings.VALKEY_URL = address


def at_once(work: Callable[..., Any], over: Any, workers: int = 8) -> list[Any]:
    """Run it with each of `over` from several threads, each with a connection of its own; the results in order."""

    def run(item: Any) -> Any:
        try:
            return work(item)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(workers) as pool:
        return [run.result() for run in [pool.submit(copy_context().run, run, item) for item in over]]
