"""Reading what there is of one person, the archives that were asked for, and the receipts of erasures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max

from conversations.models import Session
from kernel.errors import NotFound
from tenants.models import DataExport, EndUser, EndUserAudience, Erasure, Membership
from tenants.selectors.exports import exports_list
from tenants.selectors.people import counts_now

PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class PersonData:
    """`archives` are those of the person alone. `erasing` is set while they are being erased."""

    person: EndUser
    conversations: int
    audiences: int
    last_activity: datetime | None
    is_member: bool
    archives: tuple[DataExport, ...]
    erasing: Erasure | None


def person_data(end_user_id: UUID) -> PersonData:
    """Raises `NotFound`."""
    person = EndUser.objects.select_related("user").filter(pk=end_user_id).first()
    if person is None:
        raise NotFound(what="person")
    held = Session.objects.filter(end_user=person).aggregate(n=Count("pk"), last=Max("updated_at"))
    member = Membership.objects.filter(counts_now(), user_id=person.user_id) if person.user_id else None
    return PersonData(
        person,
        conversations=held["n"],
        audiences=EndUserAudience.objects.filter(end_user=person).count(),
        last_activity=held["last"],
        is_member=member is not None and member.exists(),
        archives=tuple(exports_list().filter(subject=person.subject).order_by("-created_at")[:PER_PAGE]),
        erasing=Erasure.objects.filter(end_user_id=person.pk).first(),
    )


def end_user_of_account(user_id: int) -> UUID | None:
    """Whom an account's conversations belong to; None where it has never asked anything."""
    return EndUser.objects.filter(user_id=user_id).values_list("pk", flat=True).first()


def access_erasure(erasure_id: UUID) -> Erasure:
    """Raises `NotFound`."""
    erasure = Erasure.objects.filter(pk=erasure_id).first()
    if erasure is None:
        raise NotFound(what="receipt")
    return erasure


def erasures_page(*, number: str) -> Page[Erasure]:
    """The latest first."""
    return Paginator(Erasure.objects.order_by("-created_at", "id"), PER_PAGE).get_page(number)


def archives_page(*, number: str) -> Page[DataExport]:
    """The latest first, of everything and of single persons."""
    rows = exports_list().select_related("requested_by").order_by("-created_at", "id")
    return Paginator(rows, PER_PAGE).get_page(number)
