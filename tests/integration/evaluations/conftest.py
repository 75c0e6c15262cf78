"""A tenant with documents, a set over them, and what runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conversations.evaluation.floor import floor
from conversations.models import EvaluationRun
from conversations.services.evaluation_runs import evaluation_start
from conversations.services.evaluation_sets import set_create, set_import
from conversations.services.evaluation_work import evaluation_serve
from tests.integration.conversations.conftest import asker, library  # noqa: F401 (fixtures)

FRANKFURT = [
    {"role": "user", "content": "What is the RPO in Frankfurt?"},
    {"role": "assistant", "content": "In Frankfurt the recovery point objective (RPO) is 5 minutes."},
]
LINES: list[dict[str, Any]] = [
    {
        "id": "first",
        "stratum": "first_turn",
        "prefix": [],
        "follow_up": "What is the RPO in Frankfurt?",
        "gold": ["Regions#In Frankfurt the recovery"],
    },
    {
        "id": "dublin",
        "stratum": "near_followup",
        "prefix": FRANKFURT,
        "follow_up": "and in Dublin?",
        "gold": ["In Dublin the recovery point objective (RPO) is 15 minutes"],
        "required_in_rewrite": ["Dublin"],
        "forbidden_in_rewrite": ["Frankfurt"],
    },
    {
        "id": "elsewhere",
        "stratum": "near_followup",
        "prefix": FRANKFURT,
        "follow_up": "and what does a customer-managed key cost?",
        "gold": ["A title that no document has"],
    },
]


def file_of(lines: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, lines)).encode()


@pytest.fixture
def regions(library: Any) -> Any:  # noqa: F811 (the fixture)
    made = set_create(name="Regions")
    set_import(set_id=made.pk, data=file_of(LINES))
    return made


def finished(run: EvaluationRun) -> EvaluationRun:
    while evaluation_serve(floor()) is not None:
        pass
    run.refresh_from_db()
    return run


def started(of_set: Any, **more: Any) -> EvaluationRun:
    return evaluation_start(set_id=of_set.pk, **more)
