"""The second factor: secrets encrypted at rest, attempts counted, and no way to switch it off where it is asked for."""

from __future__ import annotations

import base64
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ValidationError
from django.forms import Form

from tenants.errors import SecretUnreadable, TooManyAttempts
from tenants.selectors.members import two_factor_is_asked_of
from tenants.services.attempts import attempt, attempt_succeeded, code_counters
from tenants.services.rotation import Rotation


class TwoFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Accounts belong to no tenant, so their secrets are sealed with keys of the platform's own."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right. Codes change every 30 seconds: use the newest one.",
        "cannot_delete_authenticator": "A workspace of yours asks for a second factor, so it cannot be switched off.",
    }

    def encrypt(self, text: str) -> str:
        return _boxes()[0].encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        try:
            return MultiFernet(_boxes()).decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise SecretUnreadable from None

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        return not two_factor_is_asked_of(authenticator.user_id)


class _Counted(Form):
    """A form with a code: five wrong ones, and the person waits."""

    user: Any

    def clean_code(self) -> str:
        counters = code_counters(user_id=self.user.pk)
        try:
            attempt(counters)
        except TooManyAttempts as error:
            raise ValidationError(error.message, code=error.code) from None
        code: str = super().clean_code()  # type: ignore[misc]
        attempt_succeeded(counters)
        return code


class CodeForm(_Counted, AuthenticateForm):  # type: ignore[misc]
    """While signing in."""


class CodeAgainForm(_Counted, ReauthenticateForm):  # type: ignore[misc]
    """Before a change to the account."""


class EnrolForm(_Counted, ActivateTOTPForm):  # type: ignore[misc]
    """The first code of a new authenticator."""


def authenticators_rotate() -> Rotation:
    """Encrypt every second factor anew with the newest of SECRETS_KEYS, as `secrets_rotate` does for a workspace."""
    adapter, resealed, current, unreadable = TwoFactorAdapter(), 0, 0, []
    for row in Authenticator.objects.order_by("pk").iterator(500):
        try:
            was_changed = _reseal(adapter, row)
        except SecretUnreadable:
            unreadable.append(f"Authenticator.data {row.pk}")
            continue
        resealed, current = resealed + was_changed, current + (not was_changed)
    return Rotation(resealed, current, tuple(unreadable))


def _reseal(adapter: TwoFactorAdapter, row: Authenticator) -> bool:
    fresh = {name: _resealed(adapter, row.data[name]) for name in ("secret", "seed") if row.data.get(name)}
    if fresh == {name: row.data[name] for name in fresh}:
        return False
    row.data.update(fresh)
    row.save(update_fields=["data"])
    return True


def _resealed(adapter: TwoFactorAdapter, sealed: str) -> str:
    try:
        _boxes()[0].decrypt(sealed.encode())
    except InvalidToken:
        return adapter.encrypt(adapter.decrypt(sealed))
    return sealed


def _boxes() -> list[Fernet]:
    def derived(key: str) -> bytes:
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=b"antecedent\0two-factor").derive(
            key.encode()
        )

    return [Fernet(base64.urlsafe_b64encode(derived(key))) for key in settings.SECRETS_KEYS]
