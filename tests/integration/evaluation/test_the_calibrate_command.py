"""`manage.py calibrate` chooses thresholds for the configured embedding model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from retrieval.services import equipment
from tests.integration.evaluation.conftest import DUBLIN, item, lines

DEPENDENT = ("Which hours count for the RPO of Dublin?", "Who measures the RPO in the Dublin region?")
LEFT = ("How are wool carpets washed?", "When does the swimming pool open on Sundays?")
ITEMS = [
    item(f"{kind}-{number}", stratum, f"{message} {number}", "keys", *DUBLIN, dependent=dependent)
    for kind, stratum, messages, dependent in (
        ("dependent", "near_followup", DEPENDENT, True),
        ("left", "post_pivot_standalone", LEFT, False),
    )
    for number in range(1, 7)
    for message in messages
]  # fmt: skip


def test_it_separates_messages_that_depend_from_those_that_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "thresholds.json"
    call_command("calibrate", items=lines(tmp_path / "items.jsonl", ITEMS), json=out)

    told: dict[str, Any] = json.loads(out.read_text())
    space = equipment().embeddings.space.name
    assert told["thresholds"]["space"] == space
    assert told["examples"] == len(ITEMS)
    assert told["accuracy"]["calibrated"]["boundary"] >= 0.9
    assert told["accuracy"]["calibrated"]["unrelated"] >= 0.9
    assert 0 <= told["thresholds"]["unrelated"] <= told["thresholds"]["related"] < 1
    printed = capsys.readouterr().out
    assert space in printed
    assert "too few" in printed


def test_it_compares_recall_where_there_are_passages(
    transactional_db: None,
    stack: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    corpus: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DATABASE_URL", stack.database_url)
    monkeypatch.setitem(settings.ANTECEDENT, "STATE_DIR", tmp_path / "state")
    out = tmp_path / "thresholds.json"
    call_command("calibrate", items=lines(tmp_path / "items.jsonl", ITEMS[:3]), corpus=corpus, json=out)

    assert set(json.loads(out.read_text())["compared"]) == {"default", "calibrated"}
    assert "calibrated" in capsys.readouterr().out


def test_it_says_what_is_wrong_with_a_set(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("{}\n")
    with pytest.raises(CommandError, match="line 1"):
        call_command("calibrate", items=path)
