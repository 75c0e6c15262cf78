"""Secrets at rest, and seals that only this platform can make.

The keys come from the environment (`SECRETS_KEYS`, newest first) and never from the database. Each tenant has keys of
its own, derived from them by HKDF (RFC 5869): what is sealed for one tenant does not open in another's row. The newest
key seals; all of them open, so that keys can be changed while everything runs (`manage.py secrets_rotate`).
"""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from tenants.errors import SecretUnreadable
from tenants.scoping import current_tenant_id

_SECRETS = "secret at rest"


def seal(text: str) -> str:
    """The text encrypted for the current tenant, authenticated (Fernet: AES-CBC with HMAC-SHA-256)."""
    return _boxes()[0].encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The text of a sealed value of the current tenant. Raises `SecretUnreadable`."""
    try:
        return MultiFernet(_boxes()).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise SecretUnreadable from None


def resealed(sealed: str) -> str:
    """The value sealed with the newest key: itself where it is already. Raises `SecretUnreadable`."""
    try:
        _boxes()[0].decrypt(sealed.encode())
    except InvalidToken:
        return seal(unseal(sealed))
    return sealed


def mac(purpose: str, message: bytes) -> str:
    """64 hex digits that only a holder of the newest key can compute, for one purpose in the current tenant."""
    return _mac(settings.SECRETS_KEYS[0], purpose, message)


def mac_fits(purpose: str, message: bytes, given: str) -> bool:
    """Whether `given` is the message's `mac` by any of the keys."""
    wanted = given.encode()
    return any(
        hmac.compare_digest(_mac(key, purpose, message).encode(), wanted) for key in settings.SECRETS_KEYS
    )


def _mac(key: str, purpose: str, message: bytes) -> str:
    return hmac.new(_derived(key, purpose), message, sha256).hexdigest()


def _boxes() -> list[Fernet]:
    keys = (_derived(key, _SECRETS) for key in settings.SECRETS_KEYS)
    return [Fernet(base64.urlsafe_b64encode(key)) for key in keys]


def _derived(key: str, purpose: str) -> bytes:
    """32 bytes of key for one purpose in the current tenant."""
    info = b"antecedent\0" + purpose.encode() + b"\0" + current_tenant_id().bytes
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(key.encode())
