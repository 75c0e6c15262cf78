from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from config import metrics, metrics_backlog
from conversations.audits.canaries import canary_new
from conversations.audits.scanning import scan
from conversations.models import Session, Turn
from kernel.observed import observe_with
from tenants.models import EndUser
from tenants.scoping import tenant_scope

TOKEN = "car-rental-metrics"


@pytest.fixture
def watched(settings: Any) -> Iterator[None]:
    settings.METRICS_TOKEN = TOKEN
    metrics.install_web()
    yield
    observe_with(None)
    metrics._page.clear()


def _read(client: Client) -> dict[tuple[str, ...], float]:
    answer = client.get("/metrics", HTTP_AUTHORIZATION=f"Bearer {TOKEN}")
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {(s.name, *sorted(s.labels.values())): s.value for family in families for s in family.samples}


@pytest.fixture
def waiting(transactional_db: None) -> Any:
    """Two tenants; one has a turn that nobody answers."""
    from tenants.services import tenant_create

    tenant, _rival = tenant_create(slug="acme", name="Acme"), tenant_create(slug="rival", name="Rival")
    with tenant_scope(tenant.id):
        session = Session.objects.create(end_user=EndUser.objects.create())
        Turn.objects.create(session=session, n=1, client_id="a", message="A van for Sunday?")
    return tenant


def test_a_wrong_token_is_a_401(watched: None, client: Client) -> None:
    for presented in ("", "Bearer wrong", f"Basic {TOKEN}"):
        assert client.get("/metrics", HTTP_AUTHORIZATION=presented).status_code == 401


def test_it_tells_what_waits_by_tenant(watched: None, waiting: Any, client: Client) -> None:
    told = _read(client)
    assert told["antecedent_backlog_up",] == 1
    assert told["antecedent_queue_depth", "acme", "turns"] == 1
    assert told["antecedent_queue_depth", "rival", "turns"] == 0
    assert told["antecedent_queue_depth", "acme", "documents"] == 0
    assert told["antecedent_leakage_findings_open",] == 0


def test_it_tells_the_findings_that_nobody_has_judged(watched: None, waiting: Any, client: Client) -> None:
    with tenant_scope(waiting.id):
        scan({"answer": f"The van is at {canary_new()}."}, session_id=None)
    assert _read(client)["antecedent_leakage_findings_open",] == 1


def test_the_database_is_asked_once_in_fifteen_seconds(
    watched: None, waiting: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    read = metrics_backlog._figures_of
    monkeypatch.setattr(metrics_backlog, "_figures_of", lambda pk, slug: asked.append(slug) or read(pk, slug))
    assert _read(client).keys() == _read(client).keys()
    assert sorted(asked) == ["acme", "rival"]


def test_a_database_out_of_reach_leaves_the_other_figures(
    watched: None, transactional_db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setitem(connections.settings["default"], "PORT", "1")
        away.setitem(connections.settings["default"], "HOST", "127.0.0.1")
        told = _read(client)
    assert told["antecedent_backlog_up",] == 0
    assert ("antecedent_sockets_open",) in told
    assert ("antecedent_leakage_findings_open",) not in told


def test_a_refusal_is_counted_by_its_code(watched: None, waiting: Any, client: Client) -> None:
    before = _read(client).get(("antecedent_refusals_total", "not_found"), 0)
    client.get("/nothing/here")
    assert client.get("/api/v1/corpora").status_code == 401
    told = _read(client)
    assert told["antecedent_refusals_total", "unauthenticated"] >= 1
    assert told.get(("antecedent_refusals_total", "not_found"), 0) >= before
