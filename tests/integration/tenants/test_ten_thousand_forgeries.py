"""10,000 forged, replayed, expired and foreign tokens, by kinds: all of them are refused, and none breaks anything.

Each kind is also shown once in its untouched form, which is accepted: a check that refuses everything would pass else.
"""

from __future__ import annotations

import json
import random
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from datetime import timedelta
from hashlib import sha256
from hmac import new as hmac_of
from itertools import islice
from uuid import uuid4

import jwt
import pytest

from kernel.clock import now
from kernel.errors import DomainError
from tenants.devices import device_of, device_token
from tenants.models import ApiKey, EndUser, IdentityKey
from tenants.scoping import tenant_scope
from tenants.selectors.keys import access_api_key
from tenants.services import end_user_for_device, session_tokens
from tenants.services.identities import identity_accept, identity_key_retire, identity_key_revoke
from tenants.services.keys import api_key_create, api_key_revoke
from tenants.services.session_tokens import session_token_check, session_token_issue, session_token_read
from tenants.services.widget_keys import widget_key_create, widget_key_revoke
from tests.api.conftest import browser  # noqa: F401
from tests.integration.tenants.signing import claims, pair, private_key, signer

pytestmark = pytest.mark.django_db
WANTED = 10_000
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."


class Tally:
    """Shows tokens and counts, by kind, those that were refused as they should be."""

    def __init__(self):
        self.kinds = Counter()
        self.let_in = []

    def show(self, kind, door, token):
        try:
            door(token)
        except DomainError as error:
            self.kinds[kind] += error.http_status in {401, 403}
        else:
            self.let_in.append((kind, token))


def b64(data):
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def changed_somewhere(chance, text):
    at = chance.randrange(len(text))
    return text[:at] + chance.choice([c for c in ALPHABET if c != text[at]]) + text[at + 1 :]


def bit_flipped(chance, text):
    """One bit of what a segment decodes to."""
    segments = text.split(".")
    n = chance.randrange(len(segments))
    data = bytearray(unb64(segments[n]))
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    segments[n] = b64(bytes(data))
    return ".".join(segments)


def other_payload(chance, text, **changes):
    head, body, signature = text.split(".")
    said = {**json.loads(unb64(body)), **changes}
    return ".".join((head, b64(json.dumps(said).encode()), signature))


def other_header(text, **changes):
    head, body, signature = text.split(".")
    return ".".join((b64(json.dumps({**json.loads(unb64(head)), **changes}).encode()), body, signature))


def hmac_signed(secret, header, said):
    body = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(said).encode())}"
    return f"{body}.{b64(hmac_of(secret, body.encode(), sha256).digest())}"


def forged_identities(tenant, rival, chance):
    """(kind, token) of identities that nobody of the tenant signed, or that no longer count."""
    signers = [signer("HS256"), signer("RS256"), signer("EdDSA")]
    with tenant_scope(rival.pk):
        theirs = [signer("HS256"), signer("RS256", pair_n=2), signer("EdDSA", pair_n=2)]
    retired, revoked = signer(kid="retired"), signer(kid="revoked")
    spent = signer(kid="spent")
    for key in (retired, spent):
        identity_key_retire(key_id=key.key.pk)
    IdentityKey.objects.filter(pk=retired.key.pk).update(retired_at=now() - timedelta(hours=24, seconds=1))
    IdentityKey.objects.filter(pk=spent.key.pk).update(retired_at=now() - timedelta(minutes=5))
    identity_key_revoke(key_id=revoked.key.pk)
    public = pair("RS256")[1].encode()
    good = [one.sign(claims(tenant, sub=f"reader-{n}")) for n in range(20) for one in signers]
    for token in good[:3]:
        identity_accept(token=token)
    for n in range(320):
        token, one = good[n % len(good)], signers[n % 3]
        moment = int(time.time())  # of this round: on a busy machine the first one is minutes ago at the end
        yield "identity: character changed", changed_somewhere(chance, token)
        yield "identity: bit flipped", bit_flipped(chance, token)
        yield "identity: truncated", token[: chance.randrange(len(token))]
        yield "identity: prolonged", token + chance.choice(ALPHABET + "=\n ")
        yield "identity: claims exchanged", other_payload(chance, token, sub="owner", exp=moment + 900 + n)
        yield (
            "identity: parts swapped",
            ".".join((*token.split(".")[:2], good[(n + 3) % len(good)].split(".")[2])),
        )
        yield "identity: expired", one.sign(claims(tenant, iat=moment - 7200, exp=moment - 61 - n))
        yield "identity: not yet valid", one.sign(claims(tenant, nbf=moment + 120 + n))
        yield (
            "identity: signed in the future",
            one.sign(claims(tenant, iat=moment + 120 + n, exp=moment + 900 + n)),
        )
        yield "identity: lives too long", one.sign(claims(tenant, iat=moment - n, exp=moment + 86_401))
        yield "identity: another tenant's key", theirs[n % 3].sign(claims(tenant, sub=f"reader-{n}"))
        yield "identity: for another tenant", one.sign(claims(tenant, aud=[rival.slug, str(rival.pk)][n % 2]))
        private = "k" * 40 if one.key.algorithm == "HS256" else private_key(one.key.algorithm, 1)
        yield (
            "identity: another key under our kid",
            jwt.encode(claims(tenant), private, one.key.algorithm, headers={"kid": one.key.kid}),
        )
        yield (
            "identity: public key as secret",
            hmac_signed(
                public,
                {"alg": "HS256", "kid": signers[1].key.kid},
                claims(tenant, jti=str(n)),
            ),
        )
        yield (
            "identity: another algorithm",
            other_header(token, alg=["none", "HS512", "RS512", "ES256", "hs256"][n % 5]),
        )
        yield "identity: no signature", ".".join((*other_header(token, alg="none").split(".")[:2], ""))
        yield "identity: kid of another key", other_header(token, kid=signers[(n + 1) % 3].key.kid)
        yield "identity: retired key, day over", retired.sign(claims(tenant, iat=moment - 300 - n))
        yield "identity: signed after retirement", spent.sign(claims(tenant, iat=moment - n % 60))
        yield "identity: revoked key", revoked.sign(claims(tenant, sub=f"reader-{n}"))


def forged_session_tokens(tenant, rival, chance):
    """(kind, text) of session tokens that do not count here."""
    widget, gone = widget_key_create(name="Shop"), widget_key_create(name="Gone")
    people = [end_user_for_device(device=f"device-{n}") for n in range(20)]
    identity = identity_accept(token=(key := signer(kid="sessions")).sign(claims(tenant)))
    good = [session_token_issue(end_user=person, widget_key=widget).text for person in people]
    for text in good[:3]:
        session_token_check(session_token_read(text))
    with tenant_scope(rival.pk):
        theirs = [
            session_token_issue(
                end_user=end_user_for_device(device=f"device-{n}"), widget_key=widget_key_create(name="R")
            ).text
            for n in range(10)
        ]
    of_gone = [session_token_issue(end_user=person, widget_key=gone).text for person in people]
    of_key = [
        session_token_issue(end_user=identity.end_user, widget_key=widget, identity_key=identity.key).text
        for _ in range(10)
    ]
    of_login = [session_token_issue(end_user=person, login=uuid4().hex).text for person in people]
    of_nobody = [session_token_issue(end_user=EndUser(id=uuid4()), widget_key=widget).text for _ in range(10)]
    widget_key_revoke(key_id=gone.pk)
    identity_key_revoke(key_id=key.key.pk)
    for n in range(220):
        text = good[n % len(good)]
        payload, signature = text.removeprefix("st_").split(".")
        said = json.loads(unb64(payload))
        yield "session: character changed", "st_" + changed_somewhere(chance, text[3:])
        yield "session: bit flipped", "st_" + bit_flipped(chance, text[3:])
        yield "session: truncated", text[: chance.randrange(len(text))]
        yield (
            "session: another person's",
            f"st_{b64(json.dumps({**said, 'e': people[(n + 1) % 20].pk.hex}).encode())}.{signature}",
        )
        yield (
            "session: another widget's",
            f"st_{b64(json.dumps({**said, 'w': gone.pk.hex}).encode())}.{signature}",
        )
        yield (
            "session: prolonged",
            f"st_{b64(json.dumps({**said, 'x': said['x'] + n + 1}).encode())}.{signature}",
        )
        yield "session: parts swapped", f"st_{payload}.{good[(n + 1) % 20].split('.')[1]}"
        yield "session: another tenant's", theirs[n % 10]
        yield "session: revoked widget", of_gone[n % 20]
        yield "session: revoked identity key", of_key[n % 10]
        yield "session: login of another browser", of_login[n % 20]
        yield "session: person erased", of_nobody[n % 10]


def forged_keys(tenant, rival, chance):
    """(kind, text) of API keys that open nothing."""
    good = [api_key_create(name=f"Key {n}", scopes=["read"]) for n in range(10)]
    with tenant_scope(rival.pk):
        theirs = [api_key_create(name=f"Key {n}", scopes=["admin"])[1] for n in range(10)]
    revoked, expired = (api_key_create(name=name, scopes=["read"]) for name in ("Revoked", "Expired"))
    api_key_revoke(key_id=revoked[0].pk)
    ApiKey.objects.filter(pk=expired[0].pk).update(expires_at=now())
    assert access_api_key(good[0][1]) == good[0][0]
    for n in range(60):
        text = good[n % 10][1]
        _, mine, _, secret = text.split("_", 3)
        yield "key: character changed", changed_somewhere(chance, text)
        yield "key: truncated", text[: chance.randrange(len(text))]
        yield "key: another key's secret", f"ante_{mine}_{good[(n + 1) % 10][0].pk.hex}_{secret}"
        yield "key: unknown", f"ante_{mine}_{uuid4().hex}_{secret}"
        yield "key: another tenant's", theirs[n % 10]
        yield "key: another tenant's under our name", theirs[n % 10].replace(rival.pk.hex, mine)
        yield "key: revoked or expired", [revoked, expired][n % 2][1]


def forged_devices(tenant, rival, chance):
    """(kind, text) of device tokens that name no device here."""
    good = [device_token(tenant.pk, f"device-{n}") for n in range(10)]
    assert device_of(tenant.pk, good[0]) == "device-0"
    for n in range(60):
        yield "device: character changed", changed_somewhere(chance, good[n % 10])
        yield "device: truncated", good[n % 10][: chance.randrange(len(good[0]))]
        yield "device: another tenant's", device_token(rival.pk, f"device-{n}")


def device_door(tenant):
    def opened(text):
        if device_of(tenant.pk, text) is None:
            raise session_tokens.SessionTokenRefused

    return opened


@pytest.mark.takes(25)
@pytest.mark.timeout(900)  # the machines that run tests are shared
def test_every_one_of_ten_thousand_is_refused(scoped, rival):
    chance, tally = random.Random(17), Tally()
    before = EndUser.objects.count()
    doors = (
        (forged_identities, lambda text: identity_accept(token=text)),
        (forged_session_tokens, lambda text: session_token_check(session_token_read(text), login="x" * 32)),
        (forged_keys, access_api_key),
        (forged_devices, device_door(scoped)),
    )
    for forge, door in doors:
        for kind, text in forge(scoped, rival, chance):
            tally.show(kind, door, text)
    once = signer(kid="once")
    for n in range(20):
        token = once.sign(claims(scoped, sub="reader-0", jti=f"one-{n}", once=True))
        identity_accept(token=token)
        for _ in range(20):
            tally.show("identity: used once already", lambda text: identity_accept(token=text), token)
    for kind, count in sorted(tally.kinds.items()):
        print(f"{count:6}  {kind}")
    print(f"{tally.kinds.total():6}  refused, {len(tally.let_in)} let in")
    assert tally.let_in == [] and tally.kinds.total() >= WANTED
    # People: the three and the one that were let in to prove the doors open, and the visitors' devices.
    assert EndUser.objects.count() - before <= 3 + 1 + 20


def test_one_of_each_kind_is_refused_at_the_doors(scoped, rival, browser):  # noqa: F811
    chance, client = random.Random(29), browser(scoped)
    widget = widget_key_create(name="Doors", allowed_origins=["https://shop.example"])
    answers = {}
    for kind, identity in islice(forged_identities(scoped, rival, chance), 20):
        body = {"key": widget.public_key, "origin": "https://shop.example", "identity": identity or "."}
        answers[kind] = client.post("/chat/token", body, content_type="application/json")
    for kind, text in islice(forged_session_tokens(scoped, rival, chance), 12):
        answers[kind] = client.get("/chat/sessions", headers={"Authorization": f"Bearer {text}"})
    assert len(answers) == 32
    assert {
        kind: answer.status_code for kind, answer in answers.items() if answer.status_code not in {401, 403}
    } == {}
    assert all("token" not in answer.json() for answer in answers.values())
