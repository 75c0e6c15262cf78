"""Runs `manage.py scenario` on this run's servers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from config import environment


@pytest.fixture
def played(
    transactional_db: None, stack: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[str], dict[str, Any]]:
    """Plays a scenario and returns its JSON."""
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    # Half of the time goes into vectors: those of the last run are kept, by the hash of their text.
    monkeypatch.setitem(settings.ANTECEDENT, "STATE_DIR", environment.STATE_DIR)

    def play(name: str) -> dict[str, Any]:
        out = tmp_path / "out.json"
        call_command("scenario", name, json=out)
        told: dict[str, Any] = json.loads(out.read_text())
        return told

    return play
