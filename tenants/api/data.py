"""The workspace's data as a whole: archives to take away, and people who are to be forgotten."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from tenants.models import DataExport, Erasure, ErasureState, ExportState
from tenants.rest.end_users import known_end_user
from tenants.rest.fields import Input, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.exports import access_export, exports_list
from tenants.services.end_users import IDENTIFIED
from tenants.services.erasing import end_user_erase_request
from tenants.services.exports import export_delete, export_open, export_request

TAG = "Data"
EXPORT = {
    "id": "2d7e5c1f-7b1a-4a9c-9e3b-0c1d2e3f4a5b",
    "end_user": None,
    "state": "ready",
    "progress": 1.0,
    "reason": "",
    "bytes": 1048576,
    "created_at": "2026-11-30T08:00:00Z",
    "finished_at": "2026-11-30T08:01:00Z",
    "expires_at": "2026-12-07T08:01:00Z",
}
ERASURE = {
    "id": "f1e2d3c4-b5a6-4789-8abc-def012345678",
    "state": "done",
    "progress": 1.0,
    "counts": {"conversations.Turn": 12},
    "created_at": "2026-11-30T08:00:00Z",
    "finished_at": "2026-11-30T08:00:05Z",
}


class ExportInput(Input):
    end_user = Text(
        max_length=200, required=False, help_text="Subject of one end user; everything when left out."
    )


class ExportOutput(Output):
    id = serializers.UUIDField()
    end_user = serializers.SerializerMethodField(help_text="Whose; null for the whole workspace.")
    state = serializers.ChoiceField(ExportState.choices)
    progress = serializers.FloatField(help_text="0 to 1.")
    reason = serializers.CharField(allow_blank=True, help_text="Why it failed.")
    bytes = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)

    def get_end_user(self, export: DataExport) -> str | None:
        return export.subject.removeprefix(IDENTIFIED) or None


class ErasureOutput(Output):
    id = serializers.UUIDField()
    state = serializers.ChoiceField(ErasureState.choices)
    progress = serializers.FloatField(help_text="0 to 1.")
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="What is gone, by kind.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


def export_shown(export: DataExport) -> JsonObject:
    return shown(ExportOutput(export))


def erasure_shown(erasure: Erasure) -> JsonObject:
    return shown(ErasureOutput(erasure))


class Exports(ApiView):
    """Archives of the workspace's data."""

    @operation(
        "List archives",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers=ExportOutput,
        paged=True,
        etag=True,
        example=EXPORT,
    )
    def get(self, request: Request) -> Response:
        return self.page(exports_list(), export_shown, by=("-created_at", "id"))

    @operation(
        "Ask for an archive",
        tag=TAG,
        may=May.MANAGE_DATA,
        takes=ExportInput,
        answers=ExportOutput,
        status=202,
        repeatable=True,
        description="Of everything, or of one end user. It is made in the background and kept for a week.",
        sends={"end_user": "patient-7"},
        example={**EXPORT, "state": "waiting", "end_user": "patient-7"},
    )
    def post(self, request: Request) -> Response:
        named = self.read(ExportInput).get("end_user")
        subject = known_end_user(named, anybody=True).subject if named else ""
        user = self.caller.user
        made = export_request(subject=subject, requested_by=user.pk if user else None)
        return Response(export_shown(made), status=202)


class ExportDetail(ApiView):
    """One archive."""

    @operation(
        "Read an archive's state",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers=ExportOutput,
        etag=True,
        example=EXPORT,
    )
    def get(self, request: Request, export_id: UUID) -> Response:
        return Response(export_shown(access_export(export_id)))

    @operation("Delete an archive", tag=TAG, may=May.MANAGE_DATA, status=204)
    def delete(self, request: Request, export_id: UUID) -> Response:
        export_delete(export_id=export_id)
        return Response(status=204)


class ExportArchive(ApiView):
    """The archive itself."""

    @operation(
        "Fetch an archive",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers={(200, "application/zip"): OpenApiTypes.BINARY},
        description="A ZIP. That it was fetched is in the audit log.",
    )
    def get(self, request: Request, export_id: UUID) -> Any:
        caller = self.caller
        scopes = caller.key.scopes if caller.key is not None else ()
        name, file = export_open(export_id=export_id, role=caller.role, scopes=scopes)
        return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


class EndUserErasure(ApiView):
    """An end user, forgotten."""

    @operation(
        "Erase an end user",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers=ErasureOutput,
        status=202,
        repeatable=True,
        description=(
            "Their conversations, memory, audiences and archives, for good, in the background. The receipt says what "
            "and how much is gone, and not whose it was."
        ),
        example={**ERASURE, "state": "waiting", "progress": 0.0, "counts": {}, "finished_at": None},
    )
    def post(self, request: Request, end_user_id: UUID) -> Response:
        return Response(erasure_shown(end_user_erase_request(end_user_id=end_user_id)), status=202)


class Erasures(ApiView):
    """Receipts of erasures."""

    @operation(
        "List erasures",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers=ErasureOutput,
        paged=True,
        etag=True,
        example=ERASURE,
    )
    def get(self, request: Request) -> Response:
        return self.page(Erasure.objects.all(), erasure_shown, by=("-created_at", "id"))


class ErasureDetail(ApiView):
    """One receipt."""

    @operation(
        "Read an erasure's receipt",
        tag=TAG,
        may=May.MANAGE_DATA,
        answers=ErasureOutput,
        etag=True,
        example=ERASURE,
    )
    def get(self, request: Request, erasure_id: UUID) -> Response:
        erasure = Erasure.objects.filter(pk=erasure_id).first()
        if erasure is None:
            raise NotFound(what="erasure")
        return Response(erasure_shown(erasure))
