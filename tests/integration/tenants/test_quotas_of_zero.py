"""A quota of 0 stops something: whoever meets it reads that, and not that waiting helps."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tenants.errors import QuotaFull, QuotaZero
from tenants.quotas import QUOTAS
from tenants.services.keys import api_key_create
from tenants.services.quotas import (
    end_user_turn_check,
    key_request_check,
    quota_check,
    quota_states,
    quota_take,
    quotas_set,
    visit_check,
)

pytestmark = pytest.mark.django_db


def a_key():
    key, _ = api_key_create(name="Robot", scopes=["chat"])
    return key


MEETING = {
    "turns_per_day": lambda: quota_take("turns_per_day"),
    "model_tokens_per_month": lambda: quota_check("model_tokens_per_month"),
    "documents": lambda: quota_check("documents"),
    "storage_bytes": lambda: quota_check("storage_bytes"),
    "concurrent_streams": lambda: quota_check("concurrent_streams"),
    "end_user_turns_per_minute": lambda: end_user_turn_check(end_user_id=uuid4()),
    "visits_per_minute": lambda: visit_check(address="192.0.2.7"),
    "key_requests_per_minute": lambda: key_request_check(key=a_key()),
}


@pytest.mark.parametrize("name", QUOTAS)
def test_it_is_refused_for_good_with_what_stops(scoped, name):
    quotas_set(quotas={name: 0})
    with pytest.raises((QuotaZero, QuotaFull)) as refused:
        MEETING[name]()
    assert (refused.value.retryable, refused.value.http_status) == (False, 403)
    assert "retry_after" not in refused.value.extra and "try again" not in refused.value.message
    if isinstance(refused.value, QuotaZero):
        assert refused.value.extra["quota"] == name and QUOTAS[name].at_zero in refused.value.message


@pytest.mark.parametrize("name", QUOTAS)
def test_what_it_stops_is_told_with_the_quotas(scoped, name):
    assert not any(state.stops for state in quota_states())
    quotas_set(quotas={name: 0})
    assert {state.name: state.stops for state in quota_states() if state.stops} == {
        name: QUOTAS[name].at_zero
    }


def test_a_quota_that_is_used_up_stops_the_same(scoped):
    quotas_set(quotas={"turns_per_day": 1})
    assert not any(state.stops for state in quota_states())
    quota_take("turns_per_day")
    assert [state.name for state in quota_states() if state.stops] == ["turns_per_day"]
