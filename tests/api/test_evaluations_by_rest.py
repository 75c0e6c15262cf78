"""Evaluations by REST: started, watched, cancelled in the middle, read item by item; gates hold up publishing."""

from __future__ import annotations

from uuid import uuid4

import pytest

from conversations.evaluation.floor import floor
from conversations.models import EvaluationResult, EvaluationRun
from conversations.services import evaluation_work
from conversations.services.evaluation_work import evaluation_serve
from tenants.scoping import tenant_scope
from tests.api.evaluating import GATES, HOLDS, RUNS, SETS, started, uploaded
from tests.api.programs import Program, code_of, key_of
from tests.integration.conversations.conftest import answered, library, visitor  # noqa: F401
from tests.integration.evaluations.conftest import LINES, file_of

pytestmark = pytest.mark.django_db(transaction=True)
POLICY = "/api/v1/versions/policy/scope"


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture
def regions(ask, library):  # noqa: F811
    """A set of three items over the tenant's documents."""
    made = ask("POST", SETS, {"name": "Regions"}).json()
    assert uploaded(ask, made["id"], file_of(LINES)).json() == {"items": 3}
    return made["id"]


def worked(tenant):
    with tenant_scope(tenant.pk):
        while evaluation_serve(floor()) is not None:
            pass


def test_a_turn_becomes_an_item_once(ask, regions, tenant):
    with tenant_scope(tenant.pk):
        turn = answered(visitor(tenant), "What is the RPO in Frankfurt?")
    grown = [ask("POST", f"{SETS}/{regions}/turns", {"turn": str(turn.pk)}).json() for _ in range(2)]
    assert grown[0] == grown[1] and grown[0]["origin"] == str(turn.pk)
    assert code_of(ask("POST", f"{SETS}/{regions}/turns", {"turn": str(uuid4())})) == (404, "not_found")


def test_a_run_is_started_watched_to_its_end_and_read_item_by_item(ask, regions, tenant, monkeypatch):
    run = started(ask, regions, strategies=["policy", "typed"])
    assert (run["state"], run["done"], run["total"], run["passed"]) == ("queued", 0, 6, None)
    monkeypatch.setattr(evaluation_work, "SECONDS_AT_ONCE", 0.0)
    with tenant_scope(tenant.pk):
        evaluation_serve(floor())
    middle = ask("GET", f"{RUNS}/{run['id']}").json()
    assert 0 < middle["done"] < 6 and middle["finished_at"] is None and middle["report"] == {}
    assert len(ask("GET", f"{RUNS}/{run['id']}/results").json()["items"]) == middle["done"]
    worked(tenant)
    done = ask("GET", f"{RUNS}/{run['id']}").json()
    assert (done["state"], done["done"]) == ("done", 6) and done["finished_at"]
    assert set(done["report"]["strategies"]) == {"policy", "typed"}
    inside = f"{RUNS}/{run['id']}/results"
    first = ask("GET", f"{inside}?limit=4").json()
    rest = ask("GET", f"{inside}?limit=4&cursor={first['next']}").json()
    assert (len(first["items"]), len(rest["items"]), rest["next"]) == (4, 2, None)
    missed = ask("GET", f"{inside}?strategy=policy&only=missed").json()["items"]
    assert [one["key"] for one in missed] == ["elsewhere"]
    for wrong in ("only=lost", "strategy=luck", "limit=0", "cursor=x"):
        assert ask("GET", f"{inside}?{wrong}").status_code == 400, wrong


def test_a_run_is_cancelled_in_the_middle_and_what_it_found_stays(ask, regions, tenant, monkeypatch):
    run = started(ask, regions)
    monkeypatch.setattr(evaluation_work, "SECONDS_AT_ONCE", 0.0)
    with tenant_scope(tenant.pk):
        evaluation_serve(floor())
    assert code_of(ask("DELETE", f"{RUNS}/{run['id']}")) == (409, "evaluation_over")
    assert ask("POST", f"{RUNS}/{run['id']}/cancel").json()["state"] == "cancelled"
    assert code_of(ask("POST", f"{RUNS}/{run['id']}/cancel")) == (409, "evaluation_over")
    worked(tenant)
    after = ask("GET", f"{RUNS}/{run['id']}").json()
    assert (after["state"], after["done"], after["passed"]) == ("cancelled", 1, None)
    assert len(ask("GET", f"{RUNS}/{run['id']}/results").json()["items"]) == 1
    assert ask("DELETE", f"{RUNS}/{run['id']}").status_code == 204
    with tenant_scope(tenant.pk):
        assert not EvaluationRun.objects.exists() and not EvaluationResult.objects.exists()


def test_items_that_go_while_a_run_is_under_way_take_their_results_along(ask, regions, tenant, monkeypatch):
    run = started(ask, regions)
    monkeypatch.setattr(evaluation_work, "SECONDS_AT_ONCE", 0.0)
    with tenant_scope(tenant.pk):
        evaluation_serve(floor())
    assert uploaded(ask, regions, file_of([{**LINES[0], "id": "other"}]), replace="true").status_code == 200
    worked(tenant)
    after = ask("GET", f"{RUNS}/{run['id']}").json()
    assert (after["state"], after["done"], after["total"]) == ("done", 1, 3)
    assert ask("GET", f"{RUNS}/{run['id']}/results").json()["items"] == []


def test_gates_hold_up_publishing_until_the_very_version_has_passed(ask, regions, tenant):
    gates = {"required": True, "set": regions, "values": HOLDS}
    assert ask("PUT", GATES, gates).json() == gates
    draft = ask("POST", POLICY, {"data": {"strategy": "window", "window": 2}}).json()["number"]
    held = ask("POST", f"{POLICY}/{draft}/publish", {})
    assert code_of(held) == (409, "version_gate_failed")
    assert "No evaluation has run this version" in held.json()["error"]["message"]
    assert code_of(ask("PUT", f"{POLICY}/{draft}/stage", {"share": 100})) == (409, "version_gate_failed")
    run = started(ask, regions, policy_number=draft)
    worked(tenant)
    assert ask("GET", f"{RUNS}/{run['id']}").json()["passed"] is True
    assert code_of(ask("DELETE", f"{SETS}/{regions}")) == (409, "followup_set_guards")
    assert ask("PUT", f"{POLICY}/{draft}/stage", {"share": 50}).status_code == 200
    assert ask("POST", f"{POLICY}/{draft}/publish", {}).json()["state"] == "published"
