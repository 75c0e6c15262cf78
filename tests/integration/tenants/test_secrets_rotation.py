"""Keys can be changed while everything runs: what is sealed opens before, during and after."""

from __future__ import annotations

import json

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tenants.models import (
    AuditEntry,
    AuditHead,
    IdempotentRequest,
    IdentityKey,
    SignInProvider,
    TenantSecret,
    Webhook,
)
from tenants.scoping import tenant_scope
from tenants.sealing import seal, unseal
from tenants.selectors.audit import audit_verify
from tenants.services import rotation
from tenants.services.rotation import secrets_rotate
from tenants.services.secrets import secret_get, secret_set

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "o" * 40, "n" * 40
PEM = "-----BEGIN PUBLIC KEY-----"


@pytest.fixture
def keys(settings):
    """Set before any tenant is made: tenant fixtures come after it."""
    settings.SECRETS_KEYS = [OLD]
    return settings


@pytest.fixture
def filled(keys, tenant, rival):
    """A sealed value in every column that has one, of two tenants."""
    for one in (tenant, rival):
        with tenant_scope(one.id):
            for number in range(5):
                secret_set(name=f"key-{number}", value=f"secret {number} of {one.slug}")
            IdentityKey.objects.create(kid="shared", algorithm="HS256", material=seal("shared"))
            IdentityKey.objects.create(kid="public", algorithm="EdDSA", material=PEM)
            provider = {"issuer": "https://id.example", "client_id": "a"}
            SignInProvider.objects.create(slug="id", name="Id", client_secret=seal("client"), **provider)
            SignInProvider.objects.create(slug="open", name="Open", client_secret="", **provider)
            Webhook.objects.create(url="https://hook.example", secret=seal("hook"), previous_secret=seal("h"))
            IdempotentRequest.objects.create(
                caller="key", key="k", fingerprint="f", body=seal("{}"), status=201
            )
            IdempotentRequest.objects.create(caller="key", key="l", fingerprint="f")
    return tenant


def all_open() -> bool:
    values = [
        *TenantSecret.objects.values_list("value", flat=True),
        *IdentityKey.objects.filter(algorithm="HS256").values_list("material", flat=True),
        *SignInProvider.objects.exclude(client_secret="").values_list("client_secret", flat=True),
        *Webhook.objects.values_list("secret", flat=True),
        *Webhook.objects.values_list("previous_secret", flat=True),
        *IdempotentRequest.objects.exclude(body=None).values_list("body", flat=True),
    ]
    return len(values) == 10 and all(map(unseal, values))


def test_it_knows_every_table_with_a_sealed_column():
    said = {
        model for model in apps.get_app_config("tenants").get_models() if "sealed" in (model.__doc__ or "")
    }
    assert said - {AuditHead} == {column.model for column in rotation.SEALED} - {IdempotentRequest}


def test_it_makes_the_old_key_needless(keys, filled, rival):
    keys.SECRETS_KEYS = [NEW, OLD]
    call_command("secrets_rotate")
    keys.SECRETS_KEYS = [NEW]
    for one in (filled, rival):
        with tenant_scope(one.id):
            assert all_open()
            assert secret_get(name="key-3") == f"secret 3 of {one.slug}"
            assert IdentityKey.objects.get(kid="public").material == PEM
            assert audit_verify().broken == ()


def test_it_changes_nothing_the_second_time(keys, filled, tmp_path):
    keys.SECRETS_KEYS = [NEW, OLD]
    for expected in ({"resealed": 20, "current": 0}, {"resealed": 0, "current": 20}):
        call_command("secrets_rotate", json=tmp_path / "out.json")
        assert json.loads((tmp_path / "out.json").read_text()) == {**expected, "unreadable": []}
    with tenant_scope(filled.id):
        assert AuditEntry.objects.filter(action="secrets.rotated").count() == 1


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize("reached", [1, 4, 9])
def test_it_goes_on_where_it_was_killed(keys, filled, monkeypatch, reached, batch):
    monkeypatch.setattr(rotation, "BATCH", batch)
    keys.SECRETS_KEYS = [NEW, OLD]

    def killed(done: int) -> None:
        if done == reached:
            raise KeyboardInterrupt

    with tenant_scope(filled.id):
        with pytest.raises(KeyboardInterrupt):
            secrets_rotate(report=killed)
        assert all_open()
        done = secrets_rotate()
        assert (done.resealed, done.current, done.unreadable) == (10 - reached, reached, ())
        keys.SECRETS_KEYS = [NEW]
        assert all_open()
        assert audit_verify().broken == ()


def test_it_leaves_a_value_that_somebody_set_meanwhile(keys, filled):
    keys.SECRETS_KEYS = [NEW, OLD]

    def meanwhile(done: int) -> None:
        if done == 1:
            for number in range(5):
                secret_set(name=f"key-{number}", value="set meanwhile")

    with tenant_scope(filled.id):
        secrets_rotate(report=meanwhile)
        assert {secret_get(name=f"key-{number}") for number in range(5)} == {"set meanwhile"}


def test_it_names_what_it_cannot_read_and_seals_the_rest(keys, filled, rival, tmp_path):
    with tenant_scope(filled.id):
        lost = TenantSecret.objects.get(name="key-2")
    with tenant_scope(rival.id):
        foreign = TenantSecret.objects.get(name="key-2").value
    with tenant_scope(filled.id):
        TenantSecret.objects.filter(pk=lost.pk).update(value=foreign)
    keys.SECRETS_KEYS = [NEW, OLD]
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("secrets_rotate", json=tmp_path / "out.json")
    figures = json.loads((tmp_path / "out.json").read_text())
    assert figures["unreadable"] == [{"tenant": "acme", "what": f"TenantSecret.value {lost.pk}"}]
    assert figures["resealed"] == 19
    with tenant_scope(filled.id):
        assert TenantSecret.objects.get(pk=lost.pk).value == foreign


def test_it_does_not_make_a_forged_end_of_a_log_good(keys, filled):
    with tenant_scope(filled.id):
        AuditHead.objects.update(seq=3)
        keys.SECRETS_KEYS = [NEW, OLD]
        assert secrets_rotate().unreadable == ("AuditHead.seal",)
        assert [one.reason for one in audit_verify().broken] == ["marked"]
