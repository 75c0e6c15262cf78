"""What each role may do, and what each scope of an API key may do: one table for consoles, REST and docs."""

from __future__ import annotations

from enum import StrEnum

from tenants.models import Role, Scope


class May(StrEnum):
    """One thing that somebody may or may not do in a tenant."""

    READ_DOCUMENTS = "documents.read"
    WRITE_DOCUMENTS = "documents.write"
    GRANT_ACCESS = "access.grant"
    READ_CONVERSATIONS = "conversations.read"
    JUDGE_CONVERSATIONS = "conversations.judge"
    CHAT = "chat"
    READ_REPORTS = "reports.read"
    EDIT_VERSIONS = "versions.edit"
    PUBLISH_VERSIONS = "versions.publish"
    RUN_EVALUATIONS = "evaluations.run"
    MANAGE_WIDGET = "widget.manage"
    MANAGE_KEYS = "keys.manage"
    MANAGE_WEBHOOKS = "webhooks.manage"
    MANAGE_MEMBERS = "members.manage"
    MANAGE_OWNERS = "owners.manage"
    MANAGE_DATA = "data.manage"
    READ_AUDIT_LOG = "audit_log.read"


_ANALYST = frozenset(
    {May.READ_DOCUMENTS, May.READ_CONVERSATIONS, May.JUDGE_CONVERSATIONS, May.CHAT, May.READ_REPORTS}
)
_EDITOR = _ANALYST | {May.WRITE_DOCUMENTS, May.GRANT_ACCESS, May.EDIT_VERSIONS, May.RUN_EVALUATIONS}
_ADMIN = _EDITOR | {
    May.PUBLISH_VERSIONS,
    May.MANAGE_WIDGET,
    May.MANAGE_KEYS,
    May.MANAGE_WEBHOOKS,
    May.MANAGE_MEMBERS,
    May.MANAGE_DATA,
    May.READ_AUDIT_LOG,
}
ROLES: dict[str, frozenset[May]] = {
    Role.OWNER: frozenset(May),
    Role.ADMIN: frozenset(_ADMIN),
    Role.EDITOR: frozenset(_EDITOR),
    Role.ANALYST: _ANALYST,
}
SCOPES: dict[str, frozenset[May]] = {
    Scope.READ: frozenset({May.READ_DOCUMENTS, May.READ_CONVERSATIONS, May.READ_REPORTS}),
    Scope.INGEST: frozenset({May.READ_DOCUMENTS, May.WRITE_DOCUMENTS}),
    Scope.CHAT: frozenset({May.CHAT}),
    Scope.ADMIN: frozenset(_ADMIN),
}


def role_may(role: str | None, what: May) -> bool:
    """Whether a member in this role may do it; None is somebody without a role."""
    return role is not None and what in ROLES.get(role, frozenset())


def scopes_may(scopes: list[str], what: May) -> bool:
    return any(what in SCOPES.get(scope, frozenset()) for scope in scopes)
