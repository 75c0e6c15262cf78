"""A tenant's programs are told what happened: signed, once more when they fail, and never at others' expense."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import timedelta

import pytest
from django.db import transaction

from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants import tasks
from tenants.adapters import webhook_post
from tenants.events import EVENTS
from tenants.models import AuditEntry, Webhook, WebhookDelivery
from tenants.scoping import no_scope, tenant_scope
from tenants.selectors.webhooks import deliveries_list
from tenants.services import deliveries
from tenants.services.deliveries import PAUSES, deliveries_forget, deliveries_serve
from tenants.services.webhooks import (
    WEBHOOK_LIMIT,
    delivery_redeliver,
    webhook_create,
    webhook_delete,
    webhook_notify,
    webhook_ping,
    webhook_secret_rotate,
    webhook_update,
)
from tests.integration.tenants.outages import at_once
from tests.integration.tenants.receivers import receiving

pytestmark = pytest.mark.django_db(transaction=True)
DAY = 24 * 3600


@pytest.fixture
def receiver(settings):
    """On this machine, which only development may tell."""
    settings.DEBUG = True
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def hook(scoped, receiver):
    hook, secret = webhook_create(url=receiver.url + "hook?of=clinic", events=["document.indexed"])
    hook.shown = secret
    return hook


def notify(**payload) -> WebhookDelivery:
    webhook_notify("document.indexed", payload or {"document": "d-1"})
    return WebhookDelivery.objects.first()


def make_due() -> None:
    WebhookDelivery.objects.filter(state="waiting").update(next_at=now())


def signature(secret: str, received) -> str:
    """As a receiver computes it, from the specification alone."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = (
        f"{received.headers['webhook-id']}.{received.headers['webhook-timestamp']}.".encode() + received.body
    )
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_what_happened_arrives_signed(hook, receiver):
    delivery = notify(document="d-1", title="Öffnungszeiten")
    assert deliveries_serve() is None
    (got,) = receiver.got
    assert got.path == "/hook?of=clinic"
    assert got.headers["webhook-id"] == str(delivery.pk)
    assert abs(int(got.headers["webhook-timestamp"]) - now().timestamp()) < 60
    assert got.headers["webhook-signature"] == signature(hook.shown, got)
    told = json.loads(got.body)
    assert (told["type"], told["data"]) == (
        "document.indexed",
        {"document": "d-1", "title": "Öffnungszeiten"},
    )
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 200, 1)
    assert delivery.reason == "" and delivery.delivered_at is not None


def test_the_signature_is_the_one_of_the_specification():
    """The example of the specification's reference libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    made = deliveries.signed(secret, id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=body)
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_secret_is_shown_once_and_kept_sealed(hook):
    stored = Webhook.objects.values_list("secret", flat=True).get()
    assert hook.shown not in stored and len(base64.b64decode(hook.shown.removeprefix("whsec_"))) == 32
    entry = AuditEntry.objects.first()
    assert entry.action == "webhook.created" and hook.shown not in json.dumps(entry.data)


def test_after_a_change_of_secrets_both_sign_for_a_day(hook, receiver):
    fresh = webhook_secret_rotate(webhook_id=hook.pk)
    notify()
    deliveries_serve()
    Webhook.objects.update(previous_until=now() - timedelta(seconds=1))
    notify()
    deliveries_serve()
    first, second = receiver.got
    assert first.headers["webhook-signature"].split() == [
        signature(fresh, first),
        signature(hook.shown, first),
    ]
    assert second.headers["webhook-signature"] == signature(fresh, second)


def test_only_those_are_told_who_asked_for_it(hook, receiver, rival):
    webhook_notify("document.failed", {"document": "d-1"})
    webhook_update(webhook_id=hook.pk, enabled=False)
    webhook_notify("document.indexed", {"document": "d-1"})
    with tenant_scope(rival.id):
        webhook_create(url=receiver.url, events=list(EVENTS))
        assert deliveries_serve() is None
    assert WebhookDelivery.objects.count() == 0 and receiver.got == []


def test_what_was_rolled_back_is_told_to_nobody(hook):
    with pytest.raises(RuntimeError), transaction.atomic():
        notify()
        raise RuntimeError
    assert WebhookDelivery.objects.count() == 0


def test_a_failing_address_is_asked_again_for_a_day_and_then_given_up(hook, receiver, monkeypatch):
    monkeypatch.setattr(deliveries.random, "uniform", lambda low, high: low)
    receiver.status = 503
    delivery = notify()
    waits = []
    for _ in range(len(PAUSES) + 1):
        make_due()
        before = now()
        deliveries_serve()
        delivery.refresh_from_db()
        assert delivery.status == 503 and "status 503" in delivery.reason
        if delivery.state == "waiting":
            waits.append(round((delivery.next_at - before).total_seconds()))
    assert waits == list(PAUSES)
    assert 0.9 * DAY < sum(waits) < 1.1 * DAY
    assert (delivery.state, delivery.attempts) == ("given_up", len(PAUSES) + 1)
    assert len(receiver.got) == len(PAUSES) + 1
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1
    make_due()
    assert deliveries_serve() is None


def test_after_so_many_given_up_in_a_row_it_is_switched_off_and_the_audit_log_says_so(hook, receiver):
    receiver.status = 500
    for number in range(1, 6):
        assert Webhook.objects.get().enabled
        delivery = notify()
        WebhookDelivery.objects.filter(pk=delivery.pk).update(attempts=len(PAUSES), next_at=now())
        deliveries_serve()
        assert Webhook.objects.get().failures == number
    off = Webhook.objects.get()
    assert not off.enabled and "5 events in a row" in off.disabled_reason
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.target) == ("webhook.switched_off", str(hook.pk))
    webhook_update(webhook_id=hook.pk, enabled=True)
    on = Webhook.objects.get()
    assert (on.enabled, on.failures, on.disabled_reason) == (True, 0, "")


def test_one_that_arrives_begins_the_count_anew(hook, receiver):
    Webhook.objects.update(failures=4)
    notify()
    deliveries_serve()
    assert Webhook.objects.get().failures == 0


def test_an_address_that_is_gone_for_good_is_switched_off_at_once(hook, receiver):
    receiver.status = 410
    notify()
    deliveries_serve()
    assert not Webhook.objects.get().enabled
    assert WebhookDelivery.objects.get().state == "given_up"


def test_a_redirect_is_not_followed(hook, receiver):
    receiver.status = 302
    delivery = notify()
    deliveries_serve()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.state, len(receiver.got)) == (302, "waiting", 1)


@pytest.mark.parametrize("how", ["silent", "drips"])
def test_a_slow_address_is_given_seconds_and_holds_back_only_its_own(hook, receiver, monkeypatch, how):
    monkeypatch.setattr(webhook_post.post, "__kwdefaults__", {"seconds": 0.5, "loopback": False})
    setattr(receiver, how, True)
    for _ in range(50):
        notify()
    with receiving() as quick:
        other, _ = webhook_create(url=quick.url, events=["document.indexed"])
        notify()
        while deliveries_serve() == 0:
            pass
        assert [got.headers["webhook-id"] for got in quick.got] == [
            str(row.pk) for row in deliveries_list(webhook_id=other.pk)
        ]
    assert len(receiver.got) == 1
    slow = deliveries_list(webhook_id=hook.pk)
    assert "No answer within 0 seconds" in slow.get(attempts=1).reason
    assert slow.filter(state="waiting", next_at__gt=now()).count() == 51


def test_a_slow_tenant_does_not_hold_up_another(hook, receiver, rival, monkeypatch):
    """By turns: of the slow tenant's many deliveries at most one is tried before the other's only one."""
    monkeypatch.setattr(webhook_post.post, "__kwdefaults__", {"seconds": 0.3, "loopback": False})
    receiver.silent = True
    hooks = [webhook_create(url=receiver.url, events=["document.indexed"])[0] for _ in range(9)]
    notify()
    with receiving() as quick, tenant_scope(rival.id):
        webhook_create(url=quick.url, events=["document.indexed"])
        notify()
        with no_scope():
            tasks.webhooks_work("")
        assert len(quick.got) == 1
    tried = WebhookDelivery.objects.filter(attempts=1).count()
    assert 1 <= tried < len(hooks)


def test_no_delivery_is_sent_twice_by_workers_at_once(hook, receiver):
    for number in range(20):
        notify(document=str(number))
    at_once(lambda _: deliveries_serve(), range(40))
    assert sorted(json.loads(got.body)["data"]["document"] for got in receiver.got) == sorted(
        map(str, range(20))
    )


def test_a_worker_that_dies_leaves_one_that_is_sent_again_under_its_id(hook, receiver, monkeypatch):
    class Killed(BaseException):
        """Stands for `kill -9`."""

    def kill(*_):
        raise Killed

    delivery = notify()
    with monkeypatch.context() as patched:
        patched.setattr(deliveries, "_record", kill)
        with pytest.raises(Killed):
            deliveries_serve()
    assert deliveries_serve() > 0, "it is not due before its claim has run out"
    make_due()
    deliveries_serve()
    assert [got.headers["webhook-id"] for got in receiver.got] == [str(delivery.pk)] * 2


def test_an_event_is_sent_once_more_by_hand(hook, receiver):
    delivery = notify()
    deliveries_serve()
    delivery_redeliver(delivery_id=delivery.pk)
    deliveries_serve()
    assert len(receiver.got) == 2
    assert AuditEntry.objects.first().action == "webhook.redelivered"


def test_the_test_event_goes_to_this_webhook_alone(hook, receiver):
    webhook_create(url=receiver.url + "other", events=list(EVENTS))
    webhook_ping(webhook_id=hook.pk)
    deliveries_serve()
    (got,) = receiver.got
    assert (got.path, json.loads(got.body)["type"]) == ("/hook?of=clinic", "ping")
    webhook_update(webhook_id=hook.pk, enabled=False)
    with pytest.raises(Invalid):
        webhook_ping(webhook_id=hook.pk)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.clinic.example/",
        "ftp://hooks.clinic.example/",
        "https://user:pw@hooks.clinic.example/",
        "https://127.0.0.1/",
        "https://10.0.0.8/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.8]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://db.internal/",
        "https://hooks.clinic.example:notaport/",
        "https:///nothing",
        "https://hooks.clinic.example/ space",
        "https://hooks.clinic.example/" + "a" * 500,
        "",
    ],
)
def test_an_address_that_may_not_be_told_is_refused(scoped, url):
    with pytest.raises(Invalid):
        webhook_create(url=url, events=["quota.near"])


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "fd00::1"])
def test_a_name_that_leads_inside_is_not_asked(scoped, monkeypatch, address):
    """The name looked public when it was entered, and leads elsewhere by now."""
    webhook_create(url="https://hooks.clinic.example/", events=["document.indexed"])
    monkeypatch.setattr(
        webhook_post.socket,
        "getaddrinfo",
        lambda *_, **__: [(2, 1, 6, "", ("93.184.216.34", 443)), (2, 1, 6, "", (address, 443))],
    )
    monkeypatch.setattr(webhook_post.socket, "create_connection", lambda *_, **__: pytest.fail("asked"))
    delivery = notify()
    deliveries_serve()
    delivery.refresh_from_db()
    assert "not an address of the public internet" in delivery.reason and delivery.status is None


@pytest.mark.parametrize("events", [[], ["document.indexed", "everything"], ["ping"]])
def test_unknown_events_are_refused(scoped, events):
    with pytest.raises(Invalid, match=r"document\.indexed"):
        webhook_create(url="https://hooks.clinic.example/", events=events)


def test_there_are_only_so_many(scoped):
    for _ in range(WEBHOOK_LIMIT):
        webhook_create(url="https://hooks.clinic.example/", events=["quota.near"])
    with pytest.raises(Invalid):
        webhook_create(url="https://hooks.clinic.example/", events=["quota.near"])


def test_the_rival_reaches_none_of_it(hook, rival):
    delivery = notify()
    with tenant_scope(rival.id):
        for attempt in (
            lambda: webhook_update(webhook_id=hook.pk, enabled=False),
            lambda: webhook_delete(webhook_id=hook.pk),
            lambda: webhook_secret_rotate(webhook_id=hook.pk),
            lambda: webhook_ping(webhook_id=hook.pk),
            lambda: delivery_redeliver(delivery_id=delivery.pk),
            lambda: deliveries_list(webhook_id=hook.pk),
        ):
            with pytest.raises(NotFound):
                attempt()
    assert Webhook.objects.get().enabled


def test_a_deleted_webhook_takes_its_log_along(hook, receiver):
    notify()
    webhook_delete(webhook_id=hook.pk)
    assert WebhookDelivery.objects.count() == 0 and deliveries_serve() is None
    assert AuditEntry.objects.first().action == "webhook.deleted"


def test_the_sweep_wakes_who_has_something_due_and_forgets_what_is_old(hook, monkeypatch):
    old, waiting = notify(), notify()
    WebhookDelivery.objects.filter(pk=old.pk).update(state="delivered")
    WebhookDelivery.objects.update(created_at=now() - timedelta(days=31))
    woken = []
    monkeypatch.setattr(tasks._webhooks, "wake", woken.append)
    with no_scope():
        tasks.webhooks_sweep()
    assert woken == [hook.tenant_id]
    assert list(WebhookDelivery.objects.values_list("pk", flat=True)) == [waiting.pk]
    assert deliveries_forget() == 0
