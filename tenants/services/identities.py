"""Identities that a tenant signs: taking them in, and writing the keys that check them.

An identity is a bearer: until it expires it may be shown again, unless it says `once` or its widget wants each only
once. Then its `jti` is remembered until the token would be refused for its age.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from django.db import transaction
from django.db.models import Q

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.acting import acting_as, end_user_actor
from tenants.adapters import shared_memory
from tenants.adapters.once import take_once
from tenants.errors import IdentityRefused, IdentityUnchecked, IdentityUsed
from tenants.models import Algorithm, Audience, EndUser, EndUserAudience, EndUserKind, IdentityKey
from tenants.sealing import seal
from tenants.selectors.identities import LEEWAY, Claims, access_identity
from tenants.services.audit import audit_record
from tenants.standing import Ground, standing_changed

# RFC 7518, 3.2: an HS256 key has at least 256 bits. NIST SP 800-57: RSA below 2048 bits is no longer to be used.
SHORTEST_SECRET = 32
SHORTEST_RSA = 2048
LONGEST_MATERIAL = 10_000


@dataclass(frozen=True, slots=True)
class Identity:
    """A person whom the tenant vouches for, the key it did so with, and audience names that nobody knows here."""

    end_user: EndUser
    key: IdentityKey
    unknown_audiences: tuple[str, ...] = ()


def end_user_of_identity(token: str) -> EndUser:
    """The person behind a signed identity. Raises as `identity_accept` does."""
    return identity_accept(token=token).end_user


def identity_accept(*, token: str, one_time: bool = False) -> Identity:
    """Take in an identity: its person, made on first sight, with name and audiences as the newest one says.

    `one_time` wants it to be used once only, whatever it says itself. Raises `IdentityRefused` and its kinds
    (`IdentityExpired`, `IdentityUsed`), and `IdentityUnchecked` where it cannot be told whether it was used.
    """
    claims = access_identity(token)
    if one_time or claims.once:
        _use_up(claims)
    return _taken_in(claims)


def _use_up(claims: Claims) -> None:
    if not claims.jti:
        raise IdentityRefused(reason="for one use it must carry a `jti`")
    left = math.ceil((claims.expires_at + LEEWAY - now()).total_seconds())
    try:
        first = take_once("identity", f"{claims.key.pk}:{claims.jti}", seconds=left)
    except shared_memory.OUTAGES as error:
        raise IdentityUnchecked from error
    if not first:
        raise IdentityUsed


@transaction.atomic
def _taken_in(claims: Claims) -> Identity:
    subject = f"id:{claims.subject}"
    EndUser.objects.get_or_create(subject=subject, defaults={"kind": EndUserKind.IDENTIFIED})
    end_user = EndUser.objects.select_for_update().get(subject=subject)
    known = _known(claims.audiences or ())
    if end_user.claims_at is None or end_user.claims_at <= claims.issued_at:
        _describe(end_user, claims)
        if claims.audiences is not None:
            _join_exactly(end_user, {audience.pk for audience in known})
    names = {name for audience in known for name in (audience.slug, audience.name)}
    unknown = tuple(name for name in claims.audiences or () if name not in names)
    return Identity(end_user, claims.key, unknown)


def _known(names: Collection[str]) -> list[Audience]:
    """Audiences by short name or name. The built-in ones follow from who somebody is and cannot be claimed."""
    if not names:
        return []
    return list(Audience.objects.filter(Q(slug__in=names) | Q(name__in=names), builtin=False))


def _describe(end_user: EndUser, claims: Claims) -> None:
    """An older identity than one seen before says nothing new: shown again, it must not bring back what it said."""
    name = end_user.name if claims.name is None else claims.name
    if (end_user.name, end_user.claims_at) != (name, claims.issued_at):
        end_user.name, end_user.claims_at = name, claims.issued_at
        end_user.save(update_fields=["name", "claims_at"])


def _join_exactly(end_user: EndUser, wanted: set[UUID]) -> None:
    mine = EndUserAudience.objects.filter(end_user=end_user)
    held = set(mine.values_list("audience_id", flat=True))
    if held == wanted:
        return
    mine.exclude(audience_id__in=wanted).delete()
    EndUserAudience.objects.bulk_create(
        EndUserAudience(end_user=end_user, audience_id=audience_id) for audience_id in wanted - held
    )
    slugs = dict(Audience.objects.filter(pk__in=held | wanted).values_list("pk", "slug"))
    joined, left = (sorted(slugs[pk] for pk in some) for some in (wanted - held, held - wanted))
    with acting_as(end_user_actor(end_user)):
        audit_record("end_user.audiences_claimed", target=str(end_user.pk), joined=joined, left=left)


# Keys


@transaction.atomic
def identity_key_create(
    *, kid: str, algorithm: str, material: str = "", expected_aud: str = ""
) -> tuple[IdentityKey, str]:
    """A key that checks identities, and for HS256 the secret that signs them, shown once. Raises `Invalid`.

    `material` is the public key in PEM (RS256: 2048 bits or more; EdDSA: Ed25519), or a secret of at least 32
    characters for HS256, made here when empty. `expected_aud` is what `aud` must hold; when empty, the workspace's
    short name or its id.
    """
    if not 1 <= len(kid) <= 80 or not kid.isprintable() or not kid.isascii():
        raise Invalid(reason="A key id (`kid`) of 1 to 80 ASCII characters is needed.")
    if algorithm not in Algorithm.values:
        raise Invalid(reason=f"The algorithm is one of: {', '.join(Algorithm.values)}.")
    if len(expected_aud) > 200 or not expected_aud.isprintable():
        raise Invalid(reason="The expected `aud` has at most 200 characters.")
    if IdentityKey.objects.filter(kid=kid).exists():
        raise Invalid(reason=f"There is a key {kid!r} already. Choose another `kid`.")
    kept, secret = _material(algorithm, material)
    key = IdentityKey.objects.create(kid=kid, algorithm=algorithm, material=kept, expected_aud=expected_aud)
    audit_record("identity_key.created", target=str(key.pk), kid=kid, algorithm=algorithm, aud=expected_aud)
    return key, secret


def identity_key_retire(*, key_id: UUID) -> IdentityKey:
    """Rotate it out: what it signs from now on is refused, what it signed before counts until it expires (a day)."""
    return _ended(key_id, "retired")


def identity_key_revoke(*, key_id: UUID) -> IdentityKey:
    """Refuse it at once, for when it was stolen: its identities, and the session tokens that they led to."""
    return _ended(key_id, "revoked")


@transaction.atomic
def _ended(key_id: UUID, how: str) -> IdentityKey:
    key = IdentityKey.objects.select_for_update().filter(pk=key_id).first()
    if key is None:
        raise NotFound(what="identity key")
    if getattr(key, f"{how}_at") is None:
        setattr(key, f"{how}_at", now())
        key.save(update_fields=[f"{how}_at"])
        audit_record(f"identity_key.{how}", target=str(key.pk), kid=key.kid)
        standing_changed(Ground.IDENTITY_KEY, key.pk)
    return key


def _material(algorithm: str, material: str) -> tuple[str, str]:
    """What is stored, and what is shown once."""
    text = material.strip()
    if len(text) > LONGEST_MATERIAL:
        raise Invalid(reason="This key is too long.")
    if algorithm != Algorithm.HS256:
        return _public_key(algorithm, text), ""
    if "-----BEGIN" in text:
        raise Invalid(reason="HS256 takes a shared secret. For a public key choose RS256 or EdDSA.")
    secret = text or secrets.token_urlsafe(32)
    if len(secret) < SHORTEST_SECRET or not secret.isprintable():
        raise Invalid(
            reason=f"The secret needs at least {SHORTEST_SECRET} characters. Leave it out to get one."
        )
    return seal(secret), secret


def _public_key(algorithm: str, pem: str) -> str:
    """The public key in its normal spelling: PEM, SubjectPublicKeyInfo."""
    if "PRIVATE KEY" in pem:
        raise Invalid(reason="This is a private key. Keep it, and give the public key that belongs to it.")
    try:
        key = load_pem_public_key(pem.encode())
    except (ValueError, TypeError, UnicodeError) as error:
        raise Invalid(reason="A public key in PEM is expected (-----BEGIN PUBLIC KEY-----).") from error
    fits = (
        isinstance(key, RSAPublicKey) and key.key_size >= SHORTEST_RSA
        if algorithm == Algorithm.RS256
        else isinstance(key, Ed25519PublicKey)
    )
    if not fits:
        wanted = f"RSA key of at least {SHORTEST_RSA} bits" if algorithm == Algorithm.RS256 else "Ed25519 key"
        raise Invalid(reason=f"{algorithm} takes an {wanted}.")
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
