"""A tenant's rows are reached from inside its scope and from nowhere else."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import nullcontext

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import Count

from tenants.errors import NoTenantScope
from tenants.models import Audience, EndUser, EndUserAudience, Membership, User
from tenants.postgres.base import DatabaseWrapper
from tenants.scoping import ClosedQuerySet, no_scope, tenant_scope
from tenants.selectors import workspaces_of
from tenants.services import end_user_for_device, membership_set
from tenants.threads import in_thread

pytestmark = pytest.mark.django_db(transaction=True)


def count_raw(table: str = "tenants_audience") -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"select count(*) from {table}")
        return int(cursor.fetchone()[0])


def test_it_serves_as_a_role_that_row_level_security_binds(tenant):
    with connection.cursor() as cursor:
        cursor.execute("select rolsuper, rolbypassrls from pg_roles where rolname = current_user")
        assert cursor.fetchone() == (False, False)


def test_it_shows_no_row_to_raw_sql_without_a_tenant(tenant, rival):
    assert count_raw() == 0


def test_it_shows_raw_sql_only_the_rows_of_the_scope(tenant, rival):
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute("select distinct tenant_id from tenants_audience")
        assert cursor.fetchall() == [(tenant.id,)]


def test_it_shows_no_row_to_a_query_for_another_tenant(tenant, rival):
    with tenant_scope(rival.id):
        theirs = Audience._base_manager.filter(tenant_id=tenant.id)
        assert theirs.count() == 0
        assert not Audience.objects.filter(tenant_id=tenant.id).exists()


def test_it_shows_no_row_to_a_tenant_that_does_not_exist(tenant):
    with tenant_scope(uuid.uuid4()):
        assert count_raw() == 0


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: list(Audience.objects.all()),
        lambda: Audience.objects.filter(slug="everyone").first(),
        lambda: Audience.objects.count(),
        lambda: Audience.objects.exists(),
        lambda: Audience.objects.aggregate(n=Count("id")),
        lambda: Audience.objects.update(name="x"),
        lambda: Audience.objects.all().delete(),
        lambda: list(Audience.objects.values_list("id").iterator()),
        lambda: Audience.objects.in_bulk(),
        lambda: Audience.objects.create(name="x", slug="x"),
        lambda: Audience.objects.bulk_create([Audience(name="x", slug="x")]),
        lambda: list(Audience.objects.raw("select * from tenants_audience")),
        lambda: list(Audience.objects.order_by("id").union(Audience.objects.all())),
        lambda: Audience.objects.get_or_create(slug="everyone"),
    ],
)
def test_it_refuses_every_query_outside_a_scope(tenant, attempt):
    with pytest.raises(NoTenantScope):
        attempt()


def test_it_lets_a_closed_query_be_built_but_not_run(tenant):
    query = Audience.objects.filter(slug="everyone").order_by("name")
    assert isinstance(query, ClosedQuerySet)
    with tenant_scope(tenant.id), pytest.raises(NoTenantScope):
        list(query)


def test_it_cannot_write_a_row_for_another_tenant(tenant, rival):
    with tenant_scope(rival.id), pytest.raises(Exception, match="row-level security"):
        EndUser.objects.create(tenant_id=tenant.id, subject="x", kind="anonymous")


def test_it_cannot_move_a_row_to_another_tenant(tenant, rival):
    with tenant_scope(tenant.id), pytest.raises(Exception, match="row-level security"):
        Audience.objects.filter(slug="everyone").update(tenant_id=rival.id)


def test_it_cannot_point_into_another_tenant(tenant, rival):
    with tenant_scope(rival.id):
        theirs = Audience.objects.get(slug="everyone")
    with tenant_scope(tenant.id):
        mine = end_user_for_device(device="d")
        with pytest.raises(IntegrityError, match="same_tenant"):
            EndUserAudience.objects.create(end_user=mine, audience=theirs)


def test_it_forgets_the_tenant_when_a_transaction_fails(tenant):
    with pytest.raises(IntegrityError), tenant_scope(tenant.id), transaction.atomic():
        Audience.objects.create(slug="everyone", name="twice", group=Audience.objects.first().group)
    assert count_raw() == 0
    with connection.cursor() as cursor:
        cursor.execute("select current_setting('antecedent.tenant_id', true)")
        assert cursor.fetchone()[0] in (None, "")


def test_it_follows_the_scope_inside_one_transaction(tenant, rival):
    with transaction.atomic():
        with tenant_scope(tenant.id):
            assert count_raw() == 2
            with tenant_scope(rival.id), connection.cursor() as cursor:
                cursor.execute("select distinct tenant_id from tenants_audience")
                assert cursor.fetchall() == [(rival.id,)]
            assert {a.tenant_id for a in Audience.objects.all()} == {tenant.id}
        assert count_raw() == 0


def test_it_holds_after_a_savepoint_was_rolled_back(tenant, rival):
    with transaction.atomic(), tenant_scope(tenant.id):
        with pytest.raises(RuntimeError), transaction.atomic(), tenant_scope(rival.id):
            count_raw()
            raise RuntimeError
        with connection.cursor() as cursor:
            cursor.execute("select distinct tenant_id from tenants_audience")
            assert cursor.fetchall() == [(tenant.id,)]


def test_an_error_inside_an_inner_scope_costs_the_outer_transaction_nothing(tenant, rival):
    with transaction.atomic(), tenant_scope(tenant.id):
        mine = end_user_for_device(device="kept")
        with pytest.raises(IntegrityError), transaction.atomic(), tenant_scope(rival.id):
            count_raw()
            EndUser.objects.create(subject="twice", kind="anonymous")
            EndUser.objects.create(subject="twice", kind="anonymous")
        assert EndUser.objects.get().pk == mine.pk


def test_it_keeps_the_scopes_of_concurrent_tasks_apart(tenant, rival):
    async def seen(mine: uuid.UUID) -> set[uuid.UUID]:
        with tenant_scope(mine):
            await asyncio.sleep(0)
            return await in_thread(lambda: {a.tenant_id for a in Audience.objects.all()})

    async def both() -> list[set[uuid.UUID]]:
        return await asyncio.gather(*(seen(t.id) for t in [tenant, rival] * 10))

    assert asyncio.run(both()) == [{tenant.id}, {rival.id}] * 10


@pytest.mark.parametrize("in_atomic", [False, True])
def test_it_is_told_the_tenant_in_a_way_that_citus_passes_on_to_its_nodes(tenant, monkeypatch, in_atomic):
    """`set local` after `begin`, with citus.propagate_set_commands = 'local'; `set_config` would stay where it is."""
    sent, send = [], DatabaseWrapper._send
    monkeypatch.setattr(DatabaseWrapper, "_send", lambda self, text: (sent.append(text), send(self, text))[1])
    with tenant_scope(tenant.id), transaction.atomic() if in_atomic else nullcontext():
        assert count_raw() == 2
    told = [text for text in sent if "set local" in text]
    assert len(told) == 1 and f"set local antecedent.tenant_id = '{tenant.id}'" in told[0]
    assert told[0].startswith("begin; ") or in_atomic
    assert not any("set_config" in text for text in sent)


def test_it_shows_a_user_their_own_workspaces_and_nobody_elses(tenant, rival):
    mine, other = User.objects.create_user("a@acme.example"), User.objects.create_user("b@acme.example")
    with tenant_scope(tenant.id):
        membership_set(user=mine, role="owner")
        membership_set(user=other, role="owner")
    with tenant_scope(rival.id):
        membership_set(user=other, role="owner")
    assert [w.slug for w in workspaces_of(mine)] == ["acme"]
    assert [w.slug for w in workspaces_of(other)] == ["acme", "rival"]
    with no_scope(), pytest.raises(NoTenantScope):
        list(Membership.own.all())
