"""For whom a request is made: an end user's own, or one that a program names."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from kernel.errors import NotFound
from tenants.access import Principal
from tenants.models import EndUser
from tenants.rest.callers import Caller
from tenants.rest.errors import BadFields, NotPermitted
from tenants.rest.fields import Input, Text
from tenants.roles import May
from tenants.selectors import principal_for
from tenants.services.end_users import IDENTIFIED, LONGEST_SUBJECT, end_user_for_subject

_NEEDED = "Name the end user that this is done for."


@extend_schema_serializer(component_name="EndUserRef")
class EndUserField(Input):
    """An end user, by the subject that the tenant's own sign-in knows them by. Made on first sight."""

    subject = Text(max_length=LONGEST_SUBJECT)
    name = Text(max_length=120, required=False, allow_blank=True)
    audiences = serializers.ListField(
        child=Text(max_length=120),
        max_length=100,
        required=False,
        help_text="The audiences that they are in from now on, by short name or name; as it is when left out.",
    )


class EndUserQuery(serializers.Serializer):  # type: ignore[type-arg]
    end_user = serializers.CharField(
        max_length=LONGEST_SUBJECT,
        required=False,
        help_text="Subject of an end user. A key with the scope `chat` alone has to name one.",
    )


def asked_for() -> type[EndUserQuery]:
    """The query of doors that look at things as, or of, an end user."""
    return EndUserQuery


def end_user_asked(caller: Caller, asked: dict[str, Any] | str | None) -> EndUser | None:
    """The end user that a request is about: the caller's own self, or whom a program names. None for nobody.

    Only a key may speak for somebody by name; naming by a mere subject makes nobody. Raises `NotPermitted`, `NotFound`.
    """
    if caller.key is None:
        if asked is not None and not caller.may(May.GRANT_ACCESS):
            raise NotPermitted(needs=May.GRANT_ACCESS)
        return known_end_user(asked, anybody=True) if asked is not None else caller.end_user
    if asked is None:
        return None
    if isinstance(asked, dict) and caller.may(May.CHAT):
        return end_user_for_subject(
            subject=asked["subject"], name=asked.get("name"), audiences=asked.get("audiences")
        )
    return known_end_user(asked, anybody=caller.may(May.READ_CONVERSATIONS))


def known_end_user(asked: dict[str, Any] | str, *, anybody: bool) -> EndUser:
    """Whom the tenant's own programs name so; `anybody` also finds visitors and accounts by their stored subjects.

    Raises `NotFound` for a subject that nobody here has.
    """
    subject = asked if isinstance(asked, str) else asked["subject"]
    subjects = (IDENTIFIED + subject, subject) if anybody else (IDENTIFIED + subject,)
    found = EndUser.objects.select_related("user").filter(subject__in=subjects)
    # What the tenant's own sign-in says comes before subjects that are made here.
    for end_user in sorted(found, key=lambda one: not one.subject.startswith(IDENTIFIED)):
        return end_user
    raise NotFound(what="end user")


def acted_for(caller: Caller, asked: dict[str, Any] | str | None) -> Principal:
    """With whose eyes documents are looked at. Raises as `end_user_asked`, and `BadFields` where one must be named."""
    if asked is None and caller.may(May.READ_DOCUMENTS):
        return caller.principal()
    end_user = end_user_asked(caller, asked)
    if end_user is None:
        raise BadFields(detail=_NEEDED, fields={"end_user": [_NEEDED]})
    return principal_for(tenant_id=caller.tenant.pk, user=end_user.user, end_user=end_user)
