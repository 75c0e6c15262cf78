"""What the clients of the database and of Valkey raise when their server cannot be reached at this moment."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from redis.exceptions import RedisError  # the channel layer's client
from valkey.exceptions import ValkeyError

from kernel.database import database_is_away
from kernel.disk import disk_is_full

DATABASE_OUTAGES = (OperationalError, InterfaceError)
CACHE_OUTAGES = (ValkeyError, RedisError, OSError)
OUTAGES = (*DATABASE_OUTAGES, *CACHE_OUTAGES)


def database_comes_back(error: BaseException) -> bool:
    """Whether the database is away or has no room: what it was asked can be asked again when that is over."""
    return isinstance(error, DATABASE_OUTAGES) and (
        database_is_away(error, DATABASE_OUTAGES) or disk_is_full(error)
    )
