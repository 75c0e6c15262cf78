"""Keeps a lease while its worker is busy without writing: reading a file, or waiting for an answer from elsewhere.

Leases are short, so that what a worker has died over is soon another's. A living process renews them from a thread
beside the work, whatever the work waits for; but not for a try that has written nothing for so long that it must be
stuck.
"""

from __future__ import annotations

import contextvars
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from typing import Any
from uuid import UUID

from django.db import connections, transaction
from django.db.models import QuerySet
from django.db.utils import Error

from kernel.clock import now

_log = logging.getLogger(__name__)

BEATS_PER_LEASE = 4
SILENCE_SECONDS = 90.0
"""Longer than any silence of a healthy try: one batch of vectors, or a fetch, with all its retries."""
_wrote: dict[UUID, float] = {}
"""When each try of this process wrote last, by its token, on the monotonic clock in seconds."""


def lease_written(token: UUID) -> None:
    """The try writes, and renews its lease with it: it is not stuck."""
    if token in _wrote:
        _wrote[token] = time.monotonic()


@contextmanager
def lease_kept(held: QuerySet[Any], token: UUID, lease: timedelta) -> Iterator[None]:
    """Inside, the lease on the one row in `held` does not run out while this process lives and the try is not stuck.

    `held` finds no row once the lease is another's.
    """
    over = Event()
    call = (_beat, held, token, lease, over)
    _wrote[token] = time.monotonic()
    Thread(target=contextvars.copy_context().run, args=call, name=f"lease {token}", daemon=True).start()
    try:
        yield
    finally:
        over.set()
        del _wrote[token]


def _beat(held: QuerySet[Any], token: UUID, lease: timedelta, over: Event) -> None:
    while not over.wait(lease.total_seconds() / BEATS_PER_LEASE):
        if time.monotonic() - _wrote.get(token, 0.0) > SILENCE_SECONDS:
            return
        try:
            _renew(held, lease)
        except Error as error:
            _log.warning("a lease was not renewed: %s", type(error).__name__)
        finally:
            connections.close_all()


@transaction.atomic
def _renew(held: QuerySet[Any], lease: timedelta) -> None:
    """A row that the try is writing at this moment is renewed by that."""
    free = held.select_for_update(skip_locked=True).values("pk")
    held.filter(pk__in=free).update(lease_until=now() + lease)
