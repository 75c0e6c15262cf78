"""Usage in the console: each day's, against the quotas, and as a table."""

from __future__ import annotations

import csv
from datetime import timedelta

import pytest

from kernel.clock import now
from tenants.models import UsageDay
from tenants.services.quotas import quota_take, quotas_set

pytestmark = pytest.mark.django_db


@pytest.fixture
def used(scoped):
    """Nine turns today, two a week ago, four twenty days ago, and tokens today."""
    for metric, ago, value in (("turns", 0, 9), ("turns", 7, 2), ("turns", 20, 4), ("model_tokens", 0, 1234)):
        UsageDay.objects.create(metric=metric, day=now().date() - timedelta(days=ago), value=value)
    return scoped


def test_days_add_up_and_stand_beside_the_period_before(used, browser):
    page = browser(used, "analyst").get("usage/?days=7").content.decode()
    assert '<p class="figure">9</p>' in page and "2 in the 7 days before" in page and "1,234" in page
    assert '<p class="figure">15</p>' in browser(used, "analyst").get("usage/?days=28").content.decode()


def test_the_table_has_a_line_for_each_day(used, browser):
    answer = browser(used, "analyst").get("usage/days.csv?days=28")
    head, *rows = csv.reader(answer.content.decode().splitlines())
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert head[:3] == ["day", "turns", "model_tokens"] and len(rows) == 28
    assert rows[0][:3] == [now().date().isoformat(), "9", "1234"]
    assert [row[1] for row in rows if row[1] != "0"] == ["9", "2", "4"]


def test_a_quota_that_is_nearly_used_up_is_marked(used, browser):
    quotas_set(quotas={"documents": 0, "turns_per_day": None})
    page = browser(used, "owner").get("usage/").content.decode()
    assert 'data-tone="contaminated"' in page and "100 %" in page and "no limit" in page


def test_turns_of_this_minute_count_before_they_are_written_down(scoped, browser):
    quota_take("turns_per_day", 3)
    assert not UsageDay.objects.exists()
    owner = browser(scoped, "owner")
    page = owner.get("usage/").content.decode()
    assert '<p class="figure">3</p>' in page and "Nothing was used" not in page
    assert owner.get("usage/days.csv").content.decode().splitlines()[1].split(",")[1] == "3"


def test_the_rival_has_used_nothing(used, rival, browser):
    page = browser(rival, "owner").get("usage/").content.decode()
    assert "Nothing was used in this time" in page and "1,234" not in page
