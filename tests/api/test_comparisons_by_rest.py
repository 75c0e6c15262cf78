"""Two evaluations beside each other by REST: by stratum, item by item in pages; what is not comparable, the rival's."""

from __future__ import annotations

from uuid import uuid4

import pytest

from conversations.models import EvaluationResult, EvaluationRun
from conversations.services.evaluation_runs import evaluation_start
from conversations.services.evaluation_sets import set_create, set_import
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.evaluations.conftest import LINES, file_of

pytestmark = pytest.mark.django_db
RUNS = "/api/v1/evaluations/runs"


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture
def ran(tenant):
    """Two ended runs of a set of three: of two strata, one item lost and one reworded since the run before."""
    with tenant_scope(tenant.id):
        before, after = _run("Regions"), None
        after = _run("", before.of_set_id)
        results = EvaluationResult.objects.filter(run=after)
        results.filter(item__key="first").update(hit=False)
        results.filter(item__key="dublin").update(query="What is the RPO in Dublin?", verdict="contaminated")
        return after, before


def _run(name, set_id=None, **more):
    if set_id is None:
        set_id = set_create(name=name).pk
        set_import(set_id=set_id, data=file_of(LINES))
    run = evaluation_start(set_id=set_id, **more)
    EvaluationResult.objects.filter(run=run).update(state="done", hit=True, query="asked", verdict="clean")
    figures = {"n": 1, "recall@5": 1.0}
    report = {"strategies": {"policy": {"strata": {"first_turn": figures}, "overall": {**figures, "n": 3}}}}
    EvaluationRun.objects.filter(pk=run.pk).update(state="done", report=report)
    return run


def address(after, before):
    return f"{RUNS}/{after.pk}/against/{before.pk}"


def test_what_changed_is_told_by_stratum_beside_the_figures_of_both(ask, ran):
    told = ask("GET", address(*ran)).json()
    assert (told["after"], told["before"]) == tuple(str(run.pk) for run in ran)
    assert (told["strategy"], told["other"]) == ("policy", "policy")
    first, near = told["strata"]
    assert (first["stratum"], first["changed"], first["changes"]["lost"]) == ("first_turn", 1, 1)
    assert first["before"] == first["after"] == {"n": 1, "recall@5": 1.0}
    assert (near["stratum"], near["changed"], near["before"]) == ("near_followup", 1, {})
    assert (near["changes"]["rewrite"], near["changes"]["verdict"], near["changes"]["lost"]) == (1, 1, 0)
    assert (told["overall"]["changed"], told["overall"]["after"]["n"]) == (2, 3)
    backwards = ask("GET", address(*reversed(ran))).json()
    assert (backwards["overall"]["changes"]["gained"], backwards["overall"]["changes"]["lost"]) == (1, 0)


def test_items_come_in_pages_narrowed_by_change_and_stratum(ask, ran):
    inside = f"{address(*ran)}/items"
    first = ask("GET", f"{inside}?limit=1").json()
    rest = ask("GET", f"{inside}?limit=1&cursor={first['next']}").json()
    assert [one["key"] for one in first["items"] + rest["items"]] == ["first", "dublin"]
    assert rest["next"] is None
    assert (first["items"][0]["before"]["hit"], first["items"][0]["after"]["hit"]) == (True, False)
    [reworded] = ask("GET", f"{inside}?change=rewrite").json()["items"]
    assert reworded["changes"] == ["rewrite", "verdict"] and reworded["message"] == "and in Dublin?"
    assert [one["key"] for one in ask("GET", f"{inside}?stratum=first_turn").json()["items"]] == ["first"]
    assert ask("GET", f"{inside}?change=cleaned").json() == {"items": [], "next": None}
    elsewhere = f"{address(*reversed(ran))}/items?limit=1&cursor={first['next']}"
    assert ask("GET", elsewhere).json()["error"]["code"] == "cursor_invalid"


def test_polled_again_what_has_not_changed_is_not_sent_again(ask, ran, tenant):
    for path in (address(*ran), f"{address(*ran)}/items"):
        etag = ask("GET", path).headers["ETag"]
        assert ask("GET", path, If_None_Match=etag).status_code == 304
    with tenant_scope(tenant.id):
        EvaluationResult.objects.filter(run=ran[0]).update(hit=False)
    assert ask("GET", path, If_None_Match=etag).status_code == 200


@pytest.mark.parametrize(
    "query",
    ["strategy=luck", "strategy=typed", "other=typed", "change=mood", "limit=201", "stratum=" + "x" * 41],
)
def test_what_cannot_be_compared_is_refused(ask, ran, query):
    assert ask("GET", f"{address(*ran)}/items?{query}").status_code == 400


def test_runs_of_different_sets_are_not_compared_and_unknown_ones_not_found(ask, ran, tenant):
    with tenant_scope(tenant.id):
        other = _run("Wards")
    refused = ask("GET", address(ran[0], other))
    assert refused.status_code == 400 and "same set" in refused.json()["error"]["message"]
    for path in (f"{RUNS}/{ran[0].pk}/against/{uuid4()}", f"{RUNS}/{uuid4()}/against/{ran[0].pk}"):
        assert ask("GET", path).status_code == ask("GET", f"{path}/items").status_code == 404


def test_one_strategy_is_compared_with_another(ask, ran, tenant):
    with tenant_scope(tenant.id):
        typed = _run("", ran[0].of_set_id, strategies=["typed"])
    told = ask("GET", address(typed, ran[1])).json()
    assert (told["strategy"], told["other"], told["overall"]["changed"]) == ("typed", "policy", 0)


def test_readers_of_reports_and_the_rival_see_none_of_it(ask, ran, tenant, rival):
    for path in (address(*ran), f"{address(*ran)}/items"):
        assert Program(key_of(tenant, "read"))("GET", path).status_code == 403
        assert Program(key_of(rival))("GET", path).status_code == 404
