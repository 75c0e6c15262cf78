from __future__ import annotations

import json
import logging
import sys
from typing import Any
from uuid import uuid4

import pytest

from config.logging_json import HIDDEN, JsonLines, without_secrets
from kernel.log_ids import log_ids, logged_as
from tenants.scoping import tenant_scope


def _line(message: str, *values: object, error: bool = False) -> dict[str, Any]:
    exc_info = sys.exc_info() if error else None
    record = logging.LogRecord("library.loans", logging.WARNING, __file__, 1, message, values, exc_info)
    text = JsonLines().format(record)
    assert "\n" not in text
    return dict(json.loads(text))


def test_it_names_tenant_session_and_turn() -> None:
    tenant = uuid4()
    with tenant_scope(tenant), logged_as(session="s1", request=None), logged_as(turn=7):
        line = _line("shelf %s\nis full", 4)
    assert line["tenant"] == str(tenant)
    assert (line["session"], line["turn"]) == ("s1", "7")
    assert line["message"] == "shelf 4\nis full"
    assert "request" not in line


def test_it_forgets_the_ids_afterwards() -> None:
    with logged_as(turn="t1"):
        pass
    assert log_ids() == {}
    assert "turn" not in _line("closed")


def test_it_says_where_an_error_happened_and_not_what_it_quotes() -> None:
    try:
        raise ValueError("my knee hurts since Tuesday")
    except ValueError:
        line = _line("failed", error=True)
    assert line["error"]["type"] == "ValueError"
    assert __name__.rpartition(".")[2] in line["error"]["where"][0]
    assert "knee" not in json.dumps(line)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer hunter2hunter2",
        "key sk-hunter2hunter2",
        "postgresql://app:hunter2@db/antecedent",
        "password=hunter2",
        '{"api_key": "hunter2"}',
    ],
)
def test_it_hides_secrets(text: str) -> None:
    assert "hunter2" not in without_secrets(text)
    assert HIDDEN in without_secrets(text)
