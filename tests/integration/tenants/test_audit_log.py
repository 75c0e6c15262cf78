"""The audit log: one chain a tenant, appended and never changed."""

from __future__ import annotations

import json
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from tenants.acting import SYSTEM, VISITOR, Actor, acting_as, current_actor, or_else
from tenants.errors import NoTenantScope
from tenants.models import AuditEntry, AuditHead, Tenant, User
from tenants.scoping import tenant_scope
from tenants.selectors import audit as selectors
from tenants.selectors.audit import audit_export, audit_verify
from tenants.services import membership_set
from tenants.services.audit import audit_erase, audit_record

pytestmark = pytest.mark.django_db(transaction=True)


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("seq").values_list("action", flat=True))


def test_it_begins_with_the_workspace(scoped):
    first = AuditEntry.objects.get()
    assert (first.seq, first.action, first.target, first.previous) == (1, "tenant.created", "acme", "")


def test_it_keeps_what_was_changed_and_by_whom(scoped):
    with acting_as(Actor("user", "7", "ada@hospital.example")):
        audit_record("ward.opened", target="ward 3", beds=4, open=True)
    last = AuditEntry.objects.get(seq=2)
    assert (last.actor, last.actor_id, last.actor_label) == ("user", "7", "ada@hospital.example")
    assert (last.action, last.target, last.data) == ("ward.opened", "ward 3", {"beds": 4, "open": True})


def test_it_says_the_system_where_nobody_is_named(scoped):
    assert audit_record("ward.opened").actor == "system"


def test_it_asks_who_acts_only_when_something_is_recorded(scoped):
    asked = []

    def who() -> Actor:
        asked.append(1)
        return Actor("user", "7")

    with acting_as(who):
        assert asked == []
        assert audit_record("ward.opened").actor_id == "7"


def test_it_names_the_end_user_only_where_nobody_in_particular_acts():
    guest = Actor("end_user", "g")
    for outer, expected in ((SYSTEM, guest), (VISITOR, guest), (Actor("key", "k"), Actor("key", "k"))):
        with acting_as(outer), acting_as(or_else(guest)):
            assert current_actor() == expected


@pytest.mark.parametrize(
    "value",
    [1.0, 1e22, -0.0, 1.5e-300, 0.1, 10**30, "nul \0", "half \ud800", "ü ✓ 語", None, [1, [2.0, {"a": 3.0}]], {"é": 1}, "", ()],
    ids=repr,
)  # fmt: skip
def test_it_reads_back_every_value_as_it_was_hashed(scoped, value):
    audit_record("ward.opened", target=value if isinstance(value, str) else "", value=value)
    assert audit_verify().broken == ()


def test_it_cuts_names_that_are_too_long_for_their_columns(scoped):
    with acting_as(Actor("user", "7" * 99, "a" * 400)):
        audit_record("ward.opened", target="t" * 400)
    assert audit_verify().broken == ()


def test_it_is_undone_with_the_change(scoped):
    with pytest.raises(RuntimeError), transaction.atomic():
        audit_record("ward.opened")
        raise RuntimeError
    assert actions() == ["tenant.created"]
    assert audit_verify().broken == ()


def test_it_records_nothing_when_nothing_was_changed(scoped):
    ada = User.objects.create_user("ada@hospital.example")
    for _ in range(2):
        membership_set(user=ada, role="editor")
    membership_set(user=ada, role="admin")
    changed = AuditEntry.objects.filter(action="membership.set").order_by("seq")
    assert [(one.data["before"], one.data["role"]) for one in changed] == [
        (None, "editor"),
        ("editor", "admin"),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "update tenants_auditentry set actor_label = 'nobody'",
        "update tenants_auditentry set hash = hash",
        "delete from tenants_auditentry",
        "delete from tenants_auditentry where seq = 1",
    ],
)
def test_its_database_refuses_to_change_an_entry(scoped, statement):
    with pytest.raises(DatabaseError, match="append-only"), connection.cursor() as cursor:
        cursor.execute(statement)
    assert audit_verify().broken == ()


def test_its_models_refuse_to_change_an_entry(scoped):
    entry = AuditEntry.objects.get()
    for attempt in (entry.save, entry.delete, AuditEntry.objects.all().delete):
        with pytest.raises(DatabaseError, match="append-only"):
            attempt()


def test_it_needs_a_tenant(tenant):
    with pytest.raises(NoTenantScope):
        audit_record("ward.opened")


def test_it_shows_the_rival_nothing(tenant, rival):
    with tenant_scope(tenant.id):
        audit_record("ward.opened", target="ward 3")
    with tenant_scope(rival.id):
        assert actions() == ["tenant.created"]
        assert b"ward" not in b"".join(audit_export())
        assert AuditHead.objects.get().seq == audit_verify().entries == 1


def test_it_goes_with_its_tenant_and_leaves_the_rivals(tenant, rival):
    with transaction.atomic():
        with tenant_scope(tenant.id):
            audit_erase()
        with tenant_scope(rival.id), pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            AuditEntry.objects.all().delete()
    with tenant_scope(tenant.id):
        assert not AuditEntry.objects.exists()
    with tenant_scope(rival.id):
        assert audit_verify().entries == 1


def test_it_is_handed_out_line_by_line_after_the_scope_was_left(tenant, monkeypatch):
    monkeypatch.setattr(selectors, "BATCH", 3)
    with tenant_scope(tenant.id):
        for number in range(7):
            audit_record("ward.opened", target=f"ward {number}")
        lines = audit_export()
        some = audit_export(after=6)
    rows = [json.loads(line) for line in lines]
    assert [row["seq"] for row in rows] == list(range(1, 9))
    assert all(row["previous"] == before["hash"] for before, row in pairwise(rows))
    assert [json.loads(line)["seq"] for line in some] == [7, 8]


@pytest.mark.parametrize("batch", [1, 2, 3, 100])
def test_it_is_verified_in_batches_of_any_size(scoped, monkeypatch, batch):
    monkeypatch.setattr(selectors, "BATCH", batch)
    for number in range(5):
        audit_record("ward.opened", target=f"ward {number}")
    seen: list[int] = []
    verdict = audit_verify(report=seen.append)
    assert (verdict.entries, verdict.broken, seen[-1]) == (6, (), 6)


def test_it_accepts_an_anchor_and_refuses_one_it_did_not_make(scoped, rival):
    anchor = audit_verify().anchor
    audit_record("ward.opened")
    assert audit_verify(anchor=anchor).broken == ()
    with tenant_scope(rival.id):
        assert [one.reason for one in audit_verify(anchor=anchor).broken] == ["anchor_forged"]


def test_it_does_not_take_a_workspace_without_a_log_for_whole(db):
    bare = Tenant.objects.create(id=uuid4(), slug="bare", name="Bare")
    with tenant_scope(bare.id):
        assert [one.reason for one in audit_verify().broken] == ["head_missing"]
