"""A tenant's own prompt: placeholders are known and there, texts fit, and the product's promise is not lost unnoticed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversations.domain.prompt_check import RULES, prompt_problems, prompt_schema
from conversations.domain.prompts import BUILT_IN, COUNTERWEIGHT, PromptName, Prompts, render
from conversations.domain.window import Budgets
from kernel.problems import Problem, Severity, errors_in
from retrieval.domain.tokens import estimate_tokens
from tenants.versioning.registry import Versioned
from tenants.versioning.validation import problems_of

REWRITE = BUILT_IN.contextualize.to_json()


def problems(name: PromptName, data: Any) -> tuple[Problem, ...]:
    versioned = Versioned(
        kind="prompt",
        name=name.value,
        title="",
        about="",
        schema=prompt_schema(name),
        builtin=BUILT_IN.of(name).to_json(),
        check=lambda given: prompt_problems(name, given),
    )
    return problems_of(versioned, data)


def rewriting(**parts: str) -> tuple[Problem, ...]:
    return problems(PromptName.CONTEXTUALIZE, {**REWRITE, **parts})


@pytest.mark.parametrize("name", list(PromptName))
def test_what_is_built_in_has_nothing_wrong_with_it(name: PromptName) -> None:
    assert problems(name, BUILT_IN.of(name).to_json()) == ()
    assert set(RULES[name].placeholders) == set(BUILT_IN.of(name).to_json())


@pytest.mark.parametrize(
    "braces",
    [
        "{tenant}",
        "{message.__class__}",
        "{message[0]}",
        "{message!r}",
        "{message:>9}",
        "{0}",
        "{Message}",
        "{_x}",
    ],
)
def test_it_refuses_a_placeholder_that_nobody_fills_and_lists_those_there_are(braces: str) -> None:
    (problem,) = errors_in(rewriting(user=REWRITE["user"] + braces))
    assert problem.path == "user" and problem.allowed == "{slots}, {turns}, {message}"
    assert problem.message == f"There is no placeholder {braces}."


@pytest.mark.parametrize("place", ["slots", "turns", "message"])
def test_it_refuses_a_prompt_without_what_it_needs(place: str) -> None:
    found = errors_in(rewriting(user=REWRITE["user"].replace(f"{{{place}}}", "")))
    assert [problem.message.split(" is missing")[0] for problem in found] == [f"{{{place}}}"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("Welcome to {{company}}.", "single braces"),
        ("Welcome to {{ company }}.", "single braces"),
        ("At { company }.", "blanks"),
    ],
)
def test_it_says_how_a_placeholder_is_written(text: str, advice: str) -> None:
    found = errors_in(problems(PromptName.ANSWER, {"system": f"{BUILT_IN.answer.system}\n{text}"}))
    assert any(advice in problem.message and "{company}" in problem.message for problem in found)


@pytest.mark.parametrize("json", ['{"text": string}', '{ "a": {"b": [1]} }', "{}", '{\n"x": 1}'])
def test_braces_of_json_are_no_placeholders(json: str) -> None:
    assert (
        problems(PromptName.SUMMARIZE, {"system": f"{BUILT_IN.summarize.system}\nFor example {json}"}) == ()
    )


def test_a_prompt_without_placeholders_says_so() -> None:
    (problem,) = errors_in(problems(PromptName.SUMMARIZE, {"system": BUILT_IN.summarize.system + " {turns}"}))
    assert problem.allowed == "no placeholders"


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({}, "system"),
        ({"system": ""}, "system"),
        ({"system": "  \n"}, "system"),
        ({"system": 3}, "system"),
        ({"system": "x" * 8001}, "system"),
        ({"system": BUILT_IN.answer.system, "user": "{message}"}, "user"),
    ],
)
def test_it_refuses_what_is_no_prompt(data: Any, path: str) -> None:
    assert path in {problem.path for problem in errors_in(problems(PromptName.ANSWER, data))}


def test_it_refuses_a_prompt_that_the_window_would_cut() -> None:
    told = BUILT_IN.answer.system + " Always be polite to every reader of the library." * 90
    (problem,) = errors_in(problems(PromptName.ANSWER, {"system": told}))
    assert estimate_tokens(told) > Budgets().system and str(Budgets().system) in problem.allowed


def warned(found: tuple[Problem, ...]) -> list[str]:
    return [problem.message for problem in found if problem.severity is Severity.WARNING]


def test_it_warns_when_the_counterweight_is_taken_out_and_refuses_nothing() -> None:
    found = rewriting(
        system=REWRITE["system"].replace(COUNTERWEIGHT, "Be exact.").replace('"topic_shift": boolean, ', "")
    )
    assert errors_in(found) == () and ["counterweight" in text for text in warned(found)] == [True]


def test_a_counterweight_in_other_words_counts() -> None:
    own = "When the reader turns to a new subject, forget what came before."
    assert rewriting(system=REWRITE["system"].replace(COUNTERWEIGHT, own)) == ()


def test_the_format_of_the_reply_alone_is_no_counterweight() -> None:
    """The reply's description names "topic_shift" too: a field is no rule."""
    assert warned(rewriting(system=REWRITE["system"].replace(COUNTERWEIGHT, "Be exact.")))


@pytest.mark.parametrize(
    ("name", "lost", "told"),
    [
        (PromptName.ANSWER, "[", "citations"),
        (PromptName.ANSWER, "guess", "make one up"),
        (PromptName.SUMMARIZE, "JSON", "JSON"),
    ],
)
def test_it_warns_of_what_else_is_given_up(name: PromptName, lost: str, told: str) -> None:
    kept = "\n".join(line for line in BUILT_IN.of(name).system.splitlines() if lost not in line)
    assert [told in text for text in warned(problems(name, {"system": kept}))] == [True]


def test_it_warns_when_the_conversation_is_no_longer_marked_as_quoted() -> None:
    found = rewriting(user="{slots}\n{turns}\n{message}")
    assert errors_in(found) == () and len(warned(found)) == 2


# Rendering


@given(st.text(), st.text())
def test_what_is_filled_in_is_never_read_again(turns: str, message: str) -> None:
    text = render(
        "a {turns} b {message} c {other}", {"turns": "{message}" + turns, "message": message + "{turns}"}
    )
    assert text == "a {message}" + turns + " b " + message + "{turns} c {other}"


@given(st.text())
def test_any_text_without_placeholders_stays_as_it_is(text: str) -> None:
    assert render(text, {"zzz": "!"}) == text.replace("{zzz}", "!")


def test_it_reaches_no_attribute() -> None:
    assert render("{company.__class__} {company}", {"company": "Acme"}) == "{company.__class__} Acme"


def test_the_versions_of_a_turn_are_those_of_its_two_calls() -> None:
    from dataclasses import replace

    prompts = Prompts().having(PromptName.ANSWER, replace(BUILT_IN.answer, version=4))
    assert prompts.versions == {"contextualize": 0, "answer": 4}
