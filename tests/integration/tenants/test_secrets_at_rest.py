"""A tenant's secrets are stored sealed, and who set or forgot them is recorded."""

from __future__ import annotations

import pytest
from django.db import connection

from kernel.errors import Invalid, NotFound
from tenants.errors import SecretUnreadable
from tenants.models import AuditEntry, TenantSecret
from tenants.scoping import tenant_scope
from tenants.services.secrets import secret_forget, secret_get, secret_set

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "sk-hospital-0123456789"


def test_it_gives_back_what_was_set(scoped):
    secret_set(name="model-key", value=SECRET)
    assert secret_get(name="model-key") == SECRET


def test_it_stores_nothing_readable(scoped):
    secret_set(name="model-key", value=SECRET)
    secret_set(name="model-key", value=SECRET[::-1])
    secret_forget(name="model-key")
    with connection.cursor() as cursor:
        cursor.execute("select row_to_json(s)::text from tenants_tenantsecret s")
        stored = cursor.fetchall()
        cursor.execute("select row_to_json(e)::text from tenants_auditentry e")
        stored += cursor.fetchall()
    assert stored and not any(SECRET in row or SECRET[::-1] in row for (row,) in stored)


def test_it_records_who_set_and_forgot_it(scoped):
    secret_set(name="model-key", value=SECRET)
    secret_set(name="model-key", value=SECRET)
    secret_forget(name="model-key")
    rows = AuditEntry.objects.filter(target="model-key").order_by("seq").values_list("action", "data")
    assert list(rows) == [
        ("secret.set", {"hint": "6789", "replaced": False}),
        ("secret.set", {"hint": "6789", "replaced": True}),
        ("secret.forgotten", {"hint": "6789"}),
    ]


def test_it_hints_at_nothing_of_a_short_secret(scoped):
    assert secret_set(name="pin", value="1234").hint == ""


def test_it_says_that_a_secret_is_not_there(scoped):
    for attempt in (secret_get, secret_forget):
        with pytest.raises(NotFound):
            attempt(name="model-key")


@pytest.mark.parametrize(
    ("name", "value"), [("", "x"), ("two words", "x"), ("n" * 61, "x"), ("n", ""), ("n", "x" * 10_001)]
)
def test_it_refuses_names_and_values_that_are_none(scoped, name, value):
    with pytest.raises(Invalid):
        secret_set(name=name, value=value)


def test_it_opens_nothing_that_was_copied_to_the_rival(tenant, rival):
    with tenant_scope(tenant.id):
        sealed = secret_set(name="model-key", value=SECRET).value
    with tenant_scope(rival.id):
        TenantSecret.objects.create(name="model-key", value=sealed)
        with pytest.raises(SecretUnreadable):
            secret_get(name="model-key")
