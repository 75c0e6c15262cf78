"""Reading how many people stand behind audiences."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Q

from tenants.models import Audience, EndUser, EndUserAudience, EndUserKind, Membership
from tenants.selectors.people import counts_now


@dataclass(frozen=True, slots=True)
class Reach:
    """How many known people are meant, each counted once; `everyone` when unknown visitors are meant as well."""

    people: int
    everyone: bool = False


def reach_of(*, group_ids: Collection[int], user_ids: Collection[int]) -> Reach:
    """Behind the groups of audiences, and behind single accounts. Four queries at most."""
    slugs = set(Audience.objects.filter(builtin=True, group_id__in=group_ids).values_list("slug", flat=True))
    if Audience.EVERYONE in slugs:
        members, people = _members(), EndUser.objects.exclude(kind=EndUserKind.ANONYMOUS)
        known_members = people.filter(user_id__in=members).count()
        return Reach(people.count() + len(members) - known_members, everyone=True)
    users = {*user_ids, *(_members() if Audience.MEMBERS in slugs else ())}
    inside = EndUserAudience.objects.filter(audience__group_id__in=group_ids).values("end_user_id")
    known = EndUser.objects.filter(Q(pk__in=inside) | Q(user_id__in=users))
    accounts = list(known.values_list("user_id", flat=True))
    return Reach(len(accounts) + len(users - set(accounts)))


def _members() -> set[int]:
    return set(Membership.objects.filter(counts_now()).values_list("user_id", flat=True))
