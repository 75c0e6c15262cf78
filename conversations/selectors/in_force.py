"""What a session runs under: the tenant's policy and prompts, published or tried on its share of the sessions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from conversations.domain.policy import BadPolicy, ScopePolicy
from conversations.domain.prompts import BUILT_IN, Prompt, PromptName, Prompts, render
from tenants.models import Tenant, Version, VersionKind
from tenants.postgres.statements import Asked
from tenants.scoping import current_tenant_id
from tenants.selectors.versions import versions_asked, versions_in_force

log = logging.getLogger(__name__)

SCOPE = "scope"
SEARCHING = (
    (VersionKind.POLICY.value, SCOPE),
    (VersionKind.PROMPT.value, PromptName.CONTEXTUALIZE.value),
)
"""What changes searches, by kind and name. The prompts of answers and summaries work after the search."""
_COMPANY = "{company}"


@dataclass(frozen=True, slots=True)
class InForce:
    policy: ScopePolicy
    prompts: Prompts


def in_force(session_id: UUID | None) -> InForce:
    """The policy and the prompts of a session, of this moment, in one query (two where a prompt names the company)."""
    return _of(versions_in_force(session_id=session_id))


def in_force_asked(session_id: UUID | None) -> Asked[InForce]:
    """The question for it, to go with others."""
    asked = versions_asked(session_id=session_id)
    return Asked(asked.statement, asked.values, lambda rows: _of(asked.read(rows)))


def _of(versions: Mapping[tuple[str, str], Version]) -> InForce:
    return InForce(_policy(versions.get((VersionKind.POLICY, SCOPE))), _prompts(versions))


def _policy(version: Version | None) -> ScopePolicy:
    """A stored policy that this release cannot read costs nobody an answer: the built-in one takes its place."""
    if version is None:
        return ScopePolicy()
    try:
        return ScopePolicy.from_json(version.data, version.number)
    except BadPolicy as error:
        log.error("policy version %s is not usable: %s", version.number, error)
        return ScopePolicy()


def _prompts(versions: Mapping[tuple[str, str], Version]) -> Prompts:
    prompts = BUILT_IN
    for name in PromptName:
        if version := versions.get((VersionKind.PROMPT, name.value)):
            prompts = prompts.having(name, _prompt(name, version))
    return prompts


def _prompt(name: PromptName, version: Version) -> Prompt:
    try:
        prompt = Prompt.from_json(version.data, version.number)
    except (KeyError, TypeError):
        log.error("prompt %s version %s is not usable", name.value, version.number)
        return BUILT_IN.of(name)
    if name is PromptName.ANSWER and _COMPANY in prompt.system:
        return replace(prompt, system=render(prompt.system, {"company": _company()}))
    return prompt


def _company() -> str:
    name: str = Tenant.objects.values_list("name", flat=True).get(pk=current_tenant_id())
    return name
