"""Whether a second factor is required, by REST: read, switched on and off, twice, by whom it may be and by nobody else."""

from __future__ import annotations

import pytest
from django.test import Client

from tenants.models import AuditEntry, Tenant
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of

pytestmark = pytest.mark.django_db
PATH = "/api/v1/workspace/two-factor"


@pytest.fixture
def ada(tenant, person):
    return person(tenant, "ada@acme.example", "owner")


@pytest.fixture
def ask(tenant, ada):
    return Program(key_of(tenant, by=ada))


def required_in(tenant):
    return Tenant.objects.get(pk=tenant.pk).two_factor_required


def logged(tenant):
    with tenant_scope(tenant.id):
        found = AuditEntry.objects.filter(action__startswith="two_factor.").order_by("seq")
        return list(found.values_list("action", flat=True))


def test_it_is_up_to_each_member_until_it_is_required_and_the_log_tells_each_change_once(ask, tenant, rival):
    first = ask("GET", PATH)
    assert first.json() == {"required": False, "members_without": 1}
    for _ in range(2):
        assert ask("PUT", PATH, {"required": True}).json() == {"required": True, "members_without": 1}
    assert ask("GET", PATH, If_None_Match=first.headers["ETag"]).status_code == 200
    assert required_in(tenant) and not required_in(rival)
    assert ask("PUT", PATH, {"required": False}).json()["required"] is False
    assert logged(tenant) == ["two_factor.required", "two_factor.optional"]


def test_a_member_who_requires_it_needs_one_from_then_on_too(tenant, ada):
    client = Client()
    client.force_login(ada)
    signed_in = Program(slug=tenant.slug, client=client)
    assert signed_in("PUT", PATH, {"required": True}).status_code == 200
    assert signed_in("GET", PATH).json()["error"]["code"] == "two_factor_required"


@pytest.mark.parametrize(
    "body", [{}, {"required": "yes"}, {"required": None}, {"required": 1}, {"needed": True}]
)
def test_what_is_neither_yes_nor_no_changes_nothing(ask, tenant, body):
    assert ask("PUT", PATH, body).status_code == 400 and not required_in(tenant)


def test_a_key_that_no_member_made_switches_nothing_nor_does_the_rivals(tenant, rival, person):
    assert Program(key_of(tenant))("PUT", PATH, {"required": True}).status_code == 403
    assert Program(key_of(tenant, "read"))("GET", PATH).status_code == 403
    theirs = Program(key_of(rival, by=person(rival, "rob@rival.example", "owner")))
    assert theirs("PUT", PATH, {"required": True}).status_code == 200
    assert not required_in(tenant) and logged(tenant) == []
