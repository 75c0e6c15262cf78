"""Reading people: all that are known, and those who can see one document, each with what lets them see it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Q, QuerySet

from admin_ui.asked import choice_asked, text_asked
from retrieval.models import (
    CorpusGroupPermission,
    CorpusUserPermission,
    Document,
    DocumentGroupPermission,
    DocumentUserPermission,
)
from tenants.access import SEES_ALL_ROLES
from tenants.models import Audience, EndUser, EndUserAudience, EndUserKind, Membership, Role
from tenants.selectors.people import counts_now

PER_PAGE = 50
MEMBERS, END_USERS = "members", "end-users"
KINDS = {END_USERS: "End users", MEMBERS: "Members"}


@dataclass(frozen=True, slots=True)
class Through:
    """What lets somebody see a document: `by` is role, document or corpus; `audience` whose grant it is, else theirs."""

    by: str
    audience: str = ""


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody; `key` names their eyes in an address. `through` is empty where nothing was asked about."""

    key: str
    name: str
    note: str
    through: tuple[Through, ...] = ()


@dataclass(frozen=True, slots=True)
class PeopleAsked:
    kind: str
    search: str
    number: str

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> PeopleAsked:
        kind = choice_asked(query, "kind", KINDS) or END_USERS
        return cls(kind, text_asked(query, "q"), query.get("page", "1"))


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """A page of people with how many there are of each kind; `everyone` where unknown visitors count as well."""

    page: Page[Any]
    rows: tuple[PersonRow, ...]
    kinds: tuple[tuple[str, str, int], ...]
    everyone: bool = False


@dataclass(frozen=True, slots=True)
class Grants:
    """The grants that let somebody see a document: groups and users, on itself and, unless restricted, on its corpus."""

    groups: dict[int, tuple[Through, ...]]
    users: dict[int, tuple[Through, ...]]
    everyone: int | None
    members: int | None

    @property
    def opens_to_everyone(self) -> bool:
        return self.everyone in self.groups

    @property
    def opens_to_members(self) -> bool:
        return self.opens_to_everyone or self.members in self.groups


@transaction.atomic
def people_page(asked: PeopleAsked) -> PeoplePage:
    """Everybody who is known here, anonymous visitors left out. Six queries at most."""
    found = {MEMBERS: _members(asked.search), END_USERS: _end_users(asked.search)}
    return _page(asked, found, None)


@transaction.atomic
def seers_page(document: Document, asked: PeopleAsked) -> PeoplePage:
    """Everybody who can see a document now. A dozen queries, however many people or grants."""
    grants = grants_on(document)
    inside = EndUserAudience.objects.filter(audience__group_id__in=list(grants.groups)).values("end_user_id")
    return _page(
        asked,
        {
            MEMBERS: _members_seeing(grants, inside, asked.search),
            END_USERS: _end_users_seeing(grants, inside, asked.search),
        },
        grants,
    )


def grants_on(document: Document) -> Grants:
    """Six queries."""
    groups: dict[int, list[Through]] = defaultdict(list)
    users: dict[int, list[Through]] = defaultdict(list)
    sources: list[tuple[str, Any, Any, Any]] = [
        ("document", DocumentGroupPermission, DocumentUserPermission, document.pk)
    ]
    if not document.restricted:
        sources.append(("corpus", CorpusGroupPermission, CorpusUserPermission, document.corpus_id))
    audiences = list(Audience.objects.all())
    names = {audience.group_id: audience.name for audience in audiences}
    builtin = {audience.slug: audience.group_id for audience in audiences if audience.builtin}
    for by, for_group, for_user, object_id in sources:
        narrow = {"permission__codename": f"view_{by}", "content_object_id": object_id}
        for group in for_group.objects.filter(**narrow).values_list("group_id", flat=True):
            groups[group].append(Through(by, names.get(group, "")))
        for user in for_user.objects.filter(**narrow).values_list("user_id", flat=True):
            users[user].append(Through(by))
    return Grants(
        {group: tuple(through) for group, through in groups.items()},
        {user: tuple(through) for user, through in users.items()},
        builtin.get(Audience.EVERYONE),
        builtin.get(Audience.MEMBERS),
    )


def _members(search: str) -> QuerySet[Membership]:
    rows = Membership.objects.filter(counts_now()).select_related("user").order_by("user__name", "user_id")
    return rows.filter(Q(user__name__icontains=search) | Q(user__email__icontains=search)) if search else rows


def _end_users(search: str) -> QuerySet[EndUser]:
    """Members are listed as members."""
    members = Membership.objects.filter(counts_now()).values("user_id")
    rows = EndUser.objects.exclude(kind=EndUserKind.ANONYMOUS).exclude(user_id__in=members)
    rows = rows.select_related("user").order_by("name", "subject", "id")
    named = Q(name__icontains=search) | Q(subject__icontains=search) | Q(user__email__icontains=search)
    return rows.filter(named) if search else rows


def _members_seeing(grants: Grants, inside: Any, search: str) -> QuerySet[Membership]:
    rows = _members(search)
    if grants.opens_to_members:
        return rows
    in_audiences = EndUser.objects.filter(pk__in=inside, user__isnull=False).values("user_id")
    granted = Q(user_id__in=list(grants.users)) | Q(user_id__in=in_audiences)
    return rows.filter(Q(role__in=SEES_ALL_ROLES) | granted)


def _end_users_seeing(grants: Grants, inside: Any, search: str) -> QuerySet[EndUser]:
    if grants.opens_to_everyone:
        return _end_users(search)
    return _end_users(search).filter(Q(pk__in=inside) | Q(user_id__in=list(grants.users)))


def _page(asked: PeopleAsked, found: Mapping[str, QuerySet[Any]], grants: Grants | None) -> PeoplePage:
    page = Paginator(found[asked.kind], PER_PAGE).get_page(asked.number)
    kinds = tuple(
        (kind, label, page.paginator.count if kind == asked.kind else found[kind].count())
        for kind, label in KINDS.items()
    )
    rows = _member_rows(list(page), grants) if asked.kind == MEMBERS else _end_user_rows(list(page), grants)
    return PeoplePage(page, rows, kinds, grants is not None and grants.opens_to_everyone)


def _member_rows(members: Sequence[Membership], grants: Grants | None) -> tuple[PersonRow, ...]:
    users = [member.user_id for member in members]
    groups = _groups_of(Q(end_user__user_id__in=users), "end_user__user_id", grants)
    return tuple(
        PersonRow(
            key=f"member:{member.user_id}",
            name=str(member.user),
            note=f"{Role(member.role).label} · {member.user.email}",
            through=() if grants is None else _member_through(member, groups[member.user_id], grants),
        )
        for member in members
    )


def _member_through(member: Membership, groups: Sequence[int], grants: Grants) -> tuple[Through, ...]:
    role = (Through("role", Role(member.role).label),) if member.role in SEES_ALL_ROLES else ()
    return (*role, *_through(member.user_id, [grants.members, grants.everyone, *groups], grants))


def _end_user_rows(people: Sequence[EndUser], grants: Grants | None) -> tuple[PersonRow, ...]:
    groups = _groups_of(Q(end_user_id__in=[one.pk for one in people]), "end_user_id", grants)
    return tuple(
        PersonRow(
            key=f"end-user:{one.pk}",
            name=str(one),
            note=one.user.email if one.user is not None else one.subject,
            through=()
            if grants is None
            else _through(one.user_id, [grants.everyone, *groups[one.pk]], grants),
        )
        for one in people
    )


def _groups_of(who: Q, key: str, grants: Grants | None) -> defaultdict[Any, list[int]]:
    """The groups with a grant that each is in, by the value of `key`."""
    found: defaultdict[Any, list[int]] = defaultdict(list)
    if grants is not None:
        rows = EndUserAudience.objects.filter(who, audience__group_id__in=list(grants.groups))
        for one, group in rows.order_by("audience__name").values_list(key, "audience__group_id"):
            found[one].append(group)
    return found


def _through(user_id: int | None, groups: Sequence[int | None], grants: Grants) -> tuple[Through, ...]:
    own = grants.users.get(user_id, ()) if user_id is not None else ()
    by_group = [way for group in groups if group is not None for way in grants.groups.get(group, ())]
    return (*own, *by_group)
