"""A small external set with its passages, and the command that runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

PASSAGES = {
    "rpo-fra": "In Frankfurt the recovery point objective (RPO) is 5 minutes.",
    "rto-fra": "In Frankfurt the recovery time objective (RTO) is 1 hour.",
    "rpo-dub": "In Dublin the recovery point objective (RPO) is 15 minutes.",
    "rto-dub": "In Dublin the recovery time objective (RTO) is 4 hours.",
    "keys": "A customer-managed key costs 3 euros per key and month.",
    "rotation": "A customer-managed key is rotated every 90 days.",
    "shoes": "Shoes can be returned within 30 days in their box.",
}


def item(id: str, stratum: str, follow_up: str, gold: str, *said: str, **labels: Any) -> dict[str, Any]:
    """One line of a set; `said` are the messages so far, the user's first."""
    roles = ("user", "assistant")
    return {
        "id": id,
        "stratum": stratum,
        "prefix": [{"role": roles[n % 2], "content": text} for n, text in enumerate(said)],
        "follow_up": follow_up,
        "gold": [gold],
        "reference_rewrite": None,
        "required_in_rewrite": labels.get("required", []),
        "forbidden_in_rewrite": labels.get("forbidden", []),
        "meta": {"context_dependent": labels.get("dependent", False), "in_scope": []},
    }


DUBLIN = ("What is the RPO in Dublin?", "In Dublin the RPO is 15 minutes.")
ITEMS = [
    item("one", "first_turn", "What is the RTO in Frankfurt?", "rto-fra"),
    item("two", "near_followup", "and the RTO there?", "rto-dub", *DUBLIN, required=["Dublin"], dependent=True),
    item("three", "post_pivot_standalone", "What does a customer-managed key cost?", "keys", *DUBLIN, forbidden=["Dublin"]),
]  # fmt: skip


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return lines(
        tmp_path / "corpus.jsonl", [{"id": id, "domain": "x", "text": text} for id, text in PASSAGES.items()]
    )


@pytest.fixture
def evaluated(
    transactional_db: None, stack: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, corpus: Path
) -> Callable[..., dict[str, Any]]:
    """Runs `manage.py evaluate followups` over the small set and returns its JSON."""
    # The command must use this run's servers and start none.
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setitem(settings.ANTECEDENT, "STATE_DIR", tmp_path / "state")

    def run(items: list[dict[str, Any]] | None = None, **options: Any) -> dict[str, Any]:
        out = tmp_path / "out.json"
        path = lines(tmp_path / "items.jsonl", ITEMS if items is None else items)
        call_command("evaluate", "followups", items=path, corpus=corpus, json=out, **options)
        told: dict[str, Any] = json.loads(out.read_text())
        return told

    return run
