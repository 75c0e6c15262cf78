"""A policy from before there were versions becomes version 1, complete and in force, and nobody else's."""

from __future__ import annotations

import json
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection

from conversations.domain.policy import ScopePolicy
from conversations.selectors.in_force import in_force
from tenants.models import Version
from tenants.scoping import tenant_scope
from tenants.selectors.versions import version_list

migration = import_module("tenants.migrations.0010_policies_become_versions")
OLD = {"window": 2, "horizons": {"stale_after": 2}, "budgets": {"added_terms": 9}, "colour": "blue"}

pytestmark = pytest.mark.django_db


def migrate(policies: dict) -> None:
    """Run the migration on a table that still has its column."""
    with connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table tenants_tenant add column scope_policy jsonb not null default '{}'")
        for tenant, policy in policies.items():
            cursor.execute(
                "update tenants_tenant set scope_policy = %s where id = %s", [json.dumps(policy), tenant.pk]
            )
        migration.publish(None, SimpleNamespace(connection=connection))
        migration.publish(None, SimpleNamespace(connection=connection))


def flat(data: dict, path: str = "") -> dict:
    """{"horizons.stale_after": 2, …}: every setting by its path."""
    parts = [flat(v, f"{path}{k}.") if isinstance(v, dict) else {f"{path}{k}": v} for k, v in data.items()]
    return {name: value for part in parts for name, value in part.items()}


def test_it_publishes_the_old_policy_with_every_default_of_its_time(tenant, rival):
    migrate({tenant: OLD})
    with tenant_scope(tenant.pk):
        (version,) = Version.objects.all()
        assert (version.number, version.state) == (1, "published")
        assert in_force(None).policy == ScopePolicy.from_json(OLD)
        stored, now = flat(version.data), flat(ScopePolicy.from_json(OLD).to_json())
        assert stored.items() <= now.items(), "what came to policies later has its default by being left out"
        assert len(stored) >= 17 and stored["horizons.stale_after"] == 2
    with tenant_scope(rival.pk):
        assert [version.number for version in version_list("policy", "scope")] == [0]


def test_each_tenant_gets_its_own(tenant, rival):
    migrate({tenant: OLD, rival: {"strategy": "hybrid"}})
    with tenant_scope(rival.pk):
        found = in_force(None).policy
        assert (found.strategy, found.window, found.version) == ("hybrid", 4, 1)
    with tenant_scope(tenant.pk):
        assert in_force(None).policy.window == 2


def test_the_way_back_restores_the_column(tenant):
    migrate({tenant: OLD})
    with connection.cursor() as cursor:
        cursor.execute("update tenants_tenant set scope_policy = '{}'")
        migration.restore(None, SimpleNamespace(connection=connection))
        cursor.execute("select scope_policy->>'window' from tenants_tenant where id = %s", [tenant.pk])
        assert cursor.fetchone() == ("2",)
