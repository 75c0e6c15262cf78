"""Webhooks and what was delivered to them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.events import EVENTS
from tenants.models import DeliveryState, Webhook, WebhookDelivery
from tenants.rest.fields import Choice, Flag, Input, JsonObjectField, Output, Text, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.webhooks import access_webhook, deliveries_list, webhooks_list
from tenants.services import webhooks as services

TAG = "Webhooks"
HOOK = {
    "id": "4d1b3d2e-0c44-4a7e-9d0f-7a1a0b2c3d4e",
    "url": "https://hospital.example/hooks/antecedent",
    "events": ["document.failed", "document.indexed"],
    "enabled": True,
    "failures": 0,
    "disabled_reason": "",
    "created_at": "2026-11-30T08:00:00Z",
}
DELIVERY = {
    "id": "90a7c6b5-9f1e-4b2a-8a77-5c4d3e2f1a0b",
    "webhook": HOOK["id"],
    "event": "document.indexed",
    "payload": {"document": "0d9b8a3c-52d4-4e0f-b8c5-5d0a8a3f3c11"},
    "state": "delivered",
    "attempts": 1,
    "status": 200,
    "reason": "",
    "created_at": "2026-11-30T08:15:04Z",
    "delivered_at": "2026-11-30T08:15:05Z",
}


def _events(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=Choice(list(EVENTS)), min_length=1, max_length=20, **options)


class WebhookInput(Input):
    url = Text(max_length=500)
    events = _events()


class WebhookChange(Input):
    url = Text(max_length=500, required=False)
    events = _events(required=False)
    enabled = Flag(required=False)


class WebhookOutput(Output):
    id = serializers.UUIDField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    enabled = serializers.BooleanField()
    failures = serializers.IntegerField(help_text="Deliveries given up in a row.")
    disabled_reason = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()


class SecretShown(Output):
    secret = serializers.CharField(help_text="What deliveries are signed with. It is shown this once.")


class NewWebhookOutput(Output):
    webhook = WebhookOutput()
    secret = serializers.CharField(help_text="What deliveries are signed with. It is shown this once.")


class DeliveryOutput(Output):
    id = serializers.UUIDField()
    webhook = serializers.UUIDField(source="webhook_id")
    event = serializers.CharField()
    payload = JsonObjectField()
    state = serializers.ChoiceField(DeliveryState.choices)
    attempts = serializers.IntegerField()
    status = serializers.IntegerField(allow_null=True, help_text="HTTP status of the last answer.")
    reason = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    delivered_at = serializers.DateTimeField(allow_null=True)


class DeliveryQuery(serializers.Serializer):  # type: ignore[type-arg]
    state = serializers.ChoiceField(DeliveryState.choices, required=False)


def webhook_shown(hook: Webhook) -> JsonObject:
    return shown(WebhookOutput(hook))


def delivery_shown(delivery: WebhookDelivery) -> JsonObject:
    return shown(DeliveryOutput(delivery))


class Webhooks(ApiView):
    """Every webhook."""

    @operation(
        "List webhooks", tag=TAG, may=May.MANAGE_WEBHOOKS, answers=WebhookOutput, paged=True, example=HOOK
    )
    def get(self, request: Request) -> Response:
        return self.page(webhooks_list(), webhook_shown, by=("-created_at", "id"))

    @operation(
        "Make a webhook",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        takes=WebhookInput,
        answers=NewWebhookOutput,
        status=201,
        repeatable=True,
        sends={"url": HOOK["url"], "events": HOOK["events"]},
        example={"webhook": HOOK, "secret": "whsec_…"},
    )
    def post(self, request: Request) -> Response:
        hook, secret = services.webhook_create(**self.read(WebhookInput))
        return Response({"webhook": webhook_shown(hook), "secret": secret}, status=201)


class WebhookDetail(ApiView):
    """One webhook."""

    @operation(
        "Read a webhook", tag=TAG, may=May.MANAGE_WEBHOOKS, answers=WebhookOutput, etag=True, example=HOOK
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        return Response(webhook_shown(access_webhook(webhook_id)))

    @operation(
        "Change a webhook",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        takes=WebhookChange,
        answers=WebhookOutput,
        sends={"enabled": True},
        example=HOOK,
    )
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        changed = services.webhook_update(webhook_id=webhook_id, **self.read(WebhookChange))
        return Response(webhook_shown(changed))

    @operation("Delete a webhook", tag=TAG, may=May.MANAGE_WEBHOOKS, status=204, description="With its log.")
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        services.webhook_delete(webhook_id=webhook_id)
        return Response(status=204)


class WebhookSecret(ApiView):
    """A new secret of a webhook."""

    @operation(
        "Change a webhook's secret",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        answers=SecretShown,
        repeatable=True,
        description="For a day the old one signs as well.",
        example={"secret": "whsec_…"},
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        return Response({"secret": services.webhook_secret_rotate(webhook_id=webhook_id)})


class WebhookTest(ApiView):
    """A test event."""

    @operation(
        "Test a webhook",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        answers=DeliveryOutput,
        status=202,
        example={**DELIVERY, "event": "ping", "state": "waiting"},
    )
    def post(self, request: Request, webhook_id: UUID) -> Response:
        return Response(delivery_shown(services.webhook_ping(webhook_id=webhook_id)), status=202)


class Deliveries(ApiView):
    """What was sent to a webhook."""

    @operation(
        "List deliveries",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        query=DeliveryQuery,
        answers=DeliveryOutput,
        paged=True,
        etag=True,
        description="The newest first.",
        example=DELIVERY,
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        log = deliveries_list(webhook_id=webhook_id, state=self.asked(DeliveryQuery).get("state", ""))
        return self.page(log, delivery_shown, by=("-created_at", "id"))


class Redelivery(ApiView):
    """An event, sent once more."""

    @operation(
        "Deliver once more",
        tag=TAG,
        may=May.MANAGE_WEBHOOKS,
        answers=DeliveryOutput,
        status=202,
        description="Under its old id.",
        example={**DELIVERY, "state": "waiting"},
    )
    def post(self, request: Request, delivery_id: UUID) -> Response:
        return Response(delivery_shown(services.delivery_redeliver(delivery_id=delivery_id)), status=202)
