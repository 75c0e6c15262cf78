"""A quota is never passed, is told of in time, and says what to do when it is reached."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from django.db import transaction

from kernel.errors import Invalid
from tenants.adapters import shared_memory
from tenants.errors import QuotaFull, QuotaReached, TooManyAtOnce, TooManyRequests
from tenants.models import ApiKey, AuditEntry, Tenant, UsageDay, WebhookDelivery
from tenants.quotas import QUOTAS
from tenants.scoping import tenant_scope
from tenants.services import quotas
from tenants.services.quotas import (
    end_user_turn_check,
    key_request_check,
    quota_check,
    quota_states,
    quota_take,
    quotas_set,
    usage_add,
)
from tenants.services.usage import usage_flush
from tenants.services.webhooks import webhook_create
from tests.integration.tenants.outages import at_once, valkey_out_of_reach
from tests.integration.tenants.test_usage import today

pytestmark = pytest.mark.django_db(transaction=True)


def taken(n: int = 1) -> bool:
    try:
        quota_take("turns_per_day", n)
    except QuotaReached:
        return False
    return True


def near() -> list[tuple[str, float]]:
    told = WebhookDelivery.objects.order_by("created_at").values_list("payload", flat=True)
    return [(one["quota"], one["share"]) for one in told]


def test_of_many_at_once_exactly_the_quota_is_taken(scoped):
    quotas_set(quotas={"turns_per_day": 40})
    assert sum(at_once(lambda _: taken(), range(200))) == 40
    usage_flush()
    assert today() == {"turns": 40}


def test_it_counts_on_from_what_was_written_down_before_valkey_lost_it(scoped):
    quotas_set(quotas={"turns_per_day": 5})
    assert all(taken() for _ in range(3))
    usage_flush()
    shared_memory.client().flushdb()
    assert [taken() for _ in range(3)] == [True, True, False]


def test_it_counts_what_waits_to_be_written_down(scoped):
    """The sum that Valkey holds for decisions is forgotten now and then, and made anew from all that is known."""
    quotas_set(quotas={"turns_per_day": 5})
    assert all(taken() for _ in range(2))
    usage_flush()
    assert all(taken() for _ in range(2))
    client = shared_memory.client()
    for key in client.scan_iter("*:usage:total:*"):
        client.delete(key)
    assert [taken(), taken()] == [True, False]


def test_a_month_is_the_sum_of_its_days(scoped, monkeypatch):
    monkeypatch.setattr(quotas, "now", lambda: datetime(2031, 5, 17, 12, tzinfo=UTC))
    for day, n in ((date(2031, 4, 30), 1000), (date(2031, 5, 1), 30), (date(2031, 5, 17), 7)):
        UsageDay.objects.create(day=day, metric="model_tokens", value=n)
    quotas_set(quotas={"model_tokens_per_month": 40})
    quota_check("model_tokens_per_month", 3)
    with pytest.raises(QuotaReached) as refused:
        quota_check("model_tokens_per_month", 4)
    assert refused.value.extra["retry_after"] == (14 * 24 + 12) * 3600
    assert "language model tokens of this month (40)" in refused.value.message
    assert "15 days" in refused.value.message


@pytest.mark.parametrize(
    ("day", "ends"),
    [
        (date(2030, 12, 31), datetime(2031, 1, 1, tzinfo=UTC)),
        (date(2032, 2, 29), datetime(2032, 3, 1, tzinfo=UTC)),
        (date(2031, 1, 1), datetime(2031, 2, 1, tzinfo=UTC)),
    ],
)
def test_a_month_ends_where_the_next_begins(day, ends):
    assert QUOTAS["model_tokens_per_month"].ends(day) == ends


def test_without_a_quota_of_its_own_the_platforms_holds(scoped, settings, monkeypatch):
    monkeypatch.setitem(settings.QUOTAS, "turns_per_day", 1)
    assert [taken(), taken()] == [True, False]
    quotas_set(quotas={"turns_per_day": None})
    assert taken(1000)


def test_the_rival_has_quotas_of_its_own(tenant, rival):
    for who, limit in ((tenant, 1), (rival, 2)):
        with tenant_scope(who.id):
            quotas_set(quotas={"turns_per_day": limit})
    for who, expected in ((tenant, [True, False, False]), (rival, [True, True, False])):
        with tenant_scope(who.id):
            assert [taken() for _ in range(3)] == expected


def test_without_valkey_a_counter_lets_through_and_still_counts(scoped, settings):
    quotas_set(quotas={"turns_per_day": 1})
    with valkey_out_of_reach(settings):
        assert [taken(), taken()] == [True, True]
    assert today() == {"turns": 2}
    assert not taken()


def test_the_tenant_is_told_once_at_eighty_percent_and_once_when_all_is_used(scoped):
    webhook_create(url="https://crm.library.example/hook", events=["quota.near"])
    quotas_set(quotas={"turns_per_day": 10})
    seen = []
    for _ in range(10):
        assert taken()
        seen.append(len(near()))
    assert seen == [0, 0, 0, 0, 0, 0, 0, 1, 1, 2]
    assert near() == [("turns_per_day", 0.8), ("turns_per_day", 1.0)]
    usage_add("turns", -3)
    assert all(taken() for _ in range(3))
    assert len(near()) == 2


def test_use_without_a_limit_check_is_told_of_too(scoped):
    webhook_create(url="https://crm.library.example/hook", events=["quota.near"])
    quotas_set(quotas={"model_tokens_per_month": 100})
    usage_add("model_tokens", 85)
    usage_add("model_tokens", 85)
    assert near() == [("model_tokens_per_month", 0.8), ("model_tokens_per_month", 1.0)]


@pytest.fixture
def shelf(monkeypatch):
    """A gauge that reads rows of this tenant, as documents are counted."""
    monkeypatch.setitem(quotas._gauges, "documents", UsageDay.objects.count)
    monkeypatch.setitem(quotas._gauges, "concurrent_streams", UsageDay.objects.count)


def shelved(number: int, counted: bool = False) -> bool:
    row = UsageDay(day=date(2031, 1, 1), metric=f"book-{number}")
    try:
        with transaction.atomic():
            if counted:
                row.save()
                quota_check("documents", counted=True)
            else:
                quota_check("documents")
                row.save()
    except QuotaFull:
        return False
    return True


@pytest.mark.parametrize("counted", [False, True])
def test_of_many_who_add_at_once_exactly_as_many_as_there_is_room_for_succeed(scoped, shelf, counted):
    quotas_set(quotas={"documents": 10})
    assert sum(at_once(lambda number: shelved(number, counted), range(60))) == 10
    assert UsageDay.objects.count() == 10


def test_a_full_shelf_says_what_to_do(scoped, shelf):
    quotas_set(quotas={"documents": 1})
    assert shelved(1)
    with pytest.raises(QuotaFull) as refused:
        quota_check("documents")
    assert refused.value.http_status == 403 and not refused.value.retryable
    assert refused.value.message == (
        "This workspace has no room for more documents: 1 of 1 are taken."
        " Delete some, or ask the platform for more room."
    )


def test_what_makes_less_is_never_refused(scoped, shelf):
    quotas_set(quotas={"documents": 0})
    quota_check("documents", 0)
    quota_check("documents", -5)


def test_too_many_answers_at_once_are_a_matter_of_seconds(scoped, shelf):
    quotas_set(quotas={"concurrent_streams": 1})
    assert shelved(1)
    with pytest.raises(TooManyAtOnce) as refused:
        quota_check("concurrent_streams")
    assert refused.value.retryable and refused.value.extra["retry_after"] == 5


@pytest.mark.parametrize(
    "quota", [{"turns_a_day": 5}, {"documents": -1}, {"documents": "many"}, {"documents": True}]
)
def test_a_quota_that_is_none_is_refused(scoped, quota):
    with pytest.raises(Invalid):
        quotas_set(quotas=quota)
    assert Tenant.objects.get(pk=scoped.id).quotas == {}


def test_a_change_of_quotas_is_in_the_audit_log(scoped):
    quotas_set(quotas={"documents": 5})
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.data) == ("quotas.changed", {"before": {}, "after": {"documents": 5}})


def test_consoles_see_every_quota_with_what_is_used(scoped, shelf):
    quotas_set(quotas={"turns_per_day": 10, "storage_bytes": None})
    quota_take("turns_per_day", 3)
    states = {state.name: state for state in quota_states()}
    assert list(states) == list(QUOTAS)
    turns = states["turns_per_day"]
    assert (turns.used, turns.limit) == (3, 10) and turns.resets_at is not None
    assert states["documents"].used == 0
    assert states["storage_bytes"].limit is None
    assert states["key_requests_per_minute"].used is None


def test_one_person_and_one_key_have_a_pace_each(scoped):
    quotas_set(quotas={"end_user_turns_per_minute": 1, "key_requests_per_minute": 2})
    first, second = uuid4(), uuid4()
    end_user_turn_check(end_user_id=first)
    end_user_turn_check(end_user_id=second)
    with pytest.raises(TooManyRequests):
        end_user_turn_check(end_user_id=first)
    usual = ApiKey.objects.create(name="till", hint="1234", secret_hash="x")
    slow = ApiKey.objects.create(name="scale", hint="5678", secret_hash="y", per_minute=1)
    for key, times in ((usual, 2), (slow, 1)):
        for _ in range(times):
            key_request_check(key=key)
        with pytest.raises(TooManyRequests):
            key_request_check(key=key)
