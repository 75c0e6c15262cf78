"""Forms of signing in and of the account. Each says what is wrong in words that help."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ChangePasswordForm, ReauthenticateForm
from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from tenants.errors import TooManyAttempts
from tenants.models import User
from tenants.selectors.people import belongs_here
from tenants.services.attempts import attempt, attempt_succeeded, code_counters, sign_in_counters


class SignInForm(AuthenticationForm):
    """Email and password of an account that belongs to this workspace. Wrong ones are counted."""

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": "Email and password do not fit together, or the account is not of this workspace.",
    }

    def clean_username(self) -> str:
        return str(self.cleaned_data["username"]).strip().lower()

    def clean(self) -> dict[str, Any]:
        email = self.cleaned_data.get("username")
        if not email or not self.cleaned_data.get("password") or self.request is None:
            return super().clean()
        counters = sign_in_counters(email=email, address=get_adapter().get_client_ip(self.request))
        _counted(counters)
        cleaned = super().clean()
        attempt_succeeded(counters)
        return cleaned

    def confirm_login_allowed(self, user: Any) -> None:
        super().confirm_login_allowed(user)
        if not belongs_here(user):
            raise self.get_invalid_login_error()


class ResetForm(forms.Form):
    """Whose password is to be set anew."""

    email = forms.EmailField(max_length=254)

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).strip().lower()


class PasswordAgainForm(ReauthenticateForm):  # type: ignore[misc]
    """The password once more, before a change to the account."""

    def clean_password(self) -> str:
        counters = code_counters(user_id=self.user.pk)
        _counted(counters)
        password: str = super().clean_password()
        attempt_succeeded(counters)
        return password


class PasswordChangeForm(ChangePasswordForm):  # type: ignore[misc]
    """The password now, and the new one."""

    def clean_oldpassword(self) -> str:
        counters = code_counters(user_id=self.user.pk)
        _counted(counters)
        password: str = super().clean_oldpassword()
        attempt_succeeded(counters)
        return password


class JoinForm(forms.Form):
    """Name and password of a new account."""

    name = forms.CharField(max_length=120)
    password = forms.CharField(max_length=200, strip=False)

    def __init__(self, *args: Any, email: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email = email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, User(email=self.email, name=self.cleaned_data.get("name", "")))
        return password


class KnownForm(forms.Form):
    """The password of an account that there is already."""

    password = forms.CharField(max_length=200, strip=False)

    def __init__(self, *args: Any, email: str, request: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.email, self.request = email, request
        self.user: User | None = None

    def clean_password(self) -> str:
        counters = sign_in_counters(email=self.email, address=get_adapter().get_client_ip(self.request))
        _counted(counters)
        password: str = self.cleaned_data["password"]
        self.user = authenticate(self.request, username=self.email, password=password)
        if self.user is None:
            raise ValidationError("This is not the password of this account.", code="incorrect_password")
        attempt_succeeded(counters)
        return password


def _counted(counters: Any) -> None:
    try:
        attempt(counters)
    except TooManyAttempts as error:
        raise ValidationError(error.message, code=error.code) from None
