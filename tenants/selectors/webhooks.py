"""Reading webhooks and what was delivered to them."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import DeliveryState, Webhook, WebhookDelivery


def webhooks_list() -> QuerySet[Webhook]:
    return Webhook.objects.all()


def access_webhook(webhook_id: UUID, *, lock: bool = False) -> Webhook:
    """Raises `NotFound`."""
    hooks = Webhook.objects.select_for_update() if lock else Webhook.objects.all()
    hook = hooks.filter(pk=webhook_id).first()
    if hook is None:
        raise NotFound(what="webhook")
    return hook


def deliveries_list(*, webhook_id: UUID, state: str = "") -> QuerySet[WebhookDelivery]:
    """The log of a webhook, newest first. Raises `NotFound`."""
    log = WebhookDelivery.objects.filter(webhook=access_webhook(webhook_id))
    return log.filter(state=state) if state else log


def deliveries_waiting() -> QuerySet[WebhookDelivery]:
    """What is to be sent, the next first."""
    waiting = Q(state=DeliveryState.WAITING, webhook__enabled=True)
    return WebhookDelivery.objects.filter(waiting).order_by("next_at")


def deliveries_due() -> QuerySet[WebhookDelivery]:
    """What is to be sent now, the longest waiting first."""
    return deliveries_waiting().filter(next_at__lte=now())
