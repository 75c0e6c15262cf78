"""Says whether a tenant's own prompt can be used, and what it gives up.

Placeholders that nobody fills, or that are missing, are refused with the list of those there are. Words that hold
the product's promise may be taken out, but not without a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from conversations.domain.prompts import BUILT_IN, COUNTERWEIGHT, PromptName
from conversations.domain.window import Budgets
from kernel.json import JsonObject
from kernel.problems import Problem, Severity
from retrieval.domain.tokens import estimate_tokens

LONGEST_TEXT = 8_000
# A longer system prompt would be cut in the window (`Budgets.system`) or cost more than it helps.
MOST_TOKENS: Mapping[PromptName, int] = MappingProxyType(
    {PromptName.CONTEXTUALIZE: 1_500, PromptName.ANSWER: Budgets().system, PromptName.SUMMARIZE: 1_500}
)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`{name}` in a text, what is put there, and whether the prompt is useless without it."""

    name: str
    about: str
    required: bool = True


@dataclass(frozen=True, slots=True)
class Clause:
    """Words worth keeping: any text that `pattern` finds counts. `cost` is what goes wrong without them."""

    pattern: re.Pattern[str]
    cost: str


@dataclass(frozen=True, slots=True)
class PromptRules:
    """What holds for one prompt, by its parts `system` and `user`."""

    title: str
    about: str
    placeholders: Mapping[str, tuple[Placeholder, ...]]
    clauses: tuple[Clause, ...]


_QUOTED_AS_DATA = Clause(
    re.compile(r"\bdata\b|instructions?\b", re.I),
    "Nothing says any more that quoted text is data and not an instruction. A document or a message could give orders.",
)
_JSON = Clause(
    re.compile(r"\bJSON\b"),
    "Nothing asks for JSON any more. Models without structured output will reply in ways that cannot be read.",
)
RULES: Mapping[PromptName, PromptRules] = MappingProxyType(
    {
        PromptName.CONTEXTUALIZE: PromptRules(
            title="Rewriting a message",
            about="Turns the latest message into a query that stands on its own. Called when a message depends on the"
            " conversation.",
            placeholders={
                "system": (Placeholder("kinds", "the kinds of message that the reply may name"),),
                "user": (
                    Placeholder("slots", "the live entities, one a line, with their ids"),
                    Placeholder("turns", "the earlier turns that the rewrite may see"),
                    Placeholder("message", "the latest message"),
                ),
            },
            clauses=(
                Clause(
                    re.compile(
                        re.escape(COUNTERWEIGHT)
                        + r"|\b(new|other|different|changed?|changes|change of|changing) (the )?(subject|topic)s?\b"
                        r"|\b(subject|topic) (is new|changes|shifts?)\b",
                        re.I,
                    ),
                    "The counterweight is gone: nothing says any more that a new subject takes nothing along. Models"
                    " then weld earlier names on to new questions.",
                ),
                _QUOTED_AS_DATA,
                _JSON,
            ),
        ),
        PromptName.ANSWER: PromptRules(
            title="Answering",
            about="How the assistant answers from the passages that were found.",
            placeholders={"system": (Placeholder("company", "the name of this workspace", required=False),)},
            clauses=(
                Clause(
                    re.compile(r"\[\d\]|\[n\]", re.I),
                    "Nothing asks for passage numbers such as [1] any more. Answers will carry no citations.",
                ),
                _QUOTED_AS_DATA,
                Clause(
                    re.compile(
                        r"\bguess|not contain|do(es)? not know|don.t know|cannot find|could not find", re.I
                    ),
                    "Nothing says what to do when the passages hold no answer. Models then tend to make one up.",
                ),
            ),
        ),
        PromptName.SUMMARIZE: PromptRules(
            title="Summing up",
            about="Condenses the turns that have left the last six, in the background.",
            placeholders={"system": ()},
            clauses=(_QUOTED_AS_DATA, _JSON),
        ),
    }
)


def prompt_schema(name: PromptName) -> JsonObject:
    """JSON Schema of the texts of one prompt."""
    rules, builtin = RULES[name], BUILT_IN.of(name).to_json()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": rules.title,
        "description": rules.about,
        "type": "object",
        "additionalProperties": False,
        "required": list(builtin),
        "properties": {
            part: {
                "type": "string",
                "minLength": 1,
                "maxLength": LONGEST_TEXT,
                "description": _about(rules, part),
            }
            for part in builtin
        },
    }


def _about(rules: PromptRules, part: str) -> str:
    places = "; ".join(f"{{{place.name}}}: {place.about}" for place in rules.placeholders[part])
    return f"Placeholders: {places}." if places else "No placeholders."


def prompt_problems(name: PromptName, data: JsonObject) -> tuple[Problem, ...]:
    """What is wrong with texts that the schema allows: errors first, then warnings."""
    rules = RULES[name]
    errors = [p for part, text in data.items() for p in _part_errors(name, part, text)]
    whole = "\n".join(data.values())
    told = " ".join(whole.split())
    warnings = (
        Problem("system", clause.cost, severity=Severity.WARNING)
        for clause in rules.clauses
        if not clause.pattern.search(told)
    )
    return (*errors, *warnings, *_marks(data))


def _part_errors(name: PromptName, part: str, text: str) -> Iterator[Problem]:
    places = RULES[name].placeholders[part]
    if not text.strip():
        yield Problem(part, "This must not be empty.")
    yield from _placeholder_errors(part, text, places)
    tokens = estimate_tokens(text)
    if tokens > MOST_TOKENS[name]:
        yield Problem(part, f"The text takes about {tokens} tokens.", f"{MOST_TOKENS[name]} tokens at most")


def _placeholder_errors(part: str, text: str, places: tuple[Placeholder, ...]) -> Iterator[Problem]:
    known = {place.name for place in places}
    allowed = ", ".join(f"{{{place.name}}}" for place in places) or "no placeholders"
    doubled = {found[1] for found in _DOUBLED.finditer(text)}
    for name in sorted(doubled & known):
        yield Problem(part, f"Write {{{name}}} with single braces.", allowed)
    used = {found[1] for found in _BRACED.finditer(text)}
    for name in sorted(used - known):
        if name.strip() in known:
            yield Problem(part, f"Write {{{name.strip()}}} without blanks.", allowed)
        elif name == name.strip():
            yield Problem(part, f"There is no placeholder {{{name}}}.", allowed)
    for place in places:
        if place.required and place.name not in used:
            yield Problem(part, f"{{{place.name}}} is missing: {place.about}.", allowed)


def _marks(data: JsonObject) -> Iterator[Problem]:
    """The rewrite's own marks around what is quoted: without them nothing tells data from instructions."""
    if "user" not in data:
        return
    for mark, place in (("conversation", "turns"), ("message", "message")):
        if not re.search(rf"<{mark}>\s*\{{{place}\}}\s*</{mark}>", data["user"]):
            cost = f"{{{place}}} no longer stands between <{mark}> and </{mark}>, which keep it apart from instructions."
            yield Problem("user", cost, severity=Severity.WARNING)


# Whatever looks like a placeholder, attribute access and format signs included; JSON has quotes and commas.
_BRACED = re.compile(r"\{(\s*[A-Za-z_][^{}\s\",]*\s*|\d+)\}")
_DOUBLED = re.compile(r"\{\{\s*(\w+)\s*\}\}")
