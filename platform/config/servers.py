"""Servers for commands that bring their own data: the configured ones, or throwaway ones where none run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connections

import embedded
from config import environment
from embedded.stack import running_stack, throwaway_state


def is_configured() -> bool:
    """Whether there is a database that will still be there afterwards."""
    return bool(environment.text("DATABASE_URL")) or embedded.endpoints(environment.STATE_DIR) is not None


@contextmanager
def available() -> Iterator[None]:
    """Inside, the database and Valkey answer. Throwaway ones are started, migrated, and removed afterwards."""
    if is_configured():
        yield
        return
    with throwaway_state() as state_dir, running_stack(state_dir) as addresses:
        connections.settings["default"].update(environment.database(addresses.database_url, pool=True))
        settings.VALKEY_URL = settings.CELERY_BROKER_URL = addresses.valkey_url
        layer: Any = settings.CHANNEL_LAYERS["default"]
        layer["CONFIG"]["hosts"] = [addresses.valkey_url]
        try:
            call_command("migrate", verbosity=0, interactive=False)
            yield
        finally:
            _closed()


def _closed() -> None:
    connection = connections["default"]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]
