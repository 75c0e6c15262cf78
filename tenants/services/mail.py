"""Letters to people: one look, plain text and HTML, sent by background work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from tenants.models import Invitation, Tenant, User
from tenants.selectors.invitations import invitation_for
from tenants.selectors.people import belongs_here

UID, KEY = "UID", "KEY"
"""Placeholders in the address of a link that only the letter fills in."""
NOTICES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "password_changed": ("Your password was changed", "The password of your account was changed."),
        "two_factor_on": ("Two-factor is on", "From now on your account asks for a code when you sign in."),
        "two_factor_off": ("Two-factor is off", "Your account no longer asks for a code when you sign in."),
        "recovery_codes": (
            "New recovery codes",
            "New recovery codes were made for your account. Old ones are void.",
        ),
        "provider_linked": (
            "A new way to sign in",
            "Your account was linked to a workspace's single sign-on.",
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Letter:
    """What somebody is told, and the one thing they can do about it."""

    to: str
    subject: str
    lines: tuple[str, ...]
    button: str = ""
    link: str = ""
    foot: str = ""


def letter_send(letter: Letter) -> None:
    """Raises what the mail server's connection raises, to be retried."""
    mail = EmailMultiAlternatives(
        subject=" ".join(letter.subject.split()),
        body=render_to_string("tenants/mail/letter.txt", {"letter": letter}),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[letter.to],
        headers={"Auto-Submitted": "auto-generated"},
    )
    mail.attach_alternative(render_to_string("tenants/mail/letter.html", {"letter": letter}), "text/html")
    mail.send()


def invitation_letter(*, invitation: Invitation, tenant: Tenant, link: str) -> Letter:
    who = f"{invitation.invited_by} invites you" if invitation.invited_by else "You are invited"
    role = invitation.get_role_display().lower()
    return Letter(
        to=invitation.email,
        subject=f"{who} to {tenant.name}",
        lines=(
            f"{who} to join {tenant.name} on Antecedent as {'an' if role[0] in 'aeiou' else 'a'} {role}.",
            f"The link can be used once, until {invitation.expires_at:%-d %B %Y, %H:%M} UTC.",
        ),
        button="Accept the invitation",
        link=link,
        foot="If you did not expect this, ignore it: nothing happens until the link is used.",
    )


def reset_letter(*, email: str, tenant: Tenant, link_pattern: str) -> Letter | None:
    """The letter with a link to set a new password; None for an address without an account that counts here."""
    user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if user is None or not (belongs_here(user) or invitation_for(user.email)):
        return None
    key = EmailAwarePasswordResetTokenGenerator().make_token(user)
    link = link_pattern.replace(f"{UID}-{KEY}", f"{user_pk_to_url_str(user)}-{key}")
    return Letter(
        to=user.email,
        subject="Set a new password",
        lines=(
            f"Somebody, probably you, asked to set a new password for your account, at {tenant.name}'s sign-in page.",
            f"The link can be used once, within {settings.PASSWORD_RESET_TIMEOUT // 60} minutes. "
            "All sign-ins end when the password changes.",
        ),
        button="Set a new password",
        link=link,
        foot="If it was not you, ignore this: your password stays as it is.",
    )


def notice_letter(*, user: User, notice: str, device: str, address: str) -> Letter:
    subject, line = NOTICES[notice]
    return Letter(
        to=user.email,
        subject=subject,
        lines=(line, f"It was done with {device} from the network address {address}."),
        foot="If it was not you, set a new password at once and end the sign-ins that you do not know.",
    )
