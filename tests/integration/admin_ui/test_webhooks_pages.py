"""Webhooks in the console: made, tested, changed, deleted; what was delivered, and sent again."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from kernel.clock import now
from tenants.models import AuditEntry, DeliveryState, Webhook, WebhookDelivery
from tenants.scoping import tenant_scope
from tenants.services.webhooks import webhook_create

pytestmark = pytest.mark.django_db
URL = "https://hooks.library.example/loans"


@pytest.fixture
def hook(scoped):
    return webhook_create(url=URL, events=["document.indexed"])[0]


def delivery(hook, **fields):
    values = {"event": "document.indexed", "payload": {}, "next_at": now(), **fields}
    return WebhookDelivery.objects.create(webhook=hook, **values)


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("seq").values_list("action", flat=True))


def test_a_secret_is_shown_once(scoped, browser):
    admin = browser(scoped, "admin")
    assert "No webhook yet" in admin.get("webhooks/").content.decode()
    made = admin.post("webhooks/new", {"url": URL, "events": ["turn.flagged", "quota.near"]})
    secret = re.search(r"whsec_[\w+/=]+", made.content.decode())[0]
    hook = Webhook.objects.get()
    assert hook.events == ["quota.near", "turn.flagged"] and "webhook.created" in actions()
    for path in ("webhooks/", f"webhooks/{hook.pk}/"):
        page = admin.get(path).content.decode()
        assert URL in page and secret not in page
    another = re.search(r"whsec_[\w+/=]+", admin.post(f"webhooks/{hook.pk}/secret").content.decode())[0]
    assert another != secret and "webhook.secret_rotated" in actions()


def test_what_cannot_be_is_said_and_the_form_keeps_what_was_written(scoped, browser):
    admin = browser(scoped, "admin")
    page = admin.post("webhooks/new", {"url": "http://library.example", "events": ["turn.flagged"]})
    text = page.content.decode()
    assert "begins with https://" in text and 'value="http://library.example"' in text
    assert re.search(r'value="turn.flagged" checked', text) and not Webhook.objects.exists()


def test_it_is_changed_switched_tested_and_deleted(hook, browser):
    admin, path = browser(hook.tenant, "admin"), f"webhooks/{hook.pk}/"
    admin.post(f"{path}change", {"url": f"{URL}/2", "events": ["document.failed"]})
    admin.post(f"{path}test")
    hook.refresh_from_db()
    assert (hook.url, hook.events) == (f"{URL}/2", ["document.failed"])
    assert WebhookDelivery.objects.get().event == "ping"
    admin.post(f"{path}switch", {"enabled": "no"})
    assert "Send a test" not in admin.get(path).content.decode()
    refused = admin.post(f"{path}test", follow=False)
    assert refused.status_code == 302 and WebhookDelivery.objects.count() == 1
    admin.post(f"{path}switch", {"enabled": "yes"})
    assert Webhook.objects.get().enabled
    admin.post(f"{path}delete")
    assert not Webhook.objects.exists() and not WebhookDelivery.objects.exists()
    assert actions().count("webhook.changed") == 3 and actions()[-1] == "webhook.deleted"


def test_the_log_says_what_was_answered_and_is_narrowed_by_state(hook, browser):
    delivery(hook, state=DeliveryState.DELIVERED, status=204, milliseconds=38, attempts=1)
    delivery(hook, status=503, reason="It answered 503.", attempts=2, next_at=now() + timedelta(hours=1))
    delivery(hook, state=DeliveryState.GIVEN_UP, reason="No such host.", attempts=11)
    admin, path = browser(hook.tenant, "admin"), f"webhooks/{hook.pk}/"
    page = admin.get(path).content.decode()
    assert "204" in page and "38 ms" in page and "503" in page and "No such host." in page
    for state, n in {"delivered": 1, "retrying": 1, "given_up": 1, "waiting": 0, "nonsense": 3}.items():
        shown = admin.get(f"{path}?state={state}").content.decode()
        assert len(re.findall(r"<strong>document.indexed</strong>", shown)) == n, state
    listed = admin.get("webhooks/").content.decode()
    assert "1 delivered" in listed and "2 failing" in listed


def test_a_delivery_is_sent_again_at_once(hook, browser):
    late = delivery(hook, status=503, attempts=4, next_at=now() + timedelta(hours=1))
    browser(hook.tenant, "admin").post(f"webhooks/{hook.pk}/deliveries/{late.pk}/again")
    late.refresh_from_db()
    assert late.next_at <= now() and late.attempts == 0 and actions()[-1] == "webhook.redelivered"


def test_the_rival_reaches_none_of_it(hook, rival, browser):
    one = delivery(hook)
    owner = browser(rival, "owner")
    assert URL not in owner.get("webhooks/").content.decode()
    assert owner.get(f"webhooks/{hook.pk}/").status_code == 404
    for action in ("change", "switch", "secret", "test", "delete", f"deliveries/{one.pk}/again"):
        owner.post(f"webhooks/{hook.pk}/{action}", {"enabled": "no", "url": URL, "events": ["turn.flagged"]})
    with tenant_scope(hook.tenant_id):
        assert Webhook.objects.get().enabled and WebhookDelivery.objects.get().next_at == one.next_at
        assert "webhook.redelivered" not in actions()
