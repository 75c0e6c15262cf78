"""End users whom a tenant's own programs speak for: known by the same subject as by a signed identity."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from kernel.errors import Invalid
from tenants.models import Audience, EndUser, EndUserAudience, EndUserKind
from tenants.services.audit import audit_record

IDENTIFIED = "id:"
LONGEST_SUBJECT = 190


@transaction.atomic
def end_user_for_subject(
    *, subject: str, name: str | None = None, audiences: Sequence[str] | None = None
) -> EndUser:
    """The person whom the tenant calls so, made on first sight; name and audiences become what is not None.

    `audiences` are short names or names: those the person is in from now on. Raises `Invalid` for a subject that is
    none and for an audience that is not there or built in.
    """
    if not subject.strip() or len(subject) > LONGEST_SUBJECT or not subject.isprintable():
        raise Invalid(reason=f"A subject has 1 to {LONGEST_SUBJECT} printable characters.")
    end_user, _ = EndUser.objects.get_or_create(
        subject=IDENTIFIED + subject, defaults={"kind": EndUserKind.IDENTIFIED, "name": name or ""}
    )
    if name is not None and end_user.name != name:
        end_user.name = name
        end_user.save(update_fields=["name"])
    if audiences is not None:
        audiences_set(end_user=end_user, audiences=_found(audiences))
    return end_user


@transaction.atomic
def audiences_set(*, end_user: EndUser, audiences: Sequence[Audience]) -> None:
    """Be in exactly these, and in the audience of one that the person may have."""
    wanted = {audience.pk: audience.slug for audience in audiences}
    mine = EndUserAudience.objects.filter(end_user=end_user).exclude(audience__slug=one_slug(end_user))
    held = dict(mine.values_list("audience_id", "audience__slug"))
    if held.keys() == wanted.keys():
        return
    mine.exclude(audience_id__in=wanted).delete()
    EndUserAudience.objects.bulk_create(
        [EndUserAudience(end_user=end_user, audience_id=pk) for pk in wanted.keys() - held.keys()],
        ignore_conflicts=True,
    )
    joined, left = (
        sorted(set(wanted.values()) - set(held.values())),
        sorted(set(held.values()) - set(wanted.values())),
    )
    audit_record("end_user.audiences_set", target=str(end_user.pk), joined=list(joined), left=list(left))


def one_slug(end_user: EndUser) -> str:
    """The short name of the audience that is this person alone."""
    return f"one-{end_user.pk.hex}"


def _found(names: Sequence[str]) -> list[Audience]:
    named = Q(slug__in=names) | Q(name__in=names)
    found = list(Audience.objects.filter(named, builtin=False)) if names else []
    known = {name for audience in found for name in (audience.slug, audience.name)}
    if unknown := sorted(set(names) - known):
        raise Invalid(reason=f"There is no audience called {unknown[0]} that somebody could be put into.")
    return found
