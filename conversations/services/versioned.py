"""What of a conversation tenants keep versions of: the scope policy and the three prompts."""

from __future__ import annotations

from functools import partial

from conversations.domain.policy import ScopePolicy
from conversations.domain.policy_schema import policy_completed, policy_problems, policy_schema
from conversations.domain.prompt_check import RULES, prompt_problems, prompt_schema
from conversations.domain.prompts import BUILT_IN, PromptName
from conversations.selectors.in_force import SCOPE
from tenants.models import VersionKind
from tenants.versioning.registry import Versioned, register


def install() -> None:
    """Register them; called once when the application starts."""
    register(
        Versioned(
            kind=VersionKind.POLICY,
            name=SCOPE,
            title="Scope policy",
            about="What of a conversation is carried into the search, and for how long.",
            schema=policy_schema(),
            builtin=ScopePolicy().to_json(),
            check=policy_problems,
            complete=policy_completed,
        )
    )
    for name in PromptName:
        register(_prompt(name))


def _prompt(name: PromptName) -> Versioned:
    return Versioned(
        kind=VersionKind.PROMPT,
        name=name.value,
        title=RULES[name].title,
        about=RULES[name].about,
        schema=prompt_schema(name),
        builtin=BUILT_IN.of(name).to_json(),
        check=partial(prompt_problems, name),
    )
