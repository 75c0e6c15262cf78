"""The scenarios that are shipped: what there is by name, and reading one from its file."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conversations.evaluation.scenarios.generated import two_hundred_turns
from conversations.evaluation.scenarios.script import Expectation, KeyFact, Script, ScriptedTurn
from kernel.errors import DomainError

HERE = Path(__file__).parent
ANALYST = HERE / "compliance_analyst"


class UnknownScenario(DomainError):
    """There is no scenario called {name}. There are: {known}."""

    code = "unknown_scenario"


class BadScenario(DomainError):
    """{file} cannot be used: {reason}"""

    code = "bad_scenario"


def script_named(name: str) -> Script:
    """Raises `UnknownScenario`, and `BadScenario` where the file contradicts itself."""
    if name not in SCRIPTS:
        raise UnknownScenario(name=name, known=", ".join(SCRIPTS))
    return SCRIPTS[name]()


def script_from(folder: Path) -> Script:
    """The script of a folder: `scenario.toml` beside `documents/`. Raises `BadScenario`."""
    path = folder / "scenario.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        script = Script(
            name=folder.name,
            title=data["title"],
            documents=documents_of(folder),
            turns=tuple(_turn(n, turn) for n, turn in enumerate(data["turns"], 1)),
            facts=tuple(KeyFact(**_tuples(fact)) for fact in data.get("facts", ())),
            judged=tuple(data.get("judged", ())),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise BadScenario(file=path.name, reason=str(error)) from error
    _checked(script, path)
    return script


def documents_of(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted((folder / "documents").glob("*.md")))


def _turn(n: int, data: dict[str, Any]) -> ScriptedTurn:
    expected = {key: value for key, value in data.items() if key != "message"}
    return ScriptedTurn(n, data["message"], Expectation(**_tuples(expected)))


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}


def _checked(script: Script, path: Path) -> None:
    known, names = {turn.n for turn in script.turns}, {fact.name for fact in script.facts}
    for turn in script.turns:
        if turn.expected.continues >= turn.n:
            raise BadScenario(file=path.name, reason=f"turn {turn.n} continues one that is not before it")
        if unknown := set(turn.expected.needs) - names:
            raise BadScenario(file=path.name, reason=f"turn {turn.n} needs {sorted(unknown)[0]}, no key fact")
    for n in (*script.judged, *(fact.turn for fact in script.facts)):
        if n not in known:
            raise BadScenario(file=path.name, reason=f"there is no turn {n}")


SCRIPTS: Mapping[str, Callable[[], Script]] = {
    "compliance_analyst": lambda: script_from(ANALYST),
    "two_hundred_turns": lambda: two_hundred_turns(documents_of(ANALYST)),
}
