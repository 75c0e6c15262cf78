"""Telling a tenant's own programs what happened. How it is sent is in `deliveries`; docs/webhooks.md is for receivers."""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import transaction

from kernel.addresses import is_public
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from kernel.json import JsonObject
from tenants.events import EVENTS, PING
from tenants.models import DeliveryState, Webhook, WebhookDelivery
from tenants.scoping import current_tenant_id
from tenants.sealing import seal
from tenants.selectors.webhooks import access_webhook
from tenants.services.audit import audit_record
from tenants.services.fairness import wake

WEBHOOK_LIMIT = 20
SECRET_PREFIX = "whsec_"  # noqa: S105
OVERLAP = timedelta(hours=24)
WORK = "webhooks"


def webhook_notify(event: str, payload: JsonObject) -> None:
    """Tell every webhook that subscribed to the event: stored in the caller's transaction, sent after it."""
    if event not in EVENTS:
        raise ValueError(f"not an event: {event}")
    _store(Webhook.objects.filter(enabled=True, events__contains=[event]), event, payload)


@transaction.atomic
def webhook_create(*, url: str, events: Sequence[str]) -> tuple[Webhook, str]:
    """A new webhook with its secret, which is shown this once. Raises `Invalid`."""
    fields = {"url": check_url(url), "events": check_events(events)}
    if Webhook.objects.count() >= WEBHOOK_LIMIT:
        raise Invalid(reason=f"A workspace has at most {WEBHOOK_LIMIT} webhooks.")
    secret = _new_secret()
    hook = Webhook.objects.create(secret=seal(secret), **fields)
    audit_record("webhook.created", target=str(hook.pk), **fields)
    return hook, secret


@transaction.atomic
def webhook_update(
    *,
    webhook_id: UUID,
    url: str | None = None,
    events: Sequence[str] | None = None,
    enabled: bool | None = None,
) -> Webhook:
    """Change what is not None. Enabling starts with a clean record. Raises `NotFound`, `Invalid`."""
    hook = access_webhook(webhook_id, lock=True)
    changed: JsonObject = {}
    if url is not None:
        changed["url"] = check_url(url)
    if events is not None:
        changed["events"] = check_events(events)
    if enabled is not None:
        changed["enabled"] = enabled
    for name, value in changed.items():
        setattr(hook, name, value)
    if enabled:
        hook.failures, hook.disabled_reason = 0, ""
    hook.save(update_fields=[*changed, "failures", "disabled_reason"])
    audit_record("webhook.changed", target=str(hook.pk), **changed)
    return hook


@transaction.atomic
def webhook_delete(*, webhook_id: UUID) -> None:
    """Remove a webhook with its log. Raises `NotFound`."""
    hook = access_webhook(webhook_id, lock=True)
    url = hook.url
    hook.delete()
    audit_record("webhook.deleted", target=str(webhook_id), url=url)


@transaction.atomic
def webhook_secret_rotate(*, webhook_id: UUID) -> str:
    """A new secret, shown this once; the one before signs as well for a day. Raises `NotFound`."""
    hook = access_webhook(webhook_id, lock=True)
    secret = _new_secret()
    hook.previous_secret, hook.previous_until, hook.secret = hook.secret, now() + OVERLAP, seal(secret)
    hook.save(update_fields=["secret", "previous_secret", "previous_until"])
    audit_record("webhook.secret_rotated", target=str(hook.pk))
    return secret


@transaction.atomic
def webhook_ping(*, webhook_id: UUID) -> WebhookDelivery:
    """Send the test event; how it went is in the log. Raises `NotFound`, and `Invalid` for one that is disabled."""
    hook = access_webhook(webhook_id)
    if not hook.enabled:
        raise Invalid(reason="This webhook is switched off. Switch it on to test it.")
    return _store([hook], PING, {"webhook": str(hook.pk)})[0]


@transaction.atomic
def delivery_redeliver(*, delivery_id: UUID) -> WebhookDelivery:
    """Send an event once more, under its old id. Raises `NotFound`."""
    delivery = WebhookDelivery.objects.select_for_update().filter(pk=delivery_id).first()
    if delivery is None:
        raise NotFound(what="delivery")
    delivery.state, delivery.attempts, delivery.next_at = DeliveryState.WAITING, 0, now()
    delivery.save(update_fields=["state", "attempts", "next_at"])
    audit_record("webhook.redelivered", target=str(delivery.webhook_id), delivery=str(delivery.pk))
    _send_soon()
    return delivery


def check_events(events: Sequence[str]) -> list[str]:
    unknown = [event for event in events if event not in EVENTS]
    if unknown or not events:
        raise Invalid(reason=f"Choose from these events: {', '.join(EVENTS)}.")
    return sorted(set(events))


def check_url(url: str) -> str:
    """What can be told of an address at once; where its name leads is checked at every delivery. Raises `Invalid`."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise Invalid(reason="This is not an address.") from None
    schemes = ("https", "http") if settings.DEBUG else ("https",)
    if parts.scheme not in schemes or not host or len(url) > 500 or not url.isprintable() or " " in url:
        raise Invalid(reason="A webhook's address begins with https:// and has at most 500 characters.")
    if parts.username or parts.password or parts.fragment:
        raise Invalid(reason="A webhook's address has no user, password or fragment in it.")
    if not settings.DEBUG and not _may_be_public(host):
        raise Invalid(reason="This is not an address of the public internet.")
    return url


def _may_be_public(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" and not host.endswith((".localhost", ".local", ".internal"))
    return is_public(host)


def _new_secret() -> str:
    """In the form of the Standard Webhooks specification: 32 random bytes in base64 behind a prefix."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def _store(hooks: Iterable[Webhook], event: str, payload: JsonObject) -> list[WebhookDelivery]:
    moment = now()
    rows = [WebhookDelivery(webhook=hook, event=event, payload=payload, next_at=moment) for hook in hooks]
    if rows:
        WebhookDelivery.objects.bulk_create(rows)
        _send_soon()
    return rows


def _send_soon() -> None:
    transaction.on_commit(partial(wake, WORK, current_tenant_id()), robust=True)
