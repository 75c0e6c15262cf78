"""The workspace itself."""

from __future__ import annotations

from django.db import transaction
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.models import Retention, Tenant
from tenants.rest.etags import check_unchanged
from tenants.rest.fields import Choice, Flag, Input, Output, Text, Whole, shown
from tenants.rest.operations import ANYBODY_KNOWN, operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services import retention_set
from tenants.services.people import LONGEST_RETENTION_DAYS
from tenants.services.workspace import MOST_QUESTIONS, workspace_update

TAG = "Workspace"
EXAMPLE = {
    "id": "d0c7f6a0-0f3b-4f1f-8a87-3a5f3e1d2c4b",
    "slug": "hospital",
    "name": "City hospital",
    "tagline": "Answers for patients and visitors",
    "greeting": "How can I help?",
    "suggested_questions": ["When are visiting hours?"],
    "accent": "#0f766e",
    "anonymous_chat": True,
    "retention": {"mode": "days", "days": 90},
    "created_at": "2026-11-01T08:00:00Z",
}


class WorkspaceChange(Input):
    name = Text(max_length=120, required=False)
    tagline = Text(max_length=200, required=False, allow_blank=True)
    greeting = Text(max_length=300, required=False, allow_blank=True)
    suggested_questions = serializers.ListField(
        child=Text(max_length=200), max_length=MOST_QUESTIONS, required=False
    )
    accent = serializers.RegexField(r"^#[0-9a-fA-F]{6}$", required=False)
    anonymous_chat = Flag(required=False, help_text="May visitors chat without signing in?")


class RetentionInput(Input):
    mode = Choice(Retention.choices)
    days = Whole(
        min_value=1, max_value=LONGEST_RETENTION_DAYS, required=False, help_text="Where the mode is days."
    )


class RetentionOutput(Output):
    mode = serializers.ChoiceField(Retention.choices)
    days = serializers.IntegerField(allow_null=True)


class WorkspaceOutput(Output):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    tagline = serializers.CharField(allow_blank=True)
    greeting = serializers.CharField(allow_blank=True)
    suggested_questions = serializers.ListField(child=serializers.CharField())
    accent = serializers.CharField()
    anonymous_chat = serializers.BooleanField()
    retention = serializers.SerializerMethodField(help_text="How long conversations are kept.")
    created_at = serializers.DateTimeField()

    @extend_schema_field(RetentionOutput)
    def get_retention(self, tenant: Tenant) -> JsonObject:
        days = tenant.retention_days if tenant.retention == Retention.DAYS else None
        return {"mode": tenant.retention, "days": days}


def workspace_shown(tenant: Tenant) -> JsonObject:
    return shown(WorkspaceOutput(tenant))


class Workspace(ApiView):
    """The workspace that the caller works for."""

    @operation(
        "Read the workspace", tag=TAG, may=ANYBODY_KNOWN, answers=WorkspaceOutput, etag=True, example=EXAMPLE
    )
    def get(self, request: Request) -> Response:
        return Response(workspace_shown(self.caller.tenant))

    @operation(
        "Change the workspace",
        tag=TAG,
        may=May.MANAGE_WIDGET,
        takes=WorkspaceChange,
        answers=WorkspaceOutput,
        if_match=True,
        sends={"greeting": "How can I help?"},
        example=EXAMPLE,
    )
    @transaction.atomic
    def patch(self, request: Request) -> Response:
        tenant = Tenant.objects.select_for_update().get(pk=self.caller.tenant.pk)
        check_unchanged(request, workspace_shown(tenant))
        return Response(workspace_shown(workspace_update(**self.read(WorkspaceChange))))


class WorkspaceRetention(ApiView):
    """How long conversations are kept."""

    @operation(
        "Set the retention",
        tag=TAG,
        may=May.MANAGE_DATA,
        takes=RetentionInput,
        answers=WorkspaceOutput,
        description="What is older than is kept is deleted for good, soon.",
        sends={"mode": "days", "days": 90},
        example=EXAMPLE,
    )
    def put(self, request: Request) -> Response:
        retention_set(tenant_id=self.caller.tenant.pk, **self.read(RetentionInput))
        return Response(workspace_shown(Tenant.objects.get(pk=self.caller.tenant.pk)))
