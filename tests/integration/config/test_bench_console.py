"""The console's benchmark asks for every list, and no list asks the database more often for having more rows."""

from __future__ import annotations

import pytest
from django.db import connection
from django.urls import URLPattern

from admin_ui.urls import urlpatterns
from config import console_bench
from config.console_rows import TURNS_A_CONVERSATION, Size
from config.console_work import even
from conversations.models import Turn
from tenants.models import Tenant, User
from tenants.scoping import no_scope, tenant_scope


@pytest.mark.takes(25)
@pytest.mark.django_db(transaction=True)
def test_no_list_costs_more_queries_with_more_rows_and_nothing_is_left_behind(rival):
    steps: list[tuple[str, int, int]] = []
    with no_scope():
        before = set(Tenant.objects.values_list("id", flat=True))
        plan = console_bench.Plan(turns=3000, documents=300, rounds=1)
        figures = console_bench.run(plan, lambda *step: steps.append(step))
        assert set(Tenant.objects.values_list("id", flat=True)) == before
        assert not User.objects.filter(email__endswith="bench.example").exists()
    rows = {row["page"]: row for row in figures["pages"]}
    assert list(rows) == [name for name, _ in console_bench.PAGES]
    assert {name: row["queries"] for name, row in rows.items()} == {
        name: row["queries_at_a_tenth"] for name, row in rows.items()
    }
    assert figures["growing"] == []
    assert all(row["p95_ms"] >= row["p50_ms"] > 0 and row["floor_ms"] > 0 for row in rows.values())
    assert len(steps) == 2 * len(rows)
    with tenant_scope(rival.id):
        assert not Turn.objects.exists()


def test_every_page_of_the_sidebar_is_measured():
    """Every address that ends in a slash and names no row is a page."""
    lists = {
        str(one.pattern)
        for one in urlpatterns
        if isinstance(one, URLPattern)
        and str(one.pattern).endswith("/")
        and str(one.pattern).count("/") == 1
        and "<" not in str(one.pattern)
    }
    measured = {path.partition("?")[0] for _, path in console_bench.PAGES}
    assert lists - measured == set()


def test_two_sizes_are_measured():
    small, large = console_bench.Plan(turns=100_000, documents=10_000).sizes
    assert (small, large) == (Size(10_000, 1000), Size(100_000, 10_000))


@pytest.mark.django_db
def test_a_rare_kind_of_row_is_at_every_place_of_the_conversations_of_a_small_workspace():
    """Drawn by chance it would be missing once in sixty runs, and its page would ask for less."""
    turns = console_bench.Plan(turns=1, documents=1).sizes[0].turns
    with connection.cursor() as cursor:
        cursor.execute(
            f"select min(found) from (select count(*) filter (where {even('n')} between 0.01 and 0.05) as found"
            " from generate_series(1, %(turns)s) as n group by n %% %(each)s) as places",
            {"turns": turns, "each": TURNS_A_CONVERSATION},
        )
        (fewest,) = cursor.fetchone()
    assert fewest > 0
