"""The bench reports recall, rows and speed beside its floors, and leaves nothing behind."""

from __future__ import annotations

import pytest

from config import benching, synthetic
from tenants.models import Tenant
from tenants.scoping import no_scope


@pytest.mark.django_db(transaction=True)
def test_it_finds_what_an_exact_search_finds_and_removes_its_tenants(stack):
    steps = []
    with no_scope():
        figures = benching.run(
            benching.Plan(chunks=300, tenants=3, queries=2), lambda *told: steps.append(told)
        )
    assert figures["tenants"] == 3 and steps[-1][0] == "measuring"
    assert {row["permitted"] for row in figures["rows"]} == set(synthetic.SHARES)
    for row in figures["rows"]:
        assert (row["recall@10"], row["rows"]) == (1.0, row["rows_possible"])
        assert row["p50_ms"] > 0 and row["floor_p50_ms"] > 0 and row["dense_floor_p50_ms"] > 0
    assert Tenant.objects.count() == 0


def test_its_tenants_are_of_skewed_sizes():
    sizes = synthetic.sizes(10_000, 20)
    assert sizes[0] == 2_000 and min(sizes) >= 1 and sizes[1:] == sorted(sizes[1:], reverse=True)
