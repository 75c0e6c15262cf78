"""A conversation of two hundred turns over the same documents, put together by rule from forty subjects.

Ten turns make a round: two subjects with three follow-ups each, then a return and a follow-up on it. The n-th return
goes to the n-th subject, so that the way back grows from a few turns to a hundred. The rounds that end at turns 10, 50
and 200 return to the first subject in the same words, so that those turns differ in nothing but what lies behind them.
No chance is involved.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.evaluation.scenarios.script import Expectation, KeyFact, Script, ScriptedTurn

SUBJECTS = Path(__file__).parent / "two_hundred_turns" / "subjects.toml"
ROUND = 10
_RETURNS = (
    "Back to {name}: {question}",
    "Going back to what you said about {name}, {question}",
    "Can we return to {name} for a moment? {question}",
    "One more thing about {name}: {question}",
)
_AFTER_A_RETURN = (
    "Where does it say that?",
    "And what follows from that for us?",
    "Is that the same everywhere?",
)
# The turns whose prompts are compared, each the last of its round.
COMPARED = (10, 50, 200)
# Said in passing, as people do; the third corrects the second.
_ASIDES = {
    1: "We are a dye house with 180 employees, by the way.",
    11: "We have 3 boilers, in case that matters.",
    21: "Sorry, I meant 4 boilers, not 3.",
    61: "We have decided to appoint Ines Vollmar as our contact.",
}
_FACTS = (
    KeyFact("employees", 1, ("180", "employees")),
    KeyFact("boilers", 21, ("4 boilers",), corrects=11, outdated=("3 boilers",)),
    KeyFact("contact", 61, ("Ines Vollmar",)),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Something to talk about. `terms` are what a search about it has to name, `back` what it is returned to with."""

    name: str
    terms: str
    opening: str
    follow_ups: tuple[str, ...]
    back: str


def two_hundred_turns(documents: Sequence[Path]) -> Script:
    turns = tuple(_turns(subjects_from(SUBJECTS)))
    title = "Two hundred turns over every part of the Water Use Regulation, with returns"
    return Script("two_hundred_turns", title, tuple(documents), turns, _FACTS)


def subjects_from(path: Path) -> tuple[Subject, ...]:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(Subject(**{**item, "follow_ups": tuple(item["follow_ups"])}) for item in data["subjects"])


def _turns(subjects: Sequence[Subject]) -> Iterator[ScriptedTurn]:
    """One round for every two subjects."""
    opened: dict[str, int] = {}
    n = 0
    for number in range(len(subjects) // 2):
        for subject in subjects[2 * number : 2 * number + 2]:
            opened[subject.name] = n + 1
            yield _turn(n + 1, subject.opening, subject)
            for step, text in enumerate(subject.follow_ups, n + 2):
                yield _turn(step, text, subject, depends=True, continues=step - 1)
            n += 1 + len(subject.follow_ups)
        form = 0 if n + 2 in COMPARED else number
        earlier = subjects[form]
        yield _return(n + 1, form, earlier, opened[earlier.name])
        after = _AFTER_A_RETURN[form % len(_AFTER_A_RETURN)]
        yield _turn(n + 2, after, earlier, depends=True, continues=n + 1)
        n += 2


def _return(n: int, number: int, subject: Subject, opened: int) -> ScriptedTurn:
    form = _RETURNS[number % len(_RETURNS)]
    question = subject.back if "? " not in form else f"{subject.back[0].upper()}{subject.back[1:]}"
    return _turn(n, form.format(name=subject.name, question=question), subject, continues=opened)


def _turn(n: int, text: str, subject: Subject, *, depends: bool = False, continues: int = 0) -> ScriptedTurn:
    expected = Expectation(required=(subject.terms,), depends=depends, continues=continues, why=subject.name)
    return ScriptedTurn(n, f"{_ASIDES[n]} {text}" if n in _ASIDES else text, expected)
