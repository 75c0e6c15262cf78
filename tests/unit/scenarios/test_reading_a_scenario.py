"""Reading a scenario from its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from conversations.evaluation.scenarios.shelf import BadScenario, UnknownScenario, script_from, script_named

GOOD = """
title = "At the library"
judged = [2]
[[turns]]
message = "How long are films lent?"
required = ["film"]
[[turns]]
message = "And maps?"
depends = true
continues = 1
needs = ["card"]
[[facts]]
name = "card"
turn = 1
words = ["card 4711"]
"""


def written(folder: Path, text: str) -> Path:
    (folder / "documents").mkdir()
    (folder / "documents" / "rules.md").write_text("# Rules")
    (folder / "scenario.toml").write_text(text)
    return folder


def test_it_reads_turns_facts_and_documents(tmp_path: Path):
    script = script_from(written(tmp_path, GOOD))

    assert [turn.n for turn in script.turns] == [1, 2]
    assert script.turns[1].expected.depends
    assert script.fact("card").words == ("card 4711",)
    assert [path.name for path in script.documents] == ["rules.md"]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (GOOD.replace("continues = 1", "continues = 2"), "turn 2 continues one that is not before it"),
        (GOOD.replace('needs = ["card"]', 'needs = ["shelf"]'), "turn 2 needs shelf"),
        (GOOD.replace("judged = [2]", "judged = [3]"), "there is no turn 3"),
        (GOOD.replace("required", "requierd"), "requierd"),
        ("title = ", "Invalid value"),
    ],
)
def test_it_says_what_is_wrong_with_a_file(tmp_path: Path, wrong: str, reason: str):
    with pytest.raises(BadScenario, match=reason):
        script_from(written(tmp_path, wrong))


def test_it_names_the_scenarios_there_are():
    with pytest.raises(UnknownScenario, match="compliance_analyst, two_hundred_turns"):
        script_named("flight_attendant")
