"""What the staff console asks of the running platform: to start audits, and how every part of it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

import django
import valkey
from django.conf import settings
from django.db import DatabaseError, connection

from admin_ui.staff.ports import Part
from config.celery import app

ANSWER_SECONDS = 1.0
LONG_QUEUE = 1000


class StaffPlatform:
    """`admin_ui.staff.ports.Platform` with this installation's database, Valkey and workers."""

    def start(self, kind: str, *, by: str, probes: int) -> None:
        from config.tasks import audit_start  # tasks import the applications, which are not ready at start

        audit_start.apply_async((kind, by, probes), retry=False)

    def parts(self) -> tuple[Part, ...]:
        return (_timed("Database", _database), _timed("Valkey", _valkey), _queue(), _workers(), _version())


def _timed(name: str, ask: Callable[[], str]) -> Part:
    started = time.perf_counter()
    try:
        said = ask()
    except (DatabaseError, valkey.ValkeyError, OSError) as error:
        return Part(name, False, f"does not answer: {type(error).__name__}")
    return Part(name, True, f"{said} · answered in {1000 * (time.perf_counter() - started):.0f} ms")


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('server_version'), pg_database_size(current_database())")
        number, size = cursor.fetchone()
    return f"PostgreSQL {number.split()[0]} · {size / 1e6:,.0f} MB"


def _valkey() -> str:
    with _client() as client:
        told = client.info()
    number = told.get("valkey_version") or told.get("redis_version", "")
    return f"Valkey {number} · {told['used_memory'] / 1e6:,.0f} MB in memory"


def _queue() -> Part:
    if settings.CELERY_BROKER_URL != settings.VALKEY_URL:
        return Part("Queue", None, "kept by a broker of its own, which tells how long it is")
    try:
        with _client() as client:
            waiting = int(client.llen(settings.CELERY_TASK_DEFAULT_QUEUE))
    except (valkey.ValkeyError, OSError):
        return Part("Queue", None, "not known while Valkey does not answer")
    note = f"{waiting:,} task{'' if waiting == 1 else 's'} waiting for a worker"
    return Part("Queue", waiting < LONG_QUEUE, note)


def _workers() -> Part:
    """Those that answer within a second: a worker busy in one long step may miss it."""
    try:
        answers = app.control.inspect(timeout=ANSWER_SECONDS).ping() or {}
    except Exception as error:  # whatever the broker's client raises
        return Part("Workers", None, f"could not be asked: {type(error).__name__}")
    if not answers:
        return Part(
            "Workers", False, "none answered within a second: start one, or look again if all are busy"
        )
    names = sorted(name.partition("@")[2] or name for name in answers)
    return Part("Workers", True, f"{len(names)} answered: {', '.join(names[:6])}")


def _version() -> Part:
    try:
        number = version("antecedent")
    except PackageNotFoundError:
        number = "from a source checkout"
    return Part("Version", None, f"Antecedent {number} · Django {django.get_version()}")


def _client() -> valkey.Valkey:
    return valkey.Valkey.from_url(
        settings.VALKEY_URL, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS
    )
