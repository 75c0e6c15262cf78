"""Keys of programs: shown once, kept as a hash, scoped, and refused in one way for every reason but the holder's own."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.acting import acting_as, user_actor
from tenants.errors import KeyExpired, KeyRefused, KeyRevoked, NoTenantScope, TenantSuspended
from tenants.models import ApiKey, AuditEntry, User
from tenants.scoping import tenant_scope
from tenants.selectors.keys import access_api_key, api_keys, presented_tenant
from tenants.services.keys import api_key_create, api_key_revoke

pytestmark = pytest.mark.django_db


def created(**options):
    return api_key_create(**{"name": "Loader", "scopes": ["ingest"], **options})


def test_a_key_opens_its_tenant_with_its_scopes(scoped):
    key, text = created(scopes=["read", "ingest", "read"], per_minute=30)
    assert presented_tenant(text) == scoped.pk
    found = access_api_key(text)
    assert (found.pk, found.scopes, found.per_minute) == (key.pk, ["ingest", "read"], 30)


def test_its_text_is_kept_nowhere(scoped):
    key, text = created()
    secret = text.rsplit("_", 1)[1] if text.count("_") == 3 else text.split("_", 3)[3]
    stored = " ".join(str(value) for row in ApiKey.objects.values() for value in row.values())
    told = " ".join(str(value) for row in AuditEntry.objects.values() for value in row.values())
    assert len(secret) == 43 and secret not in stored and secret not in told
    assert text.endswith(key.hint) and len(key.hint) == 4


def test_two_keys_never_share_a_secret(scoped):
    assert len({created()[1].split("_", 3)[3] for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "ante_",
        lambda text: text[:-1],
        lambda text: text + "x",
        lambda text: text + "\n",
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text.replace("ante_", "ANTE_"),
        lambda text: text.split("_", 3)[0] + "_" + text.split("_", 3)[1] + "_" + uuid4().hex + "_" + text.split("_", 3)[3],
        lambda text: text.upper(),
        lambda text: "ante_" + "é" * 32 + text[37:],
        lambda text: "Bearer " + text,
    ],
)  # fmt: skip
def test_whatever_is_no_key_is_refused_in_the_same_words(scoped, change):
    _, text = created()
    with pytest.raises(KeyRefused) as refused:
        access_api_key(change(text))
    assert (refused.value.code, str(refused.value)) == ("key_refused", "This key is not valid here.")


def test_the_rival_can_do_nothing_with_it(scoped, rival):
    key, text = created()
    with tenant_scope(rival.pk):
        assert not api_keys().exists()
        with pytest.raises(KeyRefused) as refused:
            access_api_key(text)
        with pytest.raises(NotFound):
            api_key_revoke(key_id=key.pk)
        own_name = text.replace(scoped.pk.hex, rival.pk.hex)
        with pytest.raises(KeyRefused):
            access_api_key(own_name)
    assert refused.value.code == "key_refused"
    assert access_api_key(text).revoked_at is None


def test_it_opens_nothing_outside_a_scope(tenant):
    with tenant_scope(tenant.pk):
        _, text = created()
    with pytest.raises(NoTenantScope):
        access_api_key(text)


def test_a_revoked_key_says_so_to_its_holder_only(scoped):
    key, text = created()
    api_key_revoke(key_id=key.pk)
    with pytest.raises(KeyRevoked):
        access_api_key(text)
    with pytest.raises(KeyRefused) as refused:
        access_api_key(text[:-3] + "AAA")
    assert refused.value.code == "key_refused"


def test_an_expired_key_says_so_to_its_holder_only(scoped):
    key, text = created(expires_at=now() + timedelta(hours=1))
    assert access_api_key(text).pk == key.pk
    ApiKey.objects.update(expires_at=now())
    with pytest.raises(KeyExpired):
        access_api_key(text)
    with pytest.raises(KeyRefused) as refused:
        access_api_key(text[:-3] + "AAA")
    assert refused.value.code == "key_refused"


def test_a_suspended_tenants_key_opens_nothing(scoped):
    _, text = created()
    scoped.suspended_at = now()
    scoped.save()
    with pytest.raises(TenantSuspended):
        access_api_key(text)


def test_its_use_is_noted_once_a_minute(scoped, django_assert_num_queries):
    _, text = created()
    first = access_api_key(text).last_used_at
    assert first is not None
    assert access_api_key(text).last_used_at == first
    ApiKey.objects.update(last_used_at=first - timedelta(minutes=2))
    assert access_api_key(text).last_used_at > first


def test_a_refused_key_is_not_noted_as_used(scoped):
    key, text = created()
    api_key_revoke(key_id=key.pk)
    with pytest.raises(KeyRevoked):
        access_api_key(text)
    assert ApiKey.objects.get().last_used_at is None


@pytest.mark.parametrize(
    "options",
    [
        {"name": ""}, {"name": "  "}, {"name": "x" * 81}, {"name": "a\x00b"}, {"scopes": []}, {"scopes": ["root"]},
        {"scopes": "read"}, {"per_minute": 0}, {"per_minute": -1}, {"expires_at": now() - timedelta(seconds=1)},
        {"expires_at": (now() + timedelta(days=1)).replace(tzinfo=None)},
    ],
)  # fmt: skip
def test_nonsense_makes_no_key(scoped, options):
    with pytest.raises(Invalid):
        created(**options)
    assert not ApiKey.objects.exists()


def test_who_made_and_who_revoked_it_is_on_record(scoped):
    ann = User.objects.create_user("ann@acme.example")
    with acting_as(user_actor(ann)):
        key, _ = created()
        api_key_revoke(key_id=key.pk)
        api_key_revoke(key_id=key.pk)
    assert key.created_by == ann
    entries = AuditEntry.objects.filter(action__startswith="key.").order_by("seq")
    assert [(e.action, e.target, e.actor_label) for e in entries] == [
        ("key.created", str(key.pk), "ann@acme.example"),
        ("key.revoked", str(key.pk), "ann@acme.example"),
    ]
