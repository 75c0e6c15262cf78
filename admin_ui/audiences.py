"""Audiences and who is in them, as the console changes them."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.db import transaction
from django.utils.text import slugify

from kernel.errors import DomainError, Invalid
from tenants.models import Audience, EndUser, EndUserAudience, User
from tenants.selectors import belongs_here
from tenants.services import audience_create, audiences_join, end_user_for_account


class NobodyOfThatName(DomainError):
    """Nobody here is known as “{name}”. Give the email address of an account of this workspace, or the subject that
    your own sign-in names the person by."""

    code = "end_user_not_found"
    http_status = 404


class AudienceBuiltIn(DomainError):
    """Who is in “{name}” follows by itself and cannot be changed."""

    code = "audience_built_in"


@transaction.atomic
def audience_open(*, name: str, description: str = "") -> Audience:
    """Raises Invalid for no name or one that is taken."""
    name = name.strip()[:120]
    if not name:
        raise Invalid(reason="The audience needs a name.")
    slug = slugify(name)[:60].strip("-") or uuid4().hex[:12]
    if Audience.objects.filter(slug=slug).exists():
        raise Invalid(reason=f"There is an audience called {name} already.")
    return audience_create(name=name, slug=slug, description=description[:300])


@transaction.atomic
def audience_add(*, audience: Audience, known_as: str) -> EndUser:
    """Let a person in, by email address or subject. Raises NobodyOfThatName or AudienceBuiltIn."""
    _check_changeable(audience)
    end_user = _person(known_as.strip())
    audiences_join(end_user=end_user, audiences=[audience])
    return end_user


def audience_remove(*, audience: Audience, end_user_id: UUID) -> None:
    _check_changeable(audience)
    EndUserAudience.objects.filter(audience=audience, end_user_id=end_user_id).delete()


def _check_changeable(audience: Audience) -> None:
    if audience.builtin:
        raise AudienceBuiltIn(name=audience.name)


def _person(known_as: str) -> EndUser:
    """Accounts of other workspaces are answered like accounts that do not exist."""
    user = User.objects.filter(email=known_as.lower()).first()
    if user is not None and belongs_here(user):
        return end_user_for_account(user=user)
    end_user = EndUser.objects.filter(subject=known_as).first()
    if end_user is None:
        raise NobodyOfThatName(name=known_as)
    return end_user
