"""With whose eyes documents are looked at: the asking member's own, an audience's, one person's, a stranger's."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from admin_ui.asked import uuid_or_none, whole_or_none
from admin_ui.selectors.access import audience_found
from admin_ui.selectors.documents import principal_of
from admin_ui.selectors.person_data import end_user_of_account
from kernel.errors import NotFound
from tenants.access import Principal
from tenants.models import Audience, EndUser, Membership, User
from tenants.scoping import current_tenant_id
from tenants.selectors import principal_for
from tenants.selectors.people import counts_now
from tenants.services.end_users import IDENTIFIED

ME, ANONYMOUS, PERSON = "me", "anonymous", "person"
NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Eyes:
    """`key` names them in an address: me, anonymous, audience:<id>, end-user:<id> or member:<user id>.

    `end_user` is set for one person who has conversations here, or may have.
    """

    key: str
    name: str
    note: str
    principal: Principal
    end_user: UUID | None = None

    @property
    def is_me(self) -> bool:
        return self.key == ME


def eyes_of(user: User, key: str, *, known_as: str = "") -> Eyes:
    """Whom a form names: by `key`, or, where that is "person", by email address or subject. Raises `NotFound`."""
    if key in ("", ME):
        return Eyes(ME, "you", "with your role and your grants", principal_of(user))
    if key == ANONYMOUS:
        principal = principal_for(tenant_id=current_tenant_id(), user=None, end_user=None)
        return Eyes(ANONYMOUS, "an anonymous visitor", "with what everyone may see", principal)
    if key == PERSON:
        return _known_as(known_as)
    kind, _, id = key.partition(":")
    if kind == "audience":
        return audience_eyes(_audience(id))
    if kind == "member":
        return member_eyes(_member(id))
    return end_user_eyes(_end_user(id))


def audience_eyes(audience: Audience) -> Eyes:
    """Somebody who is in this audience and in no other, but for the built-in ones that they are in anyway."""
    inside = Q(pk=audience.pk) | Q(builtin=True, slug=Audience.EVERYONE)
    groups = Audience.objects.filter(inside).order_by("group_id").values_list("group_id", flat=True)
    principal = Principal(tenant_id=current_tenant_id(), group_ids=tuple(groups))
    return Eyes(f"audience:{audience.pk}", audience.name, "somebody in this audience alone", principal)


def member_eyes(membership: Membership) -> Eyes:
    user = membership.user
    role = membership.get_role_display()
    return Eyes(f"member:{user.pk}", str(user), role, principal_of(user), end_user_of_account(user.pk))


def end_user_eyes(end_user: EndUser) -> Eyes:
    principal = principal_for(tenant_id=current_tenant_id(), user=end_user.user, end_user=end_user)
    kind = end_user.get_kind_display()
    return Eyes(f"end-user:{end_user.pk}", str(end_user), kind, principal, end_user.pk)


def _known_as(text: str) -> Eyes:
    member = Membership.objects.filter(counts_now(), user__email__iexact=text).select_related("user").first()
    if member is not None:
        return member_eyes(member)
    named = Q(subject__in=(text, IDENTIFIED + text)) | Q(user__email__iexact=text)
    end_user = EndUser.objects.filter(named).select_related("user").order_by("created_at").first()
    if not text or end_user is None:
        raise NotFound(what="person of that address or subject")
    return end_user_eyes(end_user)


def _audience(id: str) -> Audience:
    return audience_found(uuid_or_none(id) or NOBODY)


def _member(id: str) -> Membership:
    rows = Membership.objects.filter(counts_now(), user_id=whole_or_none(id) or 0)
    member = rows.select_related("user").first()
    if member is None:
        raise NotFound(what="member")
    return member


def _end_user(id: str) -> EndUser:
    end_user = EndUser.objects.filter(pk=uuid_or_none(id) or NOBODY).select_related("user").first()
    if end_user is None:
        raise NotFound(what="person")
    return end_user
