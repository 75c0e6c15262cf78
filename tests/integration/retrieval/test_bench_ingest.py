"""The bench reports what it says it does, and leaves nothing behind."""

from __future__ import annotations

import pytest

from config import ingest_bench
from tenants.models import Tenant
from tenants.scoping import no_scope


@pytest.mark.django_db
def test_it_reports_rates_their_ratio_and_shares_and_removes_its_tenant(tools, monkeypatch):
    monkeypatch.setattr(ingest_bench, "ROUNDS", 2)
    before = set(Tenant.objects.values_list("id", flat=True))
    steps = []
    with no_scope():
        figures = ingest_bench.run(4, lambda *step: steps.append(step))
    assert steps == [("documents", 2, 4), ("documents", 4, 4)]
    assert figures["documents"] == 4 and figures["passages"] >= 8
    assert figures["ingest_passages_per_s"] > 0 and figures["bare_passages_per_s"] > 0
    assert len(figures["ratio_by_round"]) == 2
    assert sum(figures["share_of_wall"].values()) == pytest.approx(1, abs=0.01)
    assert set(Tenant.objects.values_list("id", flat=True)) == before


def test_its_documents_are_all_different():
    assert len({ingest_bench.document(number)[1] for number in range(50)}) == 50
