"""Audiences and end users: who documents are shown to."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from tenants.models import Audience, EndUser, EndUserAudience, EndUserKind
from tenants.rest.end_users import EndUserField
from tenants.rest.fields import Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services.audiences import (
    audience_add,
    audience_delete,
    audience_open,
    audience_remove,
    audience_update,
)
from tenants.services.end_users import IDENTIFIED, end_user_for_subject

TAG = "Audiences and end users"
AUDIENCE = {
    "id": "9a1d2f0c-8f66-4d5c-9d0e-2b6c2c1f7f11",
    "slug": "nurses",
    "name": "Nurses",
    "description": "Nursing staff of all wards",
    "builtin": False,
}
PERSON = {
    "id": "5b7f6a49-2f0d-4a8e-9b6b-0f6c8a1d2e3f",
    "subject": "patient-7",
    "kind": "identified",
    "name": "Ada",
    "audiences": ["nurses"],
    "created_at": "2026-11-30T08:19:00Z",
}


class AudienceInput(Input):
    name = Text(max_length=120)
    description = Text(max_length=300, required=False, allow_blank=True)


class AudienceChange(Input):
    name = Text(max_length=120, required=False)
    description = Text(max_length=300, required=False, allow_blank=True)


class AudienceOutput(Output):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    builtin = serializers.BooleanField(help_text="Who is in it follows by itself.")


class JoiningInput(Input):
    end_user = Text(max_length=320, help_text="The subject or the email address of a person.")


class EndUserOutput(Output):
    id = serializers.UUIDField()
    subject = serializers.SerializerMethodField(help_text="As the workspace's own sign-in names them.")
    kind = serializers.ChoiceField(EndUserKind.choices)
    name = serializers.CharField(allow_blank=True)
    audiences = serializers.SerializerMethodField(help_text="Short names, without the built-in ones.")
    created_at = serializers.DateTimeField()

    def get_subject(self, end_user: EndUser) -> str:
        return end_user.subject.removeprefix(IDENTIFIED)

    def get_audiences(self, end_user: EndUser) -> list[str]:
        with_them = getattr(end_user, "audience_slugs", None)
        return list(with_them if with_them is not None else _slugs_of(end_user.pk))


class EndUserQuery(serializers.Serializer):  # type: ignore[type-arg]
    kind = serializers.ChoiceField(EndUserKind.choices, required=False)
    subject = serializers.CharField(max_length=200, required=False, help_text="Exactly this one.")
    search = serializers.CharField(max_length=200, required=False, help_text="In subject or name.")


def _slugs_of(end_user_id: Any) -> QuerySet[Audience, str]:
    mine = EndUserAudience.objects.filter(end_user=end_user_id).values("audience_id")
    return Audience.objects.filter(pk__in=mine).order_by("slug").values_list("slug", flat=True)


def with_audiences(rows: QuerySet[EndUser]) -> QuerySet[EndUser]:
    """People with the short names of their audiences, in one query however many they are."""
    return rows.annotate(audience_slugs=ArraySubquery(_slugs_of(OuterRef(OuterRef("pk")))))


def audience_shown(audience: Audience) -> JsonObject:
    return shown(AudienceOutput(audience))


def end_user_shown(end_user: EndUser) -> JsonObject:
    return shown(EndUserOutput(end_user))


def access_audience(audience_id: UUID) -> Audience:
    audience = Audience.objects.filter(pk=audience_id).first()
    if audience is None:
        raise NotFound(what="audience")
    return audience


class Audiences(ApiView):
    """Every audience."""

    @operation(
        "List audiences",
        tag=TAG,
        may=May.GRANT_ACCESS,
        answers=AudienceOutput,
        paged=True,
        etag=True,
        example=AUDIENCE,
    )
    def get(self, request: Request) -> Response:
        return self.page(Audience.objects.all(), audience_shown, by=("name", "id"))

    @operation(
        "Make an audience",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=AudienceInput,
        answers=AudienceOutput,
        status=201,
        repeatable=True,
        sends={"name": "Nurses"},
        example=AUDIENCE,
    )
    def post(self, request: Request) -> Response:
        return Response(audience_shown(audience_open(**self.read(AudienceInput))), status=201)


class AudienceDetail(ApiView):
    """One audience."""

    @operation(
        "Read an audience", tag=TAG, may=May.GRANT_ACCESS, answers=AudienceOutput, etag=True, example=AUDIENCE
    )
    def get(self, request: Request, audience_id: UUID) -> Response:
        return Response(audience_shown(access_audience(audience_id)))

    @operation(
        "Change an audience",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=AudienceChange,
        answers=AudienceOutput,
        sends={"name": "Nursing staff"},
        example=AUDIENCE,
    )
    def patch(self, request: Request, audience_id: UUID) -> Response:
        changed = audience_update(audience_id=audience_id, **self.read(AudienceChange))
        return Response(audience_shown(changed))

    @operation(
        "Delete an audience",
        tag=TAG,
        may=May.GRANT_ACCESS,
        status=204,
        description="What was granted to it is no longer seen by those in it.",
    )
    def delete(self, request: Request, audience_id: UUID) -> Response:
        audience_delete(audience_id=audience_id)
        return Response(status=204)


class AudienceEndUsers(ApiView):
    """Who is in an audience."""

    @operation(
        "List who is in an audience",
        tag=TAG,
        may=May.GRANT_ACCESS,
        answers=EndUserOutput,
        paged=True,
        example=PERSON,
    )
    def get(self, request: Request, audience_id: UUID) -> Response:
        inside = EndUserAudience.objects.filter(audience=access_audience(audience_id)).values("end_user_id")
        rows = with_audiences(EndUser.objects.filter(pk__in=inside))
        return self.page(rows, end_user_shown, by=("created_at", "id"))

    @operation(
        "Put somebody into an audience",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=JoiningInput,
        answers=EndUserOutput,
        repeatable=True,
        sends={"end_user": "patient-7"},
        example=PERSON,
    )
    def post(self, request: Request, audience_id: UUID) -> Response:
        known_as = self.read(JoiningInput)["end_user"]
        joined = audience_add(audience=access_audience(audience_id), known_as=known_as)
        return Response(end_user_shown(joined))


class AudienceEndUserDetail(ApiView):
    """One person in an audience."""

    @operation("Take somebody out of an audience", tag=TAG, may=May.GRANT_ACCESS, status=204)
    def delete(self, request: Request, audience_id: UUID, end_user_id: UUID) -> Response:
        audience_remove(audience=access_audience(audience_id), end_user_id=end_user_id)
        return Response(status=204)


class EndUsers(ApiView):
    """Everybody who has chatted, or was named."""

    @operation(
        "List end users",
        tag=TAG,
        may=May.GRANT_ACCESS,
        query=EndUserQuery,
        answers=EndUserOutput,
        paged=True,
        description="The newest first.",
        example=PERSON,
    )
    def get(self, request: Request) -> Response:
        asked, rows = self.asked(EndUserQuery), EndUser.objects.all()
        if kind := asked.get("kind"):
            rows = rows.filter(kind=kind)
        if subject := asked.get("subject"):
            rows = rows.filter(subject__in=(IDENTIFIED + subject, subject))
        if search := asked.get("search"):
            rows = rows.filter(Q(subject__icontains=search) | Q(name__icontains=search))
        return self.page(with_audiences(rows), end_user_shown, by=("-created_at", "id"))

    @operation(
        "Make or change an end user",
        tag=TAG,
        may=May.GRANT_ACCESS,
        takes=EndUserField,
        answers=EndUserOutput,
        repeatable=True,
        description="By subject: who is known already is changed. Named audiences are those the person is in from now on.",
        sends={"subject": "patient-7", "name": "Ada", "audiences": ["nurses"]},
        example=PERSON,
    )
    def post(self, request: Request) -> Response:
        return Response(end_user_shown(end_user_for_subject(**self.read(EndUserField))))


class EndUserDetail(ApiView):
    """One end user."""

    @operation("Read an end user", tag=TAG, may=May.GRANT_ACCESS, answers=EndUserOutput, example=PERSON)
    def get(self, request: Request, end_user_id: UUID) -> Response:
        end_user = EndUser.objects.filter(pk=end_user_id).first()
        if end_user is None:
            raise NotFound(what="end user")
        return Response(end_user_shown(end_user))
