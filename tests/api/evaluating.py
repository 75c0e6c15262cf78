"""Follow-up sets, runs and gates by REST, as the tests of both begin with them."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.api.programs import Program

SETS, RUNS, GATES = "/api/v1/evaluations/sets", "/api/v1/evaluations/runs", "/api/v1/evaluations/gates"
HOLDS = {
    "strategy": "policy",
    "every": {},
    "strata": {"first_turn": {"recall@5": {"min": 1.0}}},
    "overall": {},
}


def uploaded(ask: Program, set_id: str, data: bytes, **fields: str) -> Any:
    """The answer to a file of items."""
    file = SimpleUploadedFile("items.jsonl", data, "application/x-ndjson")
    return ask.upload("POST", f"{SETS}/{set_id}/import", {"file": file, **fields})


def started(ask: Program, set_id: str, **more: Any) -> Any:
    """A run of a set."""
    answer = ask("POST", RUNS, {"set": set_id, **more})
    assert answer.status_code == 201, answer.content
    return answer.json()
