"""A file of items is loaded whole or not at all, and all of its mistakes are told at once."""

from __future__ import annotations

import json

import pytest

from conversations.evaluation.entries import MOST_TOLD, entries_from, lines_of
from conversations.evaluation.gold import resolved
from conversations.evaluation.running import Found

GOOD = {
    "id": "beds-1",
    "stratum": "near_followup",
    "prefix": [
        {"role": "user", "content": "How many beds has the east ward?"},
        {"role": "assistant", "content": "Twenty."},
    ],
    "follow_up": "and the west ward?",
    "gold": ["Wards#The west ward has 12 beds"],
    "required_in_rewrite": ["west ward"],
    "forbidden_in_rewrite": [],
    "meta": {"context_dependent": True},
}


def file_of(*lines: object) -> bytes:
    return "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()


def reasons(*lines: object) -> list[str]:
    return [str(fault) for fault in entries_from(file_of(*lines))[1]]


def test_it_reads_what_it_writes():
    entries, faults = entries_from(file_of(GOOD, {**GOOD, "id": "beds-2"}))
    again, _ = entries_from("".join(lines_of(entries)).encode())
    assert faults == [] and again == entries and [one.key for one in again] == ["beds-1", "beds-2"]
    assert again[0].to_item().labels().dependent is True


def test_it_tells_every_mistake_with_its_line():
    told = reasons(GOOD, "{", {**GOOD, "id": "b", "gold": []}, "", {**GOOD, "id": "c", "prefix": "x"}, GOOD)
    assert [one.split(":")[0] for one in told] == ["Line 2", "Line 3", "Line 5", "Line 6"]
    assert "not JSON" in told[0] and "`gold` is missing" in told[1] and "`prefix` is missing" in told[2]
    assert told[3] == "Line 6: The id “beds-1” is that of line 1 already."


@pytest.mark.parametrize(
    "wrong",
    [
        {"follow_up": " "},
        {"stratum": "Near follow-up"},
        {"id": "x" * 81},
        {"gold": "Wards"},
        {"gold": [" "]},
        {"prefix": [{"role": "system", "content": "Be kind."}]},
        {"forbidden_in_rewrite": [1]},
        {"follow_up": "and \x00?"},
        {"folow_up": "and the west ward?"},
        {"meta": []},
    ],
)
def test_each_of_these_is_a_mistake(wrong):
    assert len(reasons({**GOOD, **wrong})) >= 1


def test_a_file_without_items_or_of_another_encoding_is_refused():
    assert reasons("") == ["There is no item in the file."]
    assert entries_from(b"\xff\xfe{}")[1][0].reason == "The file is not UTF-8 text."


def test_not_more_mistakes_are_told_than_somebody_reads():
    assert len(reasons(*["{"] * (MOST_TOLD + 50))) == MOST_TOLD


@pytest.mark.parametrize(
    ("gold", "meant"),
    [
        ("Wards", "d1"),
        ("d1", "d1"),
        ("Wards#west  ward has", "d1#west  ward has"),
        ("d1#twelve", "d1#twelve"),
        ("The west ward has\ntwelve beds.", "d1#The west ward has\ntwelve beds."),
        ("Rates: 2026 #1#night rate", "d2#night rate"),
        ("Wards#thirteen", "Wards#thirteen"),
        ("Somewhere else", "Somewhere else"),
    ],
)
def test_gold_is_a_title_an_id_a_quote_or_the_words_of_a_passage(gold, meant):
    found = [Found("d1", "The west ward has twelve beds."), Found("d2", "The night rate is 40 euros.")]
    assert resolved([gold], found, {"d1": "Wards", "d2": "Rates: 2026 #1"}) == (meant,)
