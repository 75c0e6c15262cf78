"""docs/audit-log.md lists every action that is recorded, every finding of a verification, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tenants.audit_chain import BROKEN, Reason

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/audit-log.md").read_text()
ACTION = re.compile(r"[a-z_]+\.[a-z_]+")
# Handed on under a name before they are recorded.
NAMED = {
    "identity_key.retired",
    "identity_key.revoked",
    "version.published",
    "version.rolled_back",
    "widget_key.changed",
    "widget_key.revoked",
    BROKEN,
}


def recorded() -> Iterator[str]:
    for top in ("platform", "tenants", "retrieval", "conversations", "admin_ui"):
        for path in (ROOT / top).rglob("*.py"):
            if "audit_record" in (text := path.read_text()):
                yield from _actions(ast.parse(text))


def _actions(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "audit_record":
            yield from (
                part.value
                for part in ast.walk(node.args[0])
                if isinstance(part, ast.Constant)
                and isinstance(part.value, str)
                and ACTION.fullmatch(part.value)
            )


def listed(heading: str) -> set[str]:
    table = PAGE.split(heading, 1)[1].lstrip("\n").split("\n\n", 1)[0]
    return {word for row in table.splitlines() for word in re.findall(r"`([^`]+)`", row.split("|")[1])}


def test_it_lists_every_action_that_is_recorded_and_no_other():
    assert listed("| action | when |\n") == {*recorded()} | NAMED


def test_it_lists_every_finding_and_no_other():
    assert listed("| reason | what was done |\n") == set(Reason)
