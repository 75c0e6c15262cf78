"""Secrets sealed with keys that the database does not hold."""

from __future__ import annotations

from uuid import UUID

import pytest

from config import environment
from tenants.errors import NoTenantScope, SecretUnreadable
from tenants.scoping import tenant_scope
from tenants.sealing import mac, mac_fits, resealed, seal, unseal

HOSPITAL, RIVAL = UUID(int=1), UUID(int=2)
OLD, NEW = "o" * 40, "n" * 40
SECRET = "sk-ward-7 ✓"


@pytest.fixture(autouse=True)
def keys(settings):
    settings.SECRETS_KEYS = [OLD]
    return settings


def test_it_opens_what_it_sealed():
    with tenant_scope(HOSPITAL):
        sealed = seal(SECRET)
        assert SECRET not in sealed and unseal(sealed) == SECRET


def test_it_never_seals_twice_alike():
    with tenant_scope(HOSPITAL):
        assert seal(SECRET) != seal(SECRET)


def test_it_does_not_open_for_the_rival():
    with tenant_scope(HOSPITAL):
        sealed = seal(SECRET)
    with tenant_scope(RIVAL), pytest.raises(SecretUnreadable):
        unseal(sealed)


@pytest.mark.parametrize(
    "change", [lambda s: s[:-4], lambda s: "A" + s[1:], lambda s: s[:40] + "é" + s[41:], lambda s: ""]
)
def test_it_does_not_open_what_was_altered(change):
    with tenant_scope(HOSPITAL):
        sealed = seal(SECRET)
        with pytest.raises(SecretUnreadable):
            unseal(change(sealed))


def test_it_needs_a_tenant():
    with pytest.raises(NoTenantScope):
        seal(SECRET)


def test_it_seals_with_the_newest_key_and_opens_with_all(keys):
    with tenant_scope(HOSPITAL):
        before = seal(SECRET)
        keys.SECRETS_KEYS = [NEW, OLD]
        assert unseal(before) == SECRET
        after = seal(SECRET)
        keys.SECRETS_KEYS = [OLD]
        with pytest.raises(SecretUnreadable):
            unseal(after)


def test_it_seals_anew_only_what_an_older_key_sealed(keys):
    with tenant_scope(HOSPITAL):
        before = seal(SECRET)
        assert resealed(before) == before
        keys.SECRETS_KEYS = [NEW, OLD]
        after = resealed(before)
        keys.SECRETS_KEYS = [NEW]
        assert unseal(after) == SECRET
        with pytest.raises(SecretUnreadable):
            resealed(before)


def test_its_marks_are_of_one_tenant_one_purpose_and_one_message(keys):
    with tenant_scope(HOSPITAL):
        mark = mac("head", b"7")
        keys.SECRETS_KEYS = [NEW, OLD]
        assert mac_fits("head", b"7", mark)
        assert not mac_fits("head", b"8", mark)
        assert not mac_fits("anchor", b"7", mark)
        assert not mac_fits("head", b"7", "é")
    with tenant_scope(RIVAL):
        assert not mac_fits("head", b"7", mark)


def test_its_keys_come_from_the_environment_newest_first(monkeypatch):
    monkeypatch.setenv("SECRETS_KEYS", f"{NEW}, {OLD}")
    assert environment.secrets_keys("django's") == [NEW, OLD]


def test_its_key_is_the_secret_key_where_none_is_given(monkeypatch):
    monkeypatch.delenv("SECRETS_KEYS", raising=False)
    assert environment.secrets_keys("django's") == ["django's"]


def test_it_refuses_a_key_that_can_be_guessed(monkeypatch):
    monkeypatch.setenv("SECRETS_KEYS", f"{NEW},short")
    with pytest.raises(ValueError, match="32 random characters"):
        environment.secrets_keys("x")
