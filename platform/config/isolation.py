"""The isolation self-test with the application that serves people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, cast
from urllib.parse import urlsplit

from django.db import connections

import embedded
from config import environment
from config.evaluating import throwaway_equipment
from config.progress import Report
from conversations.audits.isolation import Result, ground, tried
from kernel.errors import Invalid
from kernel.json import JsonObject


def run(report: Report) -> tuple[Result, ...]:
    """Every check, with two tenants that are made for it and removed afterwards."""
    from config.asgi import application  # loads the language model: only when used

    with throwaway_equipment(), ground(application) as sides:
        return tried(sides, report)


def as_json(results: Sequence[Result]) -> JsonObject:
    """{"checks": [{"name", "passed", "evidence"}], "passed", "failed"}."""
    passed = sum(result.passed for result in results)
    checks = [result.as_json() for result in results]
    return {"checks": checks, "passed": passed, "failed": len(results) - passed}


def perhaps_broken() -> AbstractContextManager[Any]:
    """Breaks the lock that ANTECEDENT_BROKEN_LOCK names: in a source checkout only, where the tests are."""
    name = os.environ.get("ANTECEDENT_BROKEN_LOCK", "")
    if not name:
        return nullcontext()
    locks = import_module("tests.broken_locks")
    return cast("AbstractContextManager[Any]", locks.broken(name, _superuser_url()))


def _superuser_url() -> str:
    running = embedded.endpoints(environment.STATE_DIR)
    if running is None:
        raise Invalid(reason="Locks are broken on purpose on an embedded stack only: `manage.py up` first.")
    database = connections["default"].settings_dict["NAME"]
    return urlsplit(running.superuser_database_url)._replace(path=f"/{database}").geturl()
