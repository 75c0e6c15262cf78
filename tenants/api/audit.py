"""The audit log: read, check, take away."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.models import AuditEntry
from tenants.rest.fields import JsonObjectField, Output, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.audit import audit_export, audit_verify

TAG = "Audit log"
ENTRY = {
    "seq": 42,
    "at": "2026-11-30T08:00:00Z",
    "actor": "user",
    "actor_id": "7",
    "actor_label": "ada@hospital.example",
    "action": "key.created",
    "target": "0f2c9b1e-64d6-4d3e-a6a8-5b8c6f3a9e21",
    "data": {"scopes": ["ingest"]},
    "previous": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
    "hash": "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35",
}


class EntryOutput(Output):
    seq = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="user, key, staff, system or end_user.")
    actor_id = serializers.CharField(allow_blank=True)
    actor_label = serializers.CharField(allow_blank=True)
    action = serializers.CharField()
    target = serializers.CharField(allow_blank=True)
    data = JsonObjectField()  # type: ignore[assignment]
    previous = serializers.CharField(allow_blank=True)
    hash = serializers.CharField()


class LogQuery(serializers.Serializer):  # type: ignore[type-arg]
    action = serializers.CharField(
        max_length=60, required=False, help_text="Exactly this one, such as key.created."
    )


class AfterQuery(serializers.Serializer):  # type: ignore[type-arg]
    after = serializers.IntegerField(
        min_value=0, max_value=2**62, required=False, help_text="Entries after this number."
    )


class BreakOutput(Output):
    seq = serializers.IntegerField()
    reason = serializers.CharField()
    detail = serializers.CharField()


class AnchorOutput(Output):
    seq = serializers.IntegerField()
    hash = serializers.CharField(allow_blank=True)
    seal = serializers.CharField()


class VerdictOutput(Output):
    entries = serializers.IntegerField()
    broken = BreakOutput(many=True)
    anchor = AnchorOutput(
        allow_null=True, help_text="The log's end, to be kept elsewhere; null when it is broken."
    )


def entry_shown(entry: AuditEntry) -> JsonObject:
    return shown(EntryOutput(entry))


class AuditLog(ApiView):
    """Every change, by whom."""

    @operation(
        "Read the audit log",
        tag=TAG,
        may=May.READ_AUDIT_LOG,
        query=LogQuery,
        answers=EntryOutput,
        paged=True,
        etag=True,
        description="The newest first.",
        example=ENTRY,
    )
    def get(self, request: Request) -> Response:
        rows, asked = AuditEntry.objects.all(), self.asked(LogQuery)
        rows = rows.filter(action=asked["action"]) if "action" in asked else rows
        return self.page(rows, entry_shown, by=("-seq", "id"))


class AuditVerification(ApiView):
    """Whether the log is whole."""

    @operation(
        "Verify the audit log",
        tag=TAG,
        may=May.READ_AUDIT_LOG,
        answers=VerdictOutput,
        description="Follows the chain from its beginning: any edit, gap or missing end is found.",
        example={"entries": 42, "broken": [], "anchor": {"seq": 42, "hash": ENTRY["hash"], "seal": "…"}},
    )
    def get(self, request: Request) -> Response:
        found = audit_verify()
        anchor = asdict(found.anchor) if found.anchor else None
        return Response(
            {"entries": found.entries, "broken": [asdict(one) for one in found.broken], "anchor": anchor}
        )


class AuditExport(ApiView):
    """The log to take away."""

    @operation(
        "Export the audit log",
        tag=TAG,
        may=May.READ_AUDIT_LOG,
        query=AfterQuery,
        answers={(200, "application/x-ndjson"): OpenApiTypes.STR},
        description="JSON lines, the oldest first, each with its hash.",
    )
    def get(self, request: Request) -> Any:
        lines = audit_export(after=self.asked(AfterQuery).get("after", 0))
        response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
        response.headers["Content-Disposition"] = 'attachment; filename="audit-log.jsonl"'
        return response
