"""Whatever the standard library can write as JSON is written, and reads back as it was."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from kernel.json import json_text


@dataclass
class Slot:
    name: str


@pytest.mark.parametrize(
    "value",
    [
        {"query": "Öffnungszeiten 鍵", "vector": [0.1, -2.5e-9], "ok": True, "nothing": None},
        {"many": 2**80, "few": -(2**63)},
        {"half": "\ud83d"},
    ],
)
def test_it_reads_back_as_it_was(value):
    assert json.loads(json_text(value)) == value


def test_keys_become_texts():
    assert json.loads(json_text({1: "one", None: "none"})) == {"1": "one", "null": "none"}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_null(number):
    assert json.loads(json_text({"score": number})) == {"score": None}


@pytest.mark.parametrize("value", [Slot("pump"), datetime(2026, 1, 1, tzinfo=UTC), {1, 2}, b"raw"])
def test_what_json_does_not_know_is_refused_and_not_guessed(value):
    with pytest.raises(TypeError):
        json_text({"value": value})
