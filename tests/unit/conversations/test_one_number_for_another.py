"""Codes and models that are alike but for their numbers take each other's place, whatever the wording."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("asked", "answer", "then", "new", "old"),
    [
        ("What does fault T05 mean?", "The brine comes back too cold.", "misread it. says T02", "T02", "T05"),
        ("What fits valve NH-1301?", "Both small units.", "and NH-1302?", "NH-1302", "NH-1301"),
        ("How loud is the ER-2 pump?", "It has 53 decibels.", "what about the ER-4 pump?", "ER-4", "ER-2"),
        ("Who flies flight LX318?", "A crew from Zurich.", "Is LX319 on time?", "LX319", "LX318"),
    ],
)
def test_the_old_number_gives_way(talk: Any, asked: str, answer: str, then: str, new: str, old: str) -> None:
    talk.say(asked, answer)
    query = talk.hear(then).query
    assert new in query
    assert old not in query


@pytest.mark.parametrize(
    ("asked", "then", "kept"),
    [
        ("What does fault T05 mean?", "is it the same as T02?", "T05"),
        ("How loud is the ER-2 pump?", "is it louder than the ER-4?", "ER-2"),
        ("What does fault T05 mean?", "which part of the NH-1301 does it come from?", "T05"),
    ],
)
def test_what_is_compared_or_of_another_kind_stays(talk: Any, asked: str, then: str, kept: str) -> None:
    talk.say(asked, "It means that a limit was passed.")
    assert kept in talk.hear(then).query
