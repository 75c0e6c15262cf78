"""Database work of async code, in threads of its own.

Channels and Django would run all synchronous work of a process in one thread, so that sockets queue behind one
another. Here each call takes a thread of a bounded pool; the scope follows it through the copied context, and its
connection goes back to the connection pool when the call ends.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import connections

P = ParamSpec("P")
R = TypeVar("R")

_POOL = ThreadPoolExecutor(max_workers=12, thread_name_prefix="database")


async def in_thread(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run blocking work beside the event loop, inside the caller's scope."""
    call = partial(contextvars.copy_context().run, _then_release, function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_POOL, call)


def _then_release(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    try:
        return function(*args, **kwargs)
    finally:
        connections.close_all()
