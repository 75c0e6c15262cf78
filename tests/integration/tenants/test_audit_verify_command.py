"""`manage.py audit_verify` on logs that are whole, broken, and put back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from conversations.evaluation.library import tenant_remove
from kernel.clock import now
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services.audit import audit_record
from tests.integration.tenants.meddling import meddler

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def out(tmp_path) -> Path:
    return tmp_path / "out.json"


@pytest.fixture
def logs(tenant, rival) -> Any:
    for one in (tenant, rival):
        with tenant_scope(one.id):
            for number in range(4):
                audit_record("car.rented", target=f"car {number}")
    return tenant


def figures(out: Path) -> dict[str, Any]:
    return json.loads(out.read_text())


def test_it_counts_what_it_followed(logs, out):
    call_command("audit_verify", json=out)
    assert figures(out) == {"entries": 10, "broken": []}


def test_it_looks_at_one_workspace_when_asked(logs, out):
    call_command("audit_verify", tenant="acme", json=out)
    assert figures(out)["entries"] == 5


def test_it_looks_at_suspended_workspaces_too(logs, out):
    Tenant.objects.filter(slug="rival").update(suspended_at=now())
    call_command("audit_verify", json=out)
    assert figures(out)["entries"] == 10


def test_it_fails_and_says_where_when_a_log_is_broken(logs, out, stack, capsys):
    with meddler(stack) as sql:
        sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 3", t=logs.id)
    with pytest.raises(CommandError, match="Broken audit logs: 1 of 2") as failed:
        call_command("audit_verify", json=out)
    assert failed.value.returncode == 1
    broken = {"tenant": "acme", "seq": 3, "reason": "missing", "detail": "Entry 3 is missing."}
    assert figures(out) == {"entries": 9, "broken": [broken]}
    shown = capsys.readouterr().out
    assert "missing" in shown and "whole" in shown


def test_it_finds_the_rivals_log_whole_when_only_that_is_asked_for(logs, stack):
    with meddler(stack) as sql:
        sql("delete from tenants_auditentry where tenant_id = %(t)s and seq = 3", t=logs.id)
    call_command("audit_verify", tenant="rival")


def test_it_finds_a_log_that_was_put_back_by_the_anchors_of_the_run_before(logs, out, stack, tmp_path):
    anchors = tmp_path / "anchors.jsonl"
    with meddler(stack) as sql:
        old = sql.rows("select seq, hash, seal from tenants_audithead where tenant_id = %(t)s", t=logs.id)[0]
        with tenant_scope(logs.id):
            audit_record("car.sold", target="car 1")
        call_command("audit_verify", anchors=anchors)
        sql("delete from tenants_auditentry where tenant_id = %(t)s and seq > 5", t=logs.id)
        head = "update tenants_audithead set seq = %(seq)s, hash = %(hash)s, seal = %(seal)s"
        sql(f"{head} where tenant_id = %(t)s", t=logs.id, **old)
    call_command("audit_verify")
    for _ in range(2):  # and it goes on saying so: a broken log keeps its anchor
        with pytest.raises(CommandError, match="Broken"):
            call_command("audit_verify", anchors=anchors, json=out)
        assert [(one["tenant"], one["reason"]) for one in figures(out)["broken"]] == [("acme", "rolled_back")]


def test_it_keeps_the_anchors_of_workspaces_it_was_not_asked_about(logs, tmp_path):
    anchors = tmp_path / "anchors.jsonl"
    call_command("audit_verify", anchors=anchors)
    call_command("audit_verify", anchors=anchors, tenant="acme")
    assert len(anchors.read_text().splitlines()) == 2


def test_it_forgets_the_anchors_of_workspaces_that_are_gone(logs, rival, tmp_path):
    anchors = tmp_path / "anchors.jsonl"
    call_command("audit_verify", anchors=anchors)
    tenant_remove(rival)
    call_command("audit_verify", anchors=anchors)
    (line,) = anchors.read_text().splitlines()
    assert json.loads(line)["tenant"] == str(logs.id)


def test_it_does_not_believe_an_anchor_that_somebody_wrote(logs, out, tmp_path):
    anchors = tmp_path / "anchors.jsonl"
    call_command("audit_verify", anchors=anchors)
    anchors.write_text(anchors.read_text().replace('"seq": 5', '"seq": 2'))
    with pytest.raises(CommandError):
        call_command("audit_verify", anchors=anchors, json=out)
    assert {one["reason"] for one in figures(out)["broken"]} == {"anchor_forged"}


@pytest.mark.parametrize(
    "text", ["nonsense", "{}", "[1]", '{"tenant": "a", "seq": "x", "hash": "", "seal": ""}', "\x00"]
)
def test_it_refuses_a_file_that_holds_no_anchors(logs, tmp_path, text):
    anchors = tmp_path / "anchors.jsonl"
    anchors.write_text(text)
    with pytest.raises(CommandError, match="holds no anchors"):
        call_command("audit_verify", anchors=anchors)
    assert anchors.read_text() == text


def test_it_says_that_a_workspace_is_not_there(db):
    with pytest.raises(CommandError, match="no workspace"):
        call_command("audit_verify", tenant="nowhere")
