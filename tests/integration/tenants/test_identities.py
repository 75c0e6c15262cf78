"""Identities that a tenant signs: who gets in with one, as whom, and with which audiences."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode
from datetime import timedelta

import jwt
import pytest
from django.conf import settings

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.errors import IdentityExpired, IdentityRefused, IdentityUnchecked, IdentityUsed
from tenants.models import AuditEntry, EndUser, EndUserAudience, IdentityKey
from tenants.scoping import tenant_scope
from tenants.selectors import principal_for
from tenants.selectors.identities import identity_keys
from tenants.services import audience_create, end_user_for_device
from tenants.services.identities import (
    end_user_of_identity,
    identity_accept,
    identity_key_create,
    identity_key_retire,
    identity_key_revoke,
)
from tests.integration.tenants.signing import claims, pair, signer

pytestmark = pytest.mark.django_db
HOUR = 3600


def refused(token, **options):
    with pytest.raises(IdentityRefused) as error:
        identity_accept(token=token, **options)
    return error.value


def audiences_of(end_user):
    return sorted(EndUserAudience.objects.filter(end_user=end_user).values_list("audience__slug", flat=True))


@pytest.mark.parametrize("algorithm", ["HS256", "RS256", "EdDSA"])
def test_the_same_person_is_the_same_end_user_every_time(scoped, algorithm):
    key = signer(algorithm)
    first = end_user_of_identity(key.sign(claims(scoped, name="Ann Reader")))
    again = end_user_of_identity(key.sign(claims(scoped, aud=str(scoped.pk))))
    other = end_user_of_identity(key.sign(claims(scoped, sub="reader-18")))
    assert first.pk == again.pk != other.pk
    assert (again.subject, again.kind, again.name) == ("id:reader-17", "identified", "Ann Reader")


@pytest.mark.parametrize("sub", ["device:one", "account:1", "id:reader-17", "*", "'; drop table"])
def test_no_subject_can_name_somebody_of_another_kind(scoped, sub):
    visitor = end_user_for_device(device="one")
    end_user = end_user_of_identity(signer().sign(claims(scoped, sub=sub)))
    assert end_user.pk != visitor.pk and end_user.subject == f"id:{sub}"


def test_the_rivals_person_of_the_same_name_is_another(scoped, rival):
    mine = end_user_of_identity(signer().sign(claims(scoped)))
    with tenant_scope(rival.pk):
        theirs = end_user_of_identity(signer().sign(claims(rival)))
        assert EndUser.objects.get() == theirs
    assert mine.pk != theirs.pk


def test_the_rivals_signature_counts_for_nothing_here(scoped, rival):
    signer()
    with tenant_scope(rival.pk):
        theirs = signer()
    assert refused(theirs.sign(claims(scoped))).code == "identity_refused"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sub": None}, "'sub' is missing"), ({"exp": None}, "'exp' is missing"), ({"iat": None}, "'iat' is missing"),
        ({"aud": None}, "'aud' is missing"), ({"aud": "rival"}, "`aud`"), ({"aud": ["x", "y"]}, "`aud`"),
        ({"sub": ""}, "`sub`"), ({"sub": "  "}, "`sub`"), ({"sub": "a\x00b"}, "`sub`"), ({"sub": "x" * 191}, "`sub`"),
        ({"name": 5}, "`name`"), ({"audiences": "staff"}, "`audiences`"), ({"audiences": [1]}, "`audiences`"),
        ({"audiences": ["x"] * 101}, "`audiences`"), ({"once": "yes"}, "`once`"), ({"jti": "x" * 201}, "`jti`"),
        ({"exp": time.time() + 25 * HOUR}, "24 hours"), ({"iat": time.time() - 25 * HOUR}, "24 hours"),
        ({"iat": time.time() + HOUR, "exp": time.time() + 2 * HOUR}, "not valid yet"),
        ({"nbf": time.time() + HOUR}, "not valid yet"), ({"once": True}, "`jti`"),
    ],
)  # fmt: skip
def test_a_signed_mistake_is_named(scoped, changes, said):
    assert said in str(refused(signer().sign(claims(scoped, **changes))))
    assert not EndUser.objects.exists()


def test_it_ends_with_its_expiry_and_a_minute_for_differing_clocks(scoped):
    key, moment = signer(), int(time.time())
    end_user_of_identity(key.sign(claims(scoped, iat=moment - HOUR, exp=moment - 30)))
    with pytest.raises(IdentityExpired):
        end_user_of_identity(key.sign(claims(scoped, iat=moment - HOUR, exp=moment - 90)))
    end_user_of_identity(key.sign(claims(scoped, iat=moment + 30)))


def test_another_audience_can_be_agreed_on_for_a_key(scoped):
    key = signer(expected_aud="https://chat.library.example")
    end_user_of_identity(key.sign(claims(scoped, aud="https://chat.library.example")))
    assert "`aud`" in str(refused(key.sign(claims(scoped))))


def test_the_key_decides_the_algorithm_and_never_the_token(scoped):
    rsa, shared = signer("RS256"), signer("HS256", material="s" * 64)
    public = pair("RS256")[1].encode()

    def b64(data):
        return urlsafe_b64encode(data).rstrip(b"=").decode()

    head = b64(json.dumps({"alg": "HS256", "kid": rsa.key.kid}).encode())
    body = b64(json.dumps(claims(scoped)).encode())
    for secret in (public, IdentityKey.objects.get(kid=rsa.key.kid).material.encode(), public.strip()):
        signature = hmac.new(secret, f"{head}.{body}".encode(), hashlib.sha256).digest()
        refused(f"{head}.{body}.{b64(signature)}")
    for alg in ("none", "None", "NONE", ""):
        for signature in ("", b64(b"x" * 32)):
            refused(f"{b64(json.dumps({'alg': alg, 'kid': shared.key.kid}).encode())}.{body}.{signature}")
    refused(jwt.encode(claims(scoped), shared.private, algorithm="HS512", headers={"kid": shared.key.kid}))
    refused(rsa.sign(claims(scoped), headers={"kid": shared.key.kid}))


@pytest.mark.parametrize(
    "headers", [{"kid": "nobody"}, {"kid": ""}, {"kid": "x" * 500}, {"kid": "a\x00"}, {"crit": ["exp"]}]
)
def test_a_header_that_names_no_key_or_wants_something_unknown_is_refused(scoped, headers):
    refused(signer().sign(claims(scoped), headers=headers))


@pytest.mark.parametrize(
    "spell", [lambda t: t + "=", lambda t: t + "\n", lambda t: " " + t, lambda t: t.replace(".", ".!", 1)]
)
def test_a_token_has_one_spelling_only(scoped, spell):
    token = signer().sign(claims(scoped))
    end_user_of_identity(token)
    refused(spell(token))


@pytest.mark.parametrize(
    "text",
    ["", ".", "..", "...", "a.b.c", "é.é.é", "\ud800", "x" * 9000, "null", "[" * 4000],
    ids=lambda t: ascii(t[:9]),
)
def test_nonsense_is_refused(scoped, text):
    signer()
    refused(text)


# Audiences


def test_it_joins_exactly_the_audiences_that_the_newest_identity_names(scoped):
    for name in ("Staff", "Children", "Night owls"):
        audience_create(name=name)
    key, moment = signer(), int(time.time())

    def seen(names, age):
        return identity_accept(token=key.sign(claims(scoped, audiences=names, iat=moment - age)))

    first = seen(["staff", "Night owls", "pirates"], 50)
    assert audiences_of(first.end_user) == ["night-owls", "staff"] and first.unknown_audiences == ("pirates",)
    assert audiences_of(seen(["children", "staff"], 40).end_user) == ["children", "staff"]
    assert audiences_of(identity_accept(token=key.sign(claims(scoped, iat=moment - 30))).end_user) == [
        "children",
        "staff",
    ]
    assert audiences_of(seen([], 20).end_user) == []


def test_an_older_identity_shown_again_brings_nothing_back(scoped):
    audience_create(name="Staff")
    key, moment = signer(), int(time.time())
    before = key.sign(claims(scoped, audiences=["staff"], name="Ann Old", iat=moment - 50))
    after = key.sign(claims(scoped, audiences=[], name="Ann New", iat=moment - 10))
    end_user_of_identity(before)
    end_user_of_identity(after)
    again = end_user_of_identity(before)
    assert audiences_of(again) == [] and again.name == "Ann New"


def test_the_built_in_audiences_cannot_be_claimed(scoped):
    identity = identity_accept(
        token=signer().sign(claims(scoped, audiences=["members", "Members", "everyone"]))
    )
    assert audiences_of(identity.end_user) == []
    assert identity.unknown_audiences == ("members", "Members", "everyone")
    visitor = end_user_for_device(device="one")
    grants = [
        principal_for(tenant_id=scoped.pk, user=None, end_user=person).group_ids
        for person in (identity.end_user, visitor)
    ]
    assert grants[0] == grants[1]


def test_the_rivals_audience_of_the_same_name_is_not_joined(scoped, rival):
    with tenant_scope(rival.pk):
        audience_create(name="Staff")
    identity = identity_accept(token=signer().sign(claims(scoped, audiences=["staff"])))
    assert identity.unknown_audiences == ("staff",) and not EndUserAudience.objects.exists()


def test_who_joined_and_left_is_on_record(scoped):
    audience_create(name="Staff")
    key, moment = signer(), int(time.time())
    end_user = end_user_of_identity(key.sign(claims(scoped, audiences=["staff"], iat=moment - 9)))
    end_user_of_identity(key.sign(claims(scoped, audiences=["staff"], iat=moment - 8)))
    end_user_of_identity(key.sign(claims(scoped, audiences=[], iat=moment - 7)))
    entries = AuditEntry.objects.filter(action="end_user.audiences_claimed").order_by("seq")
    assert [(e.actor_id, e.data) for e in entries] == [
        (str(end_user.pk), {"joined": ["staff"], "left": []}),
        (str(end_user.pk), {"joined": [], "left": ["staff"]}),
    ]


# One use


def test_an_identity_may_be_shown_again_until_it_expires(scoped):
    token = signer().sign(claims(scoped, jti="one"))
    assert len({end_user_of_identity(token).pk for _ in range(3)}) == 1


@pytest.mark.parametrize(("said", "wanted"), [({"once": True}, False), ({}, True), ({"once": False}, True)])
def test_one_for_one_use_is_used_up(scoped, said, wanted):
    key = signer()
    token = key.sign(claims(scoped, jti="one", **said))
    identity_accept(token=token, one_time=wanted)
    with pytest.raises(IdentityUsed):
        identity_accept(token=token, one_time=wanted)
    with pytest.raises(IdentityUsed):
        identity_accept(
            token=key.sign(claims(scoped, jti="one", sub="somebody else", **said)), one_time=wanted
        )
    identity_accept(token=key.sign(claims(scoped, jti="two", **said)), one_time=wanted)


def test_where_one_use_is_wanted_a_token_needs_its_id(scoped):
    assert "`jti`" in str(refused(signer().sign(claims(scoped)), one_time=True))


def test_a_refused_identity_is_not_used_up(scoped, rival):
    key = signer()
    refused(key.sign(claims(scoped, jti="one", once=True, aud="rival")))
    end_user_of_identity(key.sign(claims(scoped, jti="one", once=True)))


def test_the_same_id_of_another_tenant_or_key_is_another(scoped, rival):
    end_user_of_identity(signer().sign(claims(scoped, jti="one", once=True)))
    end_user_of_identity(signer(kid="other").sign(claims(scoped, jti="one", once=True)))
    with tenant_scope(rival.pk):
        end_user_of_identity(signer().sign(claims(rival, jti="one", once=True)))


def test_one_use_cannot_be_vouched_for_without_valkey(scoped, monkeypatch):
    token = signer().sign(claims(scoped, jti="one", once=True))
    monkeypatch.setattr(settings, "VALKEY_URL", "redis://127.0.0.1:1/0")
    with pytest.raises(IdentityUnchecked) as error:
        end_user_of_identity(token)
    assert error.value.retryable and not EndUser.objects.exists()


# Keys


def test_keys_are_rotated_without_a_gap(scoped):
    old, new, moment = signer(kid="2025"), signer(kid="2026"), int(time.time())
    before = old.sign(claims(scoped, iat=moment - 300))
    identity_key_retire(key_id=old.key.pk)
    end_user_of_identity(before)
    end_user_of_identity(new.sign(claims(scoped)))
    IdentityKey.objects.filter(pk=old.key.pk).update(retired_at=now() - timedelta(minutes=2))
    assert "retired" in str(refused(old.sign(claims(scoped))))
    end_user_of_identity(before)
    IdentityKey.objects.filter(pk=old.key.pk).update(retired_at=now() - timedelta(hours=24, seconds=1))
    assert "could not be verified" in str(refused(before))


def test_a_revoked_key_checks_nothing_from_that_moment(scoped):
    key = signer()
    token = key.sign(claims(scoped))
    end_user_of_identity(token)
    identity_key_revoke(key_id=key.key.pk)
    assert "could not be verified" in str(refused(token))


def test_a_secret_is_sealed_and_shown_once(scoped):
    key, secret = identity_key_create(kid="a", algorithm="HS256")
    given, same = identity_key_create(kid="b", algorithm="HS256", material="s" * 32)
    assert (
        len(secret) >= 43 and secret not in key.material and same == "s" * 32 and same not in given.material
    )
    assert identity_key_create(kid="c", algorithm="EdDSA", material=pair("EdDSA")[1])[1] == ""
    told = " ".join(str(entry.data) for entry in AuditEntry.objects.all())
    assert secret not in told and same not in told


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kid": ""}, "kid"), ({"kid": "ü"}, "kid"), ({"algorithm": "none"}, "one of"), ({"algorithm": "HS512"}, "one of"),
        ({"material": "short"}, "32"), ({"material": pair("RS256")[1]}, "choose RS256"), ({"expected_aud": "x" * 201}, "200"),
        ({"algorithm": "RS256"}, "PEM"), ({"algorithm": "RS256", "material": "x" * 20_000}, "too long"),
        ({"algorithm": "RS256", "material": pair("RS256")[0]}, "private key"),
        ({"algorithm": "RS256", "material": pair("EdDSA")[1]}, "RSA key of at least 2048"),
        ({"algorithm": "EdDSA", "material": pair("RS256")[1]}, "Ed25519"),
        ({"algorithm": "EdDSA", "material": "-----BEGIN PUBLIC KEY-----\nxx\n-----END PUBLIC KEY-----"}, "PEM"),
    ],
)  # fmt: skip
def test_a_key_that_would_check_nothing_is_refused(scoped, options, said):
    with pytest.raises(Invalid, match=said):
        identity_key_create(**{"kid": "a", "algorithm": "HS256", **options})
    assert not identity_keys().exists()


def test_a_name_is_taken_once(scoped):
    signer(kid="a")
    with pytest.raises(Invalid, match="already"):
        signer(kid="a")


def test_the_rival_sees_and_ends_no_key(scoped, rival):
    key = signer()
    with tenant_scope(rival.pk):
        assert not identity_keys().exists()
        for end in (identity_key_retire, identity_key_revoke):
            with pytest.raises(NotFound):
                end(key_id=key.key.pk)
    end_user_of_identity(key.sign(claims(scoped)))


def test_making_and_ending_keys_is_on_record(scoped):
    key = signer().key
    for end in (identity_key_retire, identity_key_retire, identity_key_revoke):
        end(key_id=key.pk)
    actions = AuditEntry.objects.filter(target=str(key.pk)).order_by("seq").values_list("action", flat=True)
    assert list(actions) == ["identity_key.created", "identity_key.retired", "identity_key.revoked"]
