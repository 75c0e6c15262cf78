"""What a replay tried is kept as a draft and put in force by REST: by whom it may be, once, and as it was tried only."""

from __future__ import annotations

import pytest

from conversations.evaluation.what_if_records import WhatIfReplay
from tenants.models import Version
from tenants.scoping import tenant_scope
from tests.api.programs import Program, code_of, key_of
from tests.integration.admin_ui.rows import make_session

pytestmark = pytest.mark.django_db
ADDRESS = "/api/v1/what-if-replays"
POLICY = "/api/v1/versions/policy/scope"


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture
def replay(ask, tenant):
    """The address of a replay that has ended."""
    with tenant_scope(tenant.id):
        make_session(turns=2)
    made = ask("POST", ADDRESS, {"data": {"window": 2}})
    assert made.status_code == 201, made.content
    with tenant_scope(tenant.id):
        WhatIfReplay.objects.update(state="done")
    return f"{ADDRESS}/{made.json()['id']}"


def versions_of(tenant):
    with tenant_scope(tenant.id):
        return sorted(Version.objects.values_list("number", "state"))


def test_what_was_tried_is_put_in_force_and_the_replay_says_so(ask, replay, tenant):
    told = ask("POST", f"{replay}/publish", Idempotency_Key="once")
    assert (told.status_code, told.json()["state"], told.json()["data"]["window"]) == (200, "published", 2)
    again = ask("POST", f"{replay}/publish", Idempotency_Key="once")
    assert again.json() == told.json() and again.headers["Idempotent-Replayed"] == "true"
    assert ask("GET", replay).json()["published_number"] == told.json()["number"]
    assert ask("GET", POLICY).json()["items"][0]["state"] == "published"
    assert code_of(ask("POST", f"{replay}/publish")) == (400, "invalid")
    assert versions_of(tenant) == [(1, "published")]


def test_it_is_kept_as_one_draft_however_often(ask, replay, tenant):
    numbers = {ask("POST", f"{replay}/draft").json()["number"] for _ in range(2)}
    assert numbers == {1} and versions_of(tenant) == [(1, "draft")]
    assert ask("POST", f"{replay}/publish").json()["number"] == 1


def test_a_replay_that_still_runs_publishes_nothing(ask, replay, tenant):
    with tenant_scope(tenant.id):
        WhatIfReplay.objects.update(state="running")
    assert code_of(ask("POST", f"{replay}/publish")) == (409, "replay_over")
    assert versions_of(tenant) == []


def test_a_draft_that_was_edited_since_is_not_published(ask, replay, tenant):
    draft = ask("POST", f"{replay}/draft").json()["number"]
    assert ask("PUT", f"{POLICY}/{draft}", {"data": {"window": 3}}).status_code == 200
    assert code_of(ask("POST", f"{replay}/publish")) == (409, "version_conflict")
    assert versions_of(tenant) == [(draft, "draft")]


def test_what_was_published_meanwhile_is_not_replaced(ask, replay, tenant):
    other = ask("POST", POLICY, {"data": {"window": 5}}).json()["number"]
    assert ask("POST", f"{POLICY}/{other}/publish", {}).status_code == 200
    assert code_of(ask("POST", f"{replay}/publish")) == (409, "version_conflict")
    assert (other, "published") in versions_of(tenant)


def test_the_gates_hold_here_too(ask, replay, tenant):
    made = ask("POST", "/api/v1/evaluations/sets", {"name": "Wards"}).json()["id"]
    values = {"strategy": "policy", "every": {}, "strata": {}, "overall": {"recall@5": {"min": 0.5}}}
    gates = {"required": True, "set": made, "values": values}
    assert ask("PUT", "/api/v1/evaluations/gates", gates).status_code == 200
    assert code_of(ask("POST", f"{replay}/publish")) == (409, "version_gate_failed")


def test_editors_keep_what_was_tried_and_do_not_publish_it_and_the_rival_finds_nothing(
    ask, replay, tenant, rival, person, client
):
    client.force_login(person(tenant, "ed@acme.example", "editor"))
    editor = Program(slug=tenant.slug, client=client)
    assert editor("POST", f"{replay}/publish").status_code == 403
    assert editor("POST", f"{replay}/draft").status_code == 200
    assert Program(key_of(tenant, "read"))("POST", f"{replay}/draft").status_code == 403
    for action in ("draft", "publish"):
        assert Program(key_of(rival))("POST", f"{replay}/{action}").status_code == 404
