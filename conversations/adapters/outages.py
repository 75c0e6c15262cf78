"""What the clients of the database and of Valkey raise when their server cannot be reached at this moment."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from redis.exceptions import RedisError  # the channel layer's client
from valkey.exceptions import ValkeyError

CACHE_OUTAGES = (ValkeyError, RedisError, OSError)
OUTAGES = (OperationalError, InterfaceError, *CACHE_OUTAGES)
