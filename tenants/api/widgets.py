"""Widgets on sites: where they may be embedded and how they look."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.errors import NotFound
from kernel.json import JsonObject
from tenants.models import WidgetKey
from tenants.rest.etags import check_unchanged
from tenants.rest.fields import Flag, Input, JsonObjectField, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.services import widget_keys as services

TAG = "Widgets"
EXAMPLE = {
    "id": "7a0c6f5d-35c0-4f0b-9a37-6a2f4e7d9c10",
    "name": "Patients' site",
    "public_key": "wk_…",
    "allowed_origins": ["https://hospital.example"],
    "look": {},
    "identified_only": False,
    "one_time_identities": False,
    "created_at": "2026-11-30T08:00:00Z",
    "revoked_at": None,
}


def _origins() -> serializers.ListField:
    return serializers.ListField(child=Text(max_length=300), max_length=services.MOST_ORIGINS, required=False)


class WidgetInput(Input):
    name = Text(max_length=80)
    allowed_origins = _origins()
    look = JsonObjectField(required=False, help_text="Colours, texts, position, language (docs/widget.md).")
    identified_only = Flag(required=False, help_text="Refuse visitors without a signed identity?")
    one_time_identities = Flag(required=False, help_text="Accept each signed identity once only?")


class WidgetChange(Input):
    name = Text(max_length=80, required=False)
    allowed_origins = _origins()
    look = JsonObjectField(required=False)
    identified_only = Flag(required=False)
    one_time_identities = Flag(required=False)


class WidgetOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    public_key = serializers.CharField(help_text="What a page names the widget by. It is no secret.")
    allowed_origins = serializers.ListField(child=serializers.CharField())
    look = JsonObjectField()
    identified_only = serializers.BooleanField()
    one_time_identities = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)


def widget_shown(widget: WidgetKey) -> JsonObject:
    return shown(WidgetOutput(widget))


def access_widget(key_id: UUID, *, lock: bool = False) -> WidgetKey:
    rows = WidgetKey.objects.select_for_update() if lock else WidgetKey.objects.all()
    widget = rows.filter(pk=key_id).first()
    if widget is None:
        raise NotFound(what="widget key")
    return widget


class Widgets(ApiView):
    """Every widget."""

    @operation(
        "List widgets", tag=TAG, may=May.MANAGE_WIDGET, answers=WidgetOutput, paged=True, example=EXAMPLE
    )
    def get(self, request: Request) -> Response:
        return self.page(WidgetKey.objects.all(), widget_shown, by=("name", "id"))

    @operation(
        "Make a widget",
        tag=TAG,
        may=May.MANAGE_WIDGET,
        takes=WidgetInput,
        answers=WidgetOutput,
        status=201,
        repeatable=True,
        sends={"name": "Patients' site", "allowed_origins": ["https://hospital.example"]},
        example=EXAMPLE,
    )
    def post(self, request: Request) -> Response:
        return Response(widget_shown(services.widget_key_create(**self.read(WidgetInput))), status=201)


class WidgetDetail(ApiView):
    """One widget."""

    @operation(
        "Read a widget", tag=TAG, may=May.MANAGE_WIDGET, answers=WidgetOutput, etag=True, example=EXAMPLE
    )
    def get(self, request: Request, key_id: UUID) -> Response:
        return Response(widget_shown(access_widget(key_id)))

    @operation(
        "Change a widget",
        tag=TAG,
        may=May.MANAGE_WIDGET,
        takes=WidgetChange,
        answers=WidgetOutput,
        if_match=True,
        sends={"allowed_origins": ["https://hospital.example", "https://www.hospital.example"]},
        example=EXAMPLE,
    )
    @transaction.atomic
    def patch(self, request: Request, key_id: UUID) -> Response:
        asked, widget = self.read(WidgetChange), access_widget(key_id, lock=True)
        check_unchanged(request, widget_shown(widget))
        return Response(widget_shown(widget_changed(widget, asked)))

    @operation(
        "Switch a widget off",
        tag=TAG,
        may=May.MANAGE_WIDGET,
        answers=WidgetOutput,
        description="For good: its conversations can no longer be gone on with through it.",
        example={**EXAMPLE, "revoked_at": "2026-11-30T09:00:00Z"},
    )
    def delete(self, request: Request, key_id: UUID) -> Response:
        return Response(widget_shown(services.widget_key_revoke(key_id=key_id)))


def widget_changed(widget: WidgetKey, asked: dict[str, Any]) -> WidgetKey:
    """Each kind of change has its own rules and its own entry in the log."""
    if "name" in asked:
        widget = services.widget_key_rename(key_id=widget.pk, name=asked["name"])
    if "allowed_origins" in asked:
        origins = asked["allowed_origins"]
        widget = services.widget_key_origins_set(key_id=widget.pk, allowed_origins=origins)
    if "look" in asked:
        widget = services.widget_key_look_set(key_id=widget.pk, look=asked["look"])
    whom = {
        name: asked.get(name, getattr(widget, name)) for name in ("identified_only", "one_time_identities")
    }
    return services.widget_key_visitors_set(key_id=widget.pk, **whom)
