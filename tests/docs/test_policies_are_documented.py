"""docs/policies.md shows every setting, prompt and error as the code has them."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

from conversations.domain.policy_schema import PolicyField, policy_fields
from conversations.domain.prompt_check import LONGEST_TEXT, MOST_TOKENS, RULES
from conversations.domain.prompts import PromptName
from kernel.errors import DomainError
from tenants.versioning import errors

PAGE = (Path(__file__).parents[2] / "docs/policies.md").read_text()


def table(heading: str) -> list[str]:
    """The rows under a table's heading line."""
    return PAGE.split(heading + "\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]


def setting(field: PolicyField) -> str:
    bounds = (
        f"{field.minimum} to {field.maximum} {field.unit}" if field.unit and field.maximum is not None else ""
    )
    choices = ", ".join(f"`{choice}`" for choice in field.choices)
    several = {"array": "any of ", "object": "by type: "}.get(field.kind, "")
    allowed = bounds or (several + choices if choices else "a text")
    return f"| `{field.path}` | `{json.dumps(field.default)}` | {allowed} | {field.about} |"


def prompt(name: PromptName) -> str:
    parts = RULES[name].placeholders
    places = [f"`{part}`: " + (", ".join(_place(p) for p in parts[part]) or "none") for part in parts]
    return f"| `{name.value}` | {RULES[name].about} | {'; '.join(places)} | {MOST_TOKENS[name]} |"


def _place(place: object) -> str:
    required = "" if getattr(place, "required") else " (optional)"  # noqa: B009
    return f"`{{{getattr(place, 'name')}}}`{required}"  # noqa: B009


def test_it_shows_every_setting_of_the_policy_and_no_other() -> None:
    wanted = [setting(field) for field in policy_fields()]
    assert table("| setting | default | allowed | what it does |") == wanted, "\n".join(wanted)


def test_it_shows_every_prompt_with_its_placeholders() -> None:
    wanted = [prompt(name) for name in PromptName]
    assert table("| prompt | what it is for | placeholders | most tokens |") == wanted, "\n".join(wanted)
    assert f"{LONGEST_TEXT} characters" in PAGE


def test_it_shows_every_error_and_no_other() -> None:
    own = [
        e
        for _, e in inspect.getmembers(errors, inspect.isclass)
        if issubclass(e, DomainError) and e.__module__ == errors.__name__
    ]
    codes = {
        row.split("|")[1].strip().strip("`"): row.split("|")[2].strip()
        for row in table("| code | status | when |")
    }
    assert codes == {error.code: str(error.http_status) for error in own}
