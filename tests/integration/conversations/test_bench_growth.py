"""The growth benchmark measures along turns and tenants, draws what it found, and leaves nothing behind."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from config import growth_bench
from config.curves import Curve, picture
from tenants.models import Tenant
from tenants.scoping import no_scope

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.takes(15)
@pytest.mark.django_db(transaction=True)
def test_it_measures_along_turns_and_tenants_and_removes_what_it_made(tenant):
    steps: set[str] = set()
    plan = growth_bench.Plan(turns=5, tenants=(3, 1), sampled=5, tokens=10)
    with no_scope():
        before = set(Tenant.objects.values_list("id", flat=True))
        figures = growth_bench.run(plan, lambda what, done, total: steps.add(what))
        assert set(Tenant.objects.values_list("id", flat=True)) == before
    assert [row["turn"] for row in figures["by_turn"]] == [5]
    assert [row["tenants"] for row in figures["by_tenants"]] == [1, 3]
    for row in (*figures["by_turn"], *figures["by_tenants"]):
        assert 5 < row["round_trips"] < 40 and row["own_cpu_p50_ms"] > 0
    assert all(row["sweep_ms"] >= row["sweep_cpu_ms"] > 0 for row in figures["by_tenants"])
    assert {"one tenant: turns", "tenants", "3 tenants: turns"} <= steps
    drawn = ElementTree.fromstring(growth_bench.curves(figures))
    assert [len(chart.findall(f"{SVG}circle")) for chart in drawn.findall(f"{SVG}g")] == [1, 1, 2, 2]


def test_a_curve_is_drawn_from_zero_to_its_largest_value():
    drawn = ElementTree.fromstring(picture([Curve("ms & more", "turns", [(5, 1), (10, 4), (200, 2)])]))
    (chart,) = drawn.findall(f"{SVG}g")
    heights = [float(point.get("cy")) for point in chart.findall(f"{SVG}circle")]
    assert heights[1] < heights[2] < heights[0]
    texts = [text.text for text in chart.findall(f"{SVG}text")]
    assert {"ms & more", "turns", "4", "0", "200"} <= set(texts)
    assert "10" in texts and "5" not in texts, "labels that would lie over one another are left out"
