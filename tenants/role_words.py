"""What each role may do, in words: one table for the console and docs/members.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tenants.models import Role
from tenants.roles import May, role_may

MEANING: Mapping[May, str] = MappingProxyType(
    {
        May.CHAT: "Chat",
        May.READ_DOCUMENTS: "See documents",
        May.READ_CONVERSATIONS: "Read conversations with their rewrites and slots",
        May.JUDGE_CONVERSATIONS: "Confirm or dismiss flagged turns",
        May.READ_REPORTS: "See usage, reports and the figures of evaluations",
        May.WRITE_DOCUMENTS: "Add, change and delete documents",
        May.GRANT_ACCESS: "Decide who sees which documents",
        May.EDIT_VERSIONS: "Draft policies and prompts",
        May.RUN_EVALUATIONS: "Keep follow-up sets and run evaluations",
        May.PUBLISH_VERSIONS: "Publish policies and prompts, and roll them back",
        May.MANAGE_WIDGET: "Configure the widget",
        May.MANAGE_KEYS: "Create and revoke keys",
        May.MANAGE_WEBHOOKS: "Manage webhooks",
        May.MANAGE_MEMBERS: "Invite, change and remove members, and ask them for a second factor",
        May.MANAGE_DATA: "Set retention, export and erase",
        May.READ_AUDIT_LOG: "Read the audit log",
        May.MANAGE_OWNERS: "Make and remove owners, and set up single sign-on",
    }
)
ROLE_NOTES: Mapping[str, str] = MappingProxyType(
    {
        Role.OWNER: "everything, other owners included",
        Role.ADMIN: "runs the workspace",
        Role.EDITOR: "looks after documents and drafts",
        Role.ANALYST: "reads and judges conversations",
    }
)


@dataclass(frozen=True, slots=True)
class RoleRow:
    """One thing, and for each role in `Role`'s order whether it may do it."""

    what: str
    may: tuple[bool, ...]


def role_table() -> tuple[RoleRow, ...]:
    return tuple(
        RoleRow(words, tuple(role_may(role, what) for role in Role)) for what, words in MEANING.items()
    )


def role_table_markdown() -> str:
    """The table as it stands in docs/members.md."""
    head = f"| | {' | '.join(role.label for role in Role)} |\n|---|{'---|' * len(Role)}\n"
    return head + "".join(
        f"| {row.what} | {' | '.join('✓' if may else '–' for may in row.may)} |\n" for row in role_table()
    )
