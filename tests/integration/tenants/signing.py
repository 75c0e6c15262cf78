"""A tenant's side of identities: its keys, and tokens that it signs with them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tenants.services.identities import identity_key_create


@dataclass(frozen=True, slots=True)
class Signer:
    """A key of the tenant, and what signs with it."""

    key: Any
    private: Any

    def sign(self, claims: dict[str, Any], *, alg: str = "", headers: dict[str, Any] | None = None) -> str:
        return jwt.encode(
            claims,
            self.private,
            algorithm=alg or self.key.algorithm,
            headers={"kid": self.key.kid, **(headers or {})},
        )


@lru_cache(maxsize=16)
def private_key(algorithm: str, n: int = 0) -> Any:
    """Read from PEM anew for each signature, an RSA key would take longer than everything else."""
    return generate_private_key(65537, 2048) if algorithm == "RS256" else Ed25519PrivateKey.generate()


def pair(algorithm: str, n: int = 0) -> tuple[str, str]:
    """(private, public) in PEM."""
    key = private_key(algorithm, n)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return private, public


def signer(algorithm: str = "HS256", kid: str = "", pair_n: int = 0, **options: Any) -> Signer:
    """A new key of the current tenant; each `pair_n` is a pair of its own."""
    name = kid or f"{algorithm.lower()}-1"
    if algorithm == "HS256":
        key, secret = identity_key_create(kid=name, algorithm=algorithm, **options)
        return Signer(key, secret)
    _, public = pair(algorithm, pair_n)
    key, _ = identity_key_create(kid=name, algorithm=algorithm, material=public, **options)
    return Signer(key, private_key(algorithm, pair_n))


def claims(tenant: Any, **changes: Any) -> dict[str, Any]:
    """What a good identity says; a change to None leaves a claim out."""
    moment = int(time.time())
    said = {"sub": "reader-17", "iat": moment, "exp": moment + 600, "aud": tenant.slug, **changes}
    return {name: value for name, value in said.items() if value is not None}
