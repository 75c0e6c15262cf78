"""An erased workspace is gone from every table, key and folder; its neighbours are as they were; a receipt remains."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.db import connection

from kernel.clock import now
from kernel.errors import NotFound
from retrieval.models import Document
from tenants import tasks
from tenants.acting import Actor, acting_as
from tenants.adapters import shared_memory
from tenants.models import Tenant, TenantErasure
from tenants.scoping import no_scope, tenant_scope
from tenants.services import erasing_tenant
from tenants.services.data import data_serve
from tenants.services.erasing import tenant_erase, tenant_erase_request, tenant_erasures_waiting
from tenants.services.erasing_tenant import tenant_tables
from tenants.services.exports import export_request
from tests.integration.memory.searching import keys_with, tables_with

pytestmark = pytest.mark.django_db(transaction=True)


def rows_of(tenant_id, stack) -> dict[str, int]:
    """Rows of every tenant table, as the tenant itself sees them."""
    counts = {}
    with tenant_scope(tenant_id), connection.cursor() as cursor:
        for table in tenant_tables():
            cursor.execute(f"select count(*) from {table}")
            counts[table] = cursor.fetchone()[0]
    return {table: n for table, n in counts.items() if n}


def erased(tenant) -> TenantErasure:
    erasure = tenant_erase_request(tenant_id=tenant.id)
    with no_scope():
        tasks.tenant_erase_task(str(erasure.pk))
    erasure.refresh_from_db()
    return erasure


def test_nothing_is_left_anywhere_and_the_neighbour_is_as_it_was(clinic, theirs, stack):
    with tenant_scope(clinic.tenant.id):
        export_request()
        data_serve()
    identity = str(clinic.tenant.id)
    before = rows_of(theirs.tenant.id, stack)
    assert len(before) > 20 and len(rows_of(clinic.tenant.id, stack)) > 20
    assert clinic.blob.exists() and tables_with("Quillworthy", stack) and keys_with(identity)

    erasure = erased(clinic.tenant)

    assert (erasure.state, erasure.progress) == ("done", 1.0)
    assert rows_of(clinic.tenant.id, stack) == {}
    # Accounts are the people's own. The receipt names the workspace by its id.
    assert tables_with("Quillworthy", stack) == {"tenants_user"}
    assert tables_with(identity, stack) == {"tenants_tenanterasure"}
    assert keys_with(identity) == set() == keys_with("Quillworthy")
    assert not clinic.blob.exists()
    assert not (settings.ANTECEDENT["BLOB_DIR"] / "exports" / identity).exists()
    assert not Tenant.objects.filter(pk=clinic.tenant.id).exists()
    assert not Group.objects.filter(name__startswith=identity).exists()

    assert rows_of(theirs.tenant.id, stack) == before
    assert theirs.blob.exists() and keys_with("Ostermarsh")
    with tenant_scope(theirs.tenant.id):
        assert Document.objects.get().state == "indexed"


def test_the_receipt_says_what_when_and_by_whom(clinic):
    with acting_as(Actor("staff", "3", "ops@platform.example")):
        erasure = tenant_erase_request(tenant_id=clinic.tenant.id)
    with no_scope():
        tenant_erase(erasure_id=erasure.pk)
    erasure.refresh_from_db()
    assert (erasure.actor, erasure.actor_id, erasure.slug) == ("staff", "3", "acme")
    assert erasure.erased_tenant_id == clinic.tenant.id and erasure.finished_at is not None
    expected = {
        "Session": 2,
        "Turn": 2,
        "Document": 1,
        "files": 1,
        "Chunk": 1,
        "ChunkEmbedding": 1,
        "Corpus": 1,
    }
    assert expected.items() <= erasure.counts.items()
    assert erasure.counts["audit entries"] > 5
    assert erasure.counts["rows of tenants_enduser"] == 2
    assert erasure.counts["groups"] == 3


def test_from_the_moment_it_is_asked_for_nobody_gets_in(clinic):
    first = tenant_erase_request(tenant_id=clinic.tenant.id)
    assert Tenant.objects.get(pk=clinic.tenant.id).suspended_at is not None
    assert tenant_erase_request(tenant_id=clinic.tenant.id).pk == first.pk
    assert tenant_erasures_waiting() == [first.pk]


def test_an_unknown_workspace_is_not_erased(rival):
    with pytest.raises(NotFound):
        tenant_erase_request(tenant_id=TenantErasure().pk)


class Killed(BaseException):
    """Stands for `kill -9`."""


@pytest.mark.parametrize(
    "where",
    [
        ("conversations.services.retention", "sessions_delete"),
        ("retrieval.services.owning", "_erase_space"),
        ("tenants.services.erasing_tenant", "tenant_files_remove"),
        ("tenants.services.erasing_tenant", "_remove_tenant"),
        ("tenants.adapters.shared_memory", "forget_tenant"),
    ],
    ids=lambda where: where[1],
)
def test_killed_anywhere_it_goes_on_with_what_is_left(clinic, theirs, stack, monkeypatch, where):
    import importlib

    module, name = where
    before = rows_of(theirs.tenant.id, stack)

    def kill(*_, **__):
        raise Killed

    erasure = tenant_erase_request(tenant_id=clinic.tenant.id)
    with monkeypatch.context() as patched:
        patched.setattr(importlib.import_module(module), name, kill)
        from tenants.services import erasing

        patched.setitem(erasing._erasers, "tenants", erasing_tenant.eraser())
        with no_scope(), pytest.raises(Killed):
            tenant_erase(erasure_id=erasure.pk)
    with no_scope():
        assert tenant_erase(erasure_id=erasure.pk) is False, "its worker's lease has not run out"
    TenantErasure.objects.update(lease_until=now() - timedelta(seconds=1))
    sent = []
    monkeypatch.setattr(tasks.tenant_erase_task, "delay", sent.append)
    with no_scope():
        tasks.data_sweep()
        assert sent == [str(erasure.pk)]
        assert tenant_erase(erasure_id=erasure.pk) is True
        assert tenant_erase(erasure_id=erasure.pk) is False, "it is done"
    erasure.refresh_from_db()
    assert erasure.state == "done" and erasure.counts["Session"] == 2 and erasure.counts["Document"] == 1
    assert erasure.counts["rows of tenants_enduser"] == 2
    assert rows_of(clinic.tenant.id, stack) == {} and keys_with(str(clinic.tenant.id)) == set()
    assert rows_of(theirs.tenant.id, stack) == before


def test_every_table_with_a_tenants_column_is_among_those_that_are_emptied(tenant):
    with connection.cursor() as cursor:
        cursor.execute(
            "select c.table_name from information_schema.columns c join pg_class p on p.relname = c.table_name"
            " where c.column_name = 'tenant_id' and c.table_schema = 'public' and not p.relispartition"
            " and p.relkind in ('r', 'p')"
        )
        assert {row[0] for row in cursor.fetchall()} == set(tenant_tables())


def test_keys_of_one_tenant_are_no_other_tenants(tenant, rival):
    for who in (tenant, rival):
        shared_memory.client().set(shared_memory.key_of(who.id, "test"), "1")
    assert shared_memory.forget_tenant(tenant.id) == 1
    assert shared_memory.client().get(shared_memory.key_of(rival.id, "test")) == "1"
