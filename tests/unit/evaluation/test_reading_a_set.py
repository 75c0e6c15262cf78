"""Items of a follow-up set, with their labels kept apart until scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conversations.evaluation.items import BadFollowUpSet, Exchanged, Item, items_from

LINE: dict[str, Any] = {
    "id": "one",
    "stratum": "near_followup",
    "prefix": [{"role": "user", "content": "And the RPO?"}, {"role": "assistant", "content": "5 minutes."}],
    "follow_up": "Why?",
    "gold": ["p1"],
}
LABELS = {
    "gold": ["other"],
    "reference_rewrite": "secret",
    "required_in_rewrite": ["secret"],
    "forbidden_in_rewrite": ["secret"],
    "meta": {"context_dependent": True, "in_scope": [0]},
}


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "set.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def only(folder: Path, line: dict[str, Any]) -> Item:
    return items_from(written(folder, line))[0]


def test_what_is_asked_is_the_same_whatever_the_labels_say(tmp_path: Path) -> None:
    assert only(tmp_path, LINE).question == only(tmp_path, LINE | LABELS).question
    assert "secret" not in repr(only(tmp_path, LINE | LABELS).question)


def test_labels_are_read_when_they_are_asked_for(tmp_path: Path) -> None:
    labels = only(tmp_path, LINE | LABELS).labels()

    assert (labels.gold, labels.required, labels.forbidden) == (("other",), ("secret",), ("secret",))
    assert labels.dependent is True
    assert only(tmp_path, LINE).labels().dependent is None


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("ua", [("m0", "m1")]),
        ("uaua", [("m0", "m1"), ("m2", "m3")]),
        ("uua", [("m0", ""), ("m1", "m2")]),
        ("uaau", [("m0", "m1\nm2"), ("m3", "")]),
        ("aua", [("m1", "m2")]),
        ("", []),
    ],
)
def test_messages_become_exchanges(tmp_path: Path, roles: str, expected: list[tuple[str, str]]) -> None:
    names = {"u": "user", "a": "assistant"}
    prefix = [{"role": names[role], "content": f"m{n}"} for n, role in enumerate(roles)]

    assert only(tmp_path, LINE | {"prefix": prefix}).question.prefix == tuple(
        Exchanged(*pair) for pair in expected
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        (LINE | {"gold": []}, "no gold"),
        ({key: LINE[key] for key in LINE if key != "follow_up"}, "follow_up"),
        (LINE | {"prefix": "none"}, "prefix"),
    ],
)
def test_it_says_which_line_is_wrong(tmp_path: Path, line: Any, reason: str) -> None:
    with pytest.raises(BadFollowUpSet, match=f"line 2.*{reason}"):
        items_from(written(tmp_path, LINE, line))


def test_an_empty_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFollowUpSet, match="no item"):
        items_from(written(tmp_path, ""))
