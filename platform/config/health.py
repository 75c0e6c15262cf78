"""Is the process alive, and can it do its work?"""

from __future__ import annotations

import valkey
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse


def healthz(request: HttpRequest) -> JsonResponse:
    """Alive: the process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Ready: the database and Valkey answer. 503 names what does not."""
    checks = {"database": _database(), "valkey": _valkey()}
    ready = all(checks.values())
    return JsonResponse({"ready": ready, **checks}, status=200 if ready else 503)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
    except DatabaseError:
        return False
    return True


def _valkey() -> bool:
    try:
        with valkey.Valkey.from_url(
            settings.VALKEY_URL, socket_timeout=1, socket_connect_timeout=1
        ) as client:
            return bool(client.ping())
    except valkey.ValkeyError:
        return False
