"""What-if replays by REST: start, list, read, cancel, differences; the rival finds none."""

from __future__ import annotations

import pytest

from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.evaluation.what_if_stage import stage
from conversations.services.what_if_work import what_if_serve
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.admin_ui.rows import make_session
from tests.integration.conversations.conftest import answered, library, visitor  # noqa: F401

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/what-if-replays"


@pytest.fixture
def ask(tenant, person):
    return Program(key_of(tenant, by=person(tenant, "ada@acme.example", "owner")))


@pytest.fixture
def theirs(rival):
    return Program(key_of(rival))


@pytest.fixture
def talked(tenant):
    with tenant_scope(tenant.id):
        return make_session(turns=3)


def test_a_replay_is_started_listed_read_and_cancelled(ask, talked):
    body = {"data": {"window": 2}, "selection": {"most": 2, "kinds": ["follow_up"]}}
    made = ask("POST", ADDRESS, body)
    assert made.status_code == 201
    replay = made.json()
    assert (replay["state"], replay["total"], replay["after"]["window"]) == ("queued", 2, 2)
    assert [row["id"] for row in ask("GET", ADDRESS).json()["items"]] == [replay["id"]]
    one = ask("GET", f"{ADDRESS}/{replay['id']}").json()
    assert one["counts"]["waiting"] == 2 and one["strata"]["follow_up"]["waiting"] == 2
    assert ask("POST", f"{ADDRESS}/{replay['id']}/cancel").json()["state"] == "cancelled"
    again = ask("POST", f"{ADDRESS}/{replay['id']}/cancel")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "replay_over")


def test_differences_come_in_pages_narrowed_by_what_changed(ask, talked, tenant):
    replay = ask("POST", ADDRESS, {"data": {"window": 2}}).json()
    with tenant_scope(tenant.id):
        rows = WhatIfDifference.objects.all()
        rows.update(state="changed", scope=True, before={"query": "a"}, after={"query": "b"})
        rows.filter(position=1).update(rewrite=True)
    inside = f"{ADDRESS}/{replay['id']}/differences"
    first = ask("GET", f"{inside}?limit=2").json()
    rest = ask("GET", f"{inside}?limit=2&cursor={first['next']}").json()
    assert (len(first["items"]), len(rest["items"]), rest["next"]) == (2, 1, None)
    rewritten = ask("GET", f"{inside}?change=rewrite").json()["items"]
    assert [row["changes"] for row in rewritten] == [["rewrite", "scope"]]
    assert rewritten[0]["after"] == {"query": "b"}
    assert ask("GET", f"{inside}?stratum=correction").json()["items"] == []
    assert ask("GET", f"{inside}?change=mood").status_code == 400


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid"),
        ({"number": 0, "data": {}}, "invalid"),
        ({"data": {"window": 0}}, "version_invalid"),
        ({"data": {}}, "invalid"),
        ({"number": 9}, "not_found"),
        ({"name": "contextualize", "data": {"system": "x", "user": "y"}}, "version_invalid"),
        ({"data": {"window": 2}, "with_model": True}, "what_if_needs_model"),
        ({"data": {"window": 2}, "selection": {"flagged": True}}, "invalid"),
        ({"name": "answer", "number": 0}, "invalid"),
        ({"data": {"window": 2}, "selection": {"most": 5000}}, "invalid"),
    ],
)
def test_what_makes_no_replay_is_refused_with_its_reason(ask, talked, tenant, body, code):
    answer = ask("POST", ADDRESS, body)
    assert answer.json()["error"]["code"] == code
    with tenant_scope(tenant.id):
        assert not WhatIfReplay.objects.exists()


def test_the_rival_finds_none_of_it(ask, theirs, talked):
    replay = ask("POST", ADDRESS, {"data": {"window": 2}}).json()
    assert theirs("GET", ADDRESS).json()["items"] == []
    for method, path in (("GET", ""), ("POST", "/cancel"), ("GET", "/differences")):
        assert theirs(method, f"{ADDRESS}/{replay['id']}{path}").status_code == 404


def test_without_a_stored_turn_there_is_nothing_to_replay(ask):
    answer = ask("POST", ADDRESS, {"data": {"window": 2}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert "No stored turn" in answer.json()["error"]["message"]


def test_the_same_request_twice_starts_one_replay_and_a_few_run_at_once(ask, talked, tenant):
    body = {"data": {"window": 2}}
    twice = [ask("POST", ADDRESS, body, Idempotency_Key="again").json()["id"] for _ in range(2)]
    assert twice[0] == twice[1]
    for window in (3, 5):
        assert ask("POST", ADDRESS, {"data": {"window": window}}).status_code == 201
    more = ask("POST", ADDRESS, {"data": {"window": 6}})
    assert (more.status_code, more.json()["error"]["code"]) == (429, "replays_enough")
    with tenant_scope(tenant.id):
        assert WhatIfReplay.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_replay_is_watched_and_cancelled_in_the_middle(ask, library, tenant):  # noqa: F811
    """Two conversations: one is played, the other is not any more."""
    with tenant_scope(tenant.id):
        for device in ("one", "two"):
            first = answered(visitor(tenant, device), "What is the RPO in Frankfurt?")
            answered(visitor(tenant, device), "and in Dublin?", first.session_id)
    replay = ask("POST", ADDRESS, {"data": {"strategy": "window", "window": 1}}).json()
    assert replay["total"] == 4
    with tenant_scope(tenant.id):
        what_if_serve(stage())
    address = f"{ADDRESS}/{replay['id']}"
    middle = ask("GET", address).json()
    assert (middle["counts"]["compared"], middle["counts"]["waiting"], middle["finished_at"]) == (2, 2, None)
    assert ask("POST", f"{address}/cancel").json()["state"] == "cancelled"
    with tenant_scope(tenant.id):
        assert what_if_serve(stage()) is None
    after = ask("GET", address).json()
    assert (after["state"], after["counts"]["compared"], after["counts"]["waiting"]) == ("cancelled", 2, 2)
    assert ask("GET", f"{address}/differences").status_code == 200
