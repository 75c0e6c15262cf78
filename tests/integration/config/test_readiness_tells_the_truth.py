from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config import health

ALL = {"database", "valkey", "channel_layer", "embedder"}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """What earlier tests found is not known, and no question of theirs is still out."""
    monkeypatch.setattr(health, "_known", {})
    monkeypatch.setattr(health, "SECONDS", 20.0)
    asked = {name: health.Question(question._ask) for name, question in health.QUESTIONS.items()}
    monkeypatch.setattr(health, "QUESTIONS", asked)


@pytest.fixture
def paused() -> Iterator[int]:
    """A server that takes connections and never says a word, as one does whose processes are stopped."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield listening.getsockname()[1]


def _failing(client: Client) -> tuple[int, dict[str, str]]:
    answer = client.get("/readyz")
    told: dict[str, Any] = answer.json()
    assert set(told["components"]) == ALL and told["ready"] == (answer.status_code == 200)
    return answer.status_code, {k: v["reason"] for k, v in told["components"].items() if not v["ok"]}


def test_it_is_ready_when_everything_answers(db: None, client: Client) -> None:
    assert _failing(client) == (200, {})


def test_a_paused_database_is_a_503_and_no_hang(
    db: None, client: Client, paused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "SECONDS", 2.0)
    monkeypatch.setitem(connections.settings["default"], "PORT", str(paused))
    monkeypatch.setitem(connections.settings["default"], "HOST", "127.0.0.1")
    status, failing = _failing(client)
    assert status == 503 and failing["database"] == "no answer within 2 s"


def test_a_paused_valkey_is_a_503(db: None, client: Client, paused: int, settings: Any) -> None:
    settings.VALKEY_URL = f"redis://127.0.0.1:{paused}/0"
    assert _failing(client) == (503, {"valkey": "TimeoutError"})


def test_a_channel_layer_that_cannot_be_reached_is_a_503(db: None, client: Client, settings: Any) -> None:
    layer = settings.CHANNEL_LAYERS["default"]
    config = {**layer["CONFIG"], "hosts": ["redis://127.0.0.1:1/0"]}
    settings.CHANNEL_LAYERS = {"default": {**layer, "CONFIG": config}}
    status, failing = _failing(client)
    assert status == 503 and set(failing) == {"channel_layer"}


def test_a_migration_that_is_not_applied_is_a_503(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = health._migrations() | {("tenants", "9999_tomorrow")}
    monkeypatch.setattr(health, "_migrations", lambda: wanted)
    assert _failing(client) == (503, {"database": "1 migrations are not applied"})


def test_once_applied_migrations_are_not_looked_up_again(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _failing(client) == (200, {})
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda self: {})
    assert _failing(client) == (200, {})


def test_an_embedder_that_fails_is_a_503(db: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise OSError("no such model")

    monkeypatch.setattr(health, "equipment", broken)
    assert _failing(client) == (503, {"embedder": "OSError"})
