"""Audiences and who is in them."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.text import slugify

from kernel.errors import DomainError, Invalid, NotFound
from kernel.names import check_line
from tenants.models import Audience, EndUser, EndUserAudience, User
from tenants.selectors import belongs_here
from tenants.services.audit import audit_record
from tenants.services.end_users import IDENTIFIED, one_slug
from tenants.services.people import audience_create, audiences_join, end_user_for_account

_TAKEN = "There is an audience called {name} already. Choose another name."


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
    name, description = _free_name(name), _description(description)
    slug = slugify(name)[:60].strip("-") or uuid4().hex[:12]
    if Audience.objects.filter(slug=slug).exists():
        raise Invalid(reason=_TAKEN.format(name=name))
    return audience_create(name=name, slug=slug, description=description)


@transaction.atomic
def audience_update(
    *, audience_id: UUID, name: str | None = None, description: str | None = None
) -> Audience:
    """What is None stays, and so does a name that is the same. Raises NotFound, AudienceBuiltIn, Invalid."""
    audience = _changeable(audience_id)
    if name is not None and name != audience.name:
        audience.name = _free_name(name, but=audience)
    if description is not None:
        audience.description = _description(description)
    audience.save(update_fields=["name", "description"])
    audit_record("audience.changed", target=str(audience.pk), name=audience.name)
    return audience


@transaction.atomic
def audience_delete(*, audience_id: UUID) -> None:
    """Whatever was granted to it is no longer seen by those in it. Raises NotFound, AudienceBuiltIn."""
    audience = _changeable(audience_id)
    group_id, name = audience.group_id, audience.name
    audience.delete()
    Group.objects.filter(pk=group_id).delete()
    audit_record("audience.deleted", target=str(audience_id), name=name)


@transaction.atomic
def audience_add(*, audience: Audience, known_as: str) -> EndUser:
    """Let a person in, by email address or subject. Raises NobodyOfThatName or AudienceBuiltIn."""
    _check_changeable(audience)
    if not known_as.strip():
        raise Invalid(reason="Type the email address or the subject of whom to add.")
    end_user = end_user_known_as(known_as.strip())
    audiences_join(end_user=end_user, audiences=[audience])
    return end_user


@transaction.atomic
def audience_remove(*, audience: Audience, end_user_id: UUID) -> bool:
    """Whether they were in it until now. Raises AudienceBuiltIn."""
    _check_changeable(audience)
    inside = EndUserAudience.objects.filter(audience=audience, end_user_id=end_user_id)
    was_inside = bool(inside.delete()[0])
    if was_inside:
        audit_record("audience.left", target=str(audience.pk), name=audience.name, end_user=str(end_user_id))
    return was_inside


def audience_of_one(*, end_user: EndUser) -> Audience:
    """What a grant to a single person without an account is a grant to."""
    slug = one_slug(end_user)
    audience = Audience.objects.filter(slug=slug).first()
    if audience is None:
        audience = audience_create(name=f"Only {end_user}"[:120], slug=slug, description="A single person.")
        audiences_join(end_user=end_user, audiences=[audience])
    return audience


def end_user_known_as(known_as: str) -> EndUser:
    """By email address or subject. Accounts of other workspaces are answered like accounts that do not exist."""
    user = User.objects.filter(email=known_as.lower()).first()
    if user is not None and belongs_here(user):
        return end_user_for_account(user=user)
    end_user = EndUser.objects.filter(subject__in=(known_as, IDENTIFIED + known_as)).first()
    if end_user is None:
        raise NobodyOfThatName(name=known_as)
    return end_user


def _free_name(name: str, but: Audience | None = None) -> str:
    """A name as it is kept. Signed identities name audiences by their names: each has one of its own."""
    name = check_line(name, what="The name of the audience", most=120)
    others = Audience.objects.filter(name__iexact=name)
    if (others.exclude(pk=but.pk) if but else others).exists():
        raise Invalid(reason=_TAKEN.format(name=name))
    return name


def _description(text: str) -> str:
    return check_line(text, what="The description", most=300, least=0)


def _changeable(audience_id: UUID) -> Audience:
    audience = Audience.objects.select_for_update(of=("self",)).filter(pk=audience_id).first()
    if audience is None:
        raise NotFound(what="audience")
    _check_changeable(audience)
    return audience


def _check_changeable(audience: Audience) -> None:
    if audience.builtin:
        raise AudienceBuiltIn(name=audience.name)
