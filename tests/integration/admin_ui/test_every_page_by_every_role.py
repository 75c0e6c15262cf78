"""Every page and every action of the console by every role: who may, who is told that they may not, and the rival."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.urls import URLPattern

from admin_ui.urls import urlpatterns

pytestmark = pytest.mark.django_db

ROLES = ("owner", "admin", "editor", "analyst")
ALL = frozenset(ROLES)
EDITORS = ALL - {"analyst"}
ADMINS = EDITORS - {"editor"}
OWNERS = frozenset({"owner"})
# Whoever may not is told 403; whoever may gets anything but that, 404 for the ids that nothing has.
MAY: dict[frozenset[str], str] = {
    ALL: """
        documents document search conversations conversation turns contamination contamination-figures
        contamination-turns contamination-judge usage usage-csv support-leave policy prompts versions version
        questions question-mark evaluations evaluations-all evaluation evaluation-gates followup-set
    """,
    EDITORS: """
        documents-upload documents-import document-retry document-refresh document-delete document-access access
        corpus-new corpus corpus-access audience-new audience audience-members version-draft version-edit
        version-check version-discard what-ifs what-if-new what-if-run what-if-estimate what-if what-if-cancel
        what-if-keep evaluation-new evaluation-start evaluation-cancel
        evaluation-delete evaluation-compare followup-set-new followup-set-change
        followup-set-delete followup-set-upload followup-set-download followup-item-new followup-item-add
        followup-item followup-item-save followup-item-delete followup-grow documents-bulk document-describe
        corpus-model people seen document-seers corpus-change corpus-delete audience-change audience-delete
    """,
    ADMINS: """
        data data-retention person-data person-archive person-erase erasure archive-new archive-file archive-delete members invite two-factor member-role member-remove invitation-again invitation-back
        version-publish version-roll-back version-stage version-stage-end what-if-publish keys key-new key-revoke
        identity-key-new identity-key-retire identity-key-revoke widget-key-new widget-key widget-key-revoke
        evaluation-gates-save webhooks webhook-new webhook webhook-change webhook-switch webhook-secret webhook-test
        webhook-delete webhook-again widget-preview widget-preview-loader
        widget-preview-frame widget-preview-api widget-contrast audit-log audit-log-verify audit-log-download
    """,
    OWNERS: "sign-in-provider-new sign-in-provider sign-in-provider-remove",
}
WORDS = {
    "kind": "policy",
    "name": "scope",
    "number": "7",
    "what": "documents",
    "state": "failed",
    "slug": "x",
}


def addresses() -> dict[str, str]:
    """Every address of the console by its name, filled with ids that nothing has."""
    found = {}
    for pattern in urlpatterns:
        if isinstance(pattern, URLPattern) and pattern.name and pattern.name.startswith("console-"):
            filled = re.sub(r"<(?:(\w+):)?(\w+)>", _filling, str(pattern.pattern))
            found[pattern.name] = filled
    return found


def _filling(part: re.Match[str]) -> str:
    kind, name = part[1], part[2]
    return str(uuid4()) if kind == "uuid" else "7" if kind == "int" else WORDS.get(name, "x")


def asked(console, path: str):
    """By GET, or by POST where an address is an action only."""
    answer = console.get(path)
    return console.post(path) if answer.status_code == 405 else answer


def may() -> dict[str, frozenset[str]]:
    return {f"console-{name}": roles for roles, names in MAY.items() for name in names.split()}


def test_no_address_is_forgotten_here():
    assert set(may()) == set(addresses())


@pytest.mark.parametrize("role", ROLES)
def test_each_role_gets_what_the_table_says(tenant, browser, role):
    console, wrong = browser(tenant, role), {}
    for name, path in addresses().items():
        status = asked(console, path).status_code
        if (status != 403) != (role in may()[name]) or status >= 500:
            wrong[name] = status
    assert wrong == {}


@pytest.mark.parametrize("who", ["stranger", "owner elsewhere"])
def test_nobody_else_gets_anything(tenant, rival, browser, who):
    console = browser(tenant) if who == "stranger" else browser(tenant, "owner", member_of=rival)
    for name, path in addresses().items():
        answers = [console.get(path), console.post(path)]
        for answer in answers:
            if who == "stranger":
                assert answer.status_code == 302 and "/t/acme/login/" in answer.headers["Location"], name
            else:
                assert answer.status_code == 403 and "not_a_member" in answer.content.decode(), name
