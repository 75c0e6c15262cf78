"""Sending what webhooks are to be told: signed, tried again for a day, and given up then.

Signed as the Standard Webhooks specification says (standardwebhooks.com, 1.0): HMAC-SHA-256 over id, timestamp and body.
A delivery is claimed for a while before it is sent, outside of any transaction; a worker that dies leaves one that is
sent again, under the same id. A slow or failing address holds back its own deliveries for a while and nobody else's.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F

from kernel.clock import now
from tenants.adapters.webhook_post import Posted, post
from tenants.errors import SecretUnreadable
from tenants.models import DeliveryState, Webhook, WebhookDelivery
from tenants.sealing import unseal
from tenants.selectors.webhooks import deliveries_due, deliveries_waiting
from tenants.services.audit import audit_record
from tenants.services.webhooks import SECRET_PREFIX

PAUSES = (5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800)
"""Seconds between attempts: eleven attempts within about a day."""
GIVEN_UP_LIMIT = 5
"""Deliveries given up in a row after which a webhook is switched off."""
CLAIM = timedelta(seconds=30)
OTHERS_WAIT = timedelta(seconds=60)
"""How long, at most, other deliveries to an address wait after one has failed."""
SOON = timedelta(seconds=60)
"""What is due later is found by the sweep."""
KEPT = timedelta(days=30)
GONE = 410


def deliveries_serve() -> float | None:
    """Send the current tenant's longest waiting delivery. Says in how many seconds the next is due, if that is soon."""
    delivery = _claim()
    if delivery is None:
        return _next_due()
    try:
        posted = _send(delivery)
    except SecretUnreadable as error:
        posted = Posted(None, error.message[:300], 0)
    _record(delivery, posted)
    return _next_due()


def _next_due() -> float | None:
    soon = deliveries_waiting().filter(next_at__lt=now() + SOON).values_list("next_at", flat=True).first()
    return None if soon is None else max(0.0, (soon - now()).total_seconds())


def deliveries_forget() -> int:
    """Remove what was delivered or given up long ago; returns how many."""
    old = WebhookDelivery.objects.exclude(state=DeliveryState.WAITING).filter(created_at__lt=now() - KEPT)
    return old.delete()[0]


def signed(secret: str, *, id: str, timestamp: int, body: bytes) -> str:
    """The signature of a delivery under one secret."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    mac = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256)
    return "v1," + base64.b64encode(mac.digest()).decode()


@transaction.atomic
def _claim() -> WebhookDelivery | None:
    due = deliveries_due().select_related("webhook").select_for_update(of=("self",), skip_locked=True)
    delivery = due.first()
    if delivery is not None:
        delivery.attempts += 1
        delivery.next_at = now() + CLAIM
        delivery.save(update_fields=["attempts", "next_at"])
    return delivery


def _send(delivery: WebhookDelivery) -> Posted:
    body = _body(delivery)
    id, timestamp = str(delivery.pk), int(now().timestamp())
    signatures = [
        signed(secret, id=id, timestamp=timestamp, body=body) for secret in _secrets(delivery.webhook)
    ]
    headers = {
        "content-type": "application/json",
        "user-agent": "Antecedent-Webhooks/1",
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }
    return post(delivery.webhook.url, body, headers, loopback=settings.DEBUG)


def _body(delivery: WebhookDelivery) -> bytes:
    told = {"type": delivery.event, "timestamp": delivery.created_at.isoformat(), "data": delivery.payload}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def _secrets(hook: Webhook) -> list[str]:
    sealed = [hook.secret]
    if hook.previous_until is not None and hook.previous_until > now():
        sealed.append(hook.previous_secret)
    return [unseal(one) for one in sealed]


@transaction.atomic
def _record(delivery: WebhookDelivery, posted: Posted) -> None:
    """The webhook's row is locked first: several workers may send to it."""
    hook = Webhook.objects.select_for_update().filter(pk=delivery.webhook_id).first()
    if hook is None:
        return
    told = {"status": posted.status, "reason": posted.reason, "milliseconds": posted.milliseconds}
    if not posted.reason:
        _set(delivery, **told, state=DeliveryState.DELIVERED, delivered_at=now())
        Webhook.objects.filter(pk=hook.pk, failures__gt=0).update(failures=0)
    elif posted.status == GONE:
        _set(delivery, **told, state=DeliveryState.GIVEN_UP)
        _switch_off(hook, "The address answered that it is gone (410).")
    elif delivery.attempts > len(PAUSES):
        _set(delivery, **told, state=DeliveryState.GIVEN_UP)
        _given_up(hook)
    else:
        pause = timedelta(seconds=PAUSES[delivery.attempts - 1] * random.uniform(1.0, 1.2))  # noqa: S311
        _set(delivery, **told, next_at=now() + pause)
        _hold_back(hook, min(pause, OTHERS_WAIT))


def _set(delivery: WebhookDelivery, **fields: Any) -> None:
    WebhookDelivery.objects.filter(pk=delivery.pk).update(**fields)


def _hold_back(hook: Webhook, pause: timedelta) -> None:
    """An address that failed is not asked again at once for its other deliveries."""
    until = now() + pause
    others = WebhookDelivery.objects.filter(webhook=hook, state=DeliveryState.WAITING, next_at__lt=until)
    others.update(next_at=until)


def _given_up(hook: Webhook) -> None:
    Webhook.objects.filter(pk=hook.pk).update(failures=F("failures") + 1)
    if hook.failures + 1 >= GIVEN_UP_LIMIT:
        _switch_off(hook, f"{hook.failures + 1} events in a row could not be delivered for a day.")


def _switch_off(hook: Webhook, reason: str) -> None:
    Webhook.objects.filter(pk=hook.pk).update(enabled=False, disabled_reason=reason)
    audit_record("webhook.switched_off", target=str(hook.pk), url=hook.url, reason=reason)
