"""The texts of a prompt as a form: places to fill in, lengths, what is wrong, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from admin_ui.components.text_marks import Stretch, text_marks
from conversations.domain.prompt_check import LONGEST_TEXT, MOST_TOKENS, RULES, Placeholder
from conversations.domain.prompts import BUILT_IN, PromptName
from kernel.json import JsonObject
from kernel.problems import Problem, Severity
from retrieval.domain.tokens import estimate_tokens

TITLES = {"system": "What the model is told", "user": "How the conversation is laid before it"}


@dataclass(frozen=True, slots=True)
class Place:
    """A placeholder with whether the text has it. `sign` is how it is written."""

    sign: str
    about: str
    required: bool
    used: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a prompt: `system`, or `user` where there is one."""

    path: str
    title: str
    text: str
    places: tuple[Place, ...]
    tokens: int
    most_tokens: int
    differs: bool
    problems: tuple[Problem, ...]

    @property
    def wrong(self) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def anchor(self) -> str:
        return f"f-{self.path}"

    @property
    def longest(self) -> int:
        return LONGEST_TEXT

    @property
    def rows(self) -> int:
        """Lines of the text area: about as many as the text takes."""
        lines = sum(1 + len(line) // 84 for line in self.text.split("\n"))
        return max(6, min(lines + 1, 28))


@dataclass(frozen=True, slots=True)
class MarkedPart:
    title: str
    stretches: tuple[Stretch, ...]


def prompt_parts(
    name: str, data: JsonObject, in_force: JsonObject, problems: Sequence[Problem] = ()
) -> tuple[Part, ...]:
    prompt = PromptName(name)
    return tuple(_part(prompt, path, data, in_force, problems) for path in BUILT_IN.of(prompt).to_json())


def prompt_data(name: str, posted: QueryDict) -> JsonObject:
    """What the form says, with the line ends that the model gets."""
    return {path: _text(posted.get(path, "")) for path in BUILT_IN.of(PromptName(name)).to_json()}


def prompt_marks(name: str, before: JsonObject, after: JsonObject) -> tuple[MarkedPart, ...]:
    """The parts that differ, with what was taken out and put in."""
    return tuple(
        MarkedPart(TITLES[path], text_marks(_of(before, path), _of(after, path)))
        for path in BUILT_IN.of(PromptName(name)).to_json()
        if _of(before, path) != _of(after, path)
    )


def homeless(name: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that belong to no text of the form."""
    paths = BUILT_IN.of(PromptName(name)).to_json()
    return tuple(problem for problem in problems if problem.path not in paths)


def _part(
    name: PromptName, path: str, data: JsonObject, in_force: JsonObject, problems: Sequence[Problem]
) -> Part:
    text = _of(data, path)
    return Part(
        path=path,
        title=TITLES[path],
        text=text,
        places=tuple(_place(place, text) for place in RULES[name].placeholders[path]),
        tokens=estimate_tokens(text),
        most_tokens=MOST_TOKENS[name],
        differs=text != _of(in_force, path),
        problems=tuple(problem for problem in problems if problem.path == path),
    )


def _place(place: Placeholder, text: str) -> Place:
    sign = f"{{{place.name}}}"
    return Place(sign, place.about, place.required, sign in text)


def _of(data: JsonObject, path: str) -> str:
    text = data.get(path, "")
    return text if isinstance(text, str) else str(text)


def _text(typed: str) -> str:
    return typed.replace("\r\n", "\n").replace("\r", "\n").rstrip()
