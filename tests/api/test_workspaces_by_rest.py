"""A workspace's own things from code: profile, people, keys, widgets, versions, log, usage, webhooks, data."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from tenants.models import Erasure, Membership
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(tenant, person):
    return Program(key_of(tenant, by=person(tenant, "ada@acme.example", "owner")))


@pytest.fixture
def theirs(rival):
    return Program(key_of(rival))


def test_the_workspace_tells_itself_and_is_changed(ask, theirs):
    assert ask("GET", "/api/v1/workspace").json()["slug"] == "acme"
    told = ask("PATCH", "/api/v1/workspace", {"greeting": "Good day", "accent": "#123abc"}).json()
    assert (told["greeting"], told["accent"]) == ("Good day", "#123abc")
    kept = ask("PUT", "/api/v1/workspace/retention", {"mode": "days", "days": 30}).json()["retention"]
    assert kept == {"mode": "days", "days": 30}
    assert ask("PUT", "/api/v1/workspace/retention", {"mode": "days"}).status_code == 400
    assert theirs("GET", "/api/v1/workspace").json()["greeting"] == ""


def test_audiences_and_people_come_and_go(ask, theirs):
    nurses = ask("POST", "/api/v1/audiences", {"name": "Nurses"}).json()
    ann = ask("POST", "/api/v1/end-users", {"subject": "ann", "name": "Ann", "audiences": ["nurses"]}).json()
    assert ann["audiences"] == ["nurses"] and ann["subject"] == "ann"
    inside = f"/api/v1/audiences/{nurses['id']}/end-users"
    assert [row["id"] for row in ask("GET", inside).json()["items"]] == [ann["id"]]
    assert ask("DELETE", f"{inside}/{ann['id']}").status_code == 204
    assert ask("POST", inside, {"end_user": "ann"}).json()["audiences"] == ["nurses"]
    assert ask("POST", inside, {"end_user": "nobody"}).json()["error"]["code"] == "end_user_not_found"
    assert theirs("GET", f"/api/v1/end-users/{ann['id']}").status_code == 404
    assert (
        theirs("GET", inside).status_code
        == theirs("DELETE", f"/api/v1/audiences/{nurses['id']}").status_code
        == 404
    )
    assert ask("DELETE", f"/api/v1/audiences/{nurses['id']}").status_code == 204
    assert ask("GET", f"/api/v1/end-users/{ann['id']}").json()["audiences"] == []


def test_who_is_in_a_builtin_audience_cannot_be_changed(ask):
    rows = ask("GET", "/api/v1/audiences").json()["items"]
    everyone = next(row["id"] for row in rows if row["slug"] == "everyone")
    for method, path in (("PATCH", ""), ("DELETE", ""), ("POST", "/end-users")):
        body = {"end_user": "ann"} if path else {"name": "All"}
        answer = ask(method, f"/api/v1/audiences/{everyone}{path}", None if method == "DELETE" else body)
        assert answer.json()["error"]["code"] == "audience_built_in"


def test_a_key_shows_itself_once_works_and_ends(ask, theirs):
    made = ask("POST", "/api/v1/keys", {"name": "Ward", "scopes": ["read"]}).json()
    assert made["key"].startswith("ante_")
    listed = ask("GET", "/api/v1/keys").content.decode()
    assert made["id"] in listed and made["key"] not in listed
    other = Program(made["key"])
    assert other("GET", "/api/v1/documents").status_code == 200
    assert theirs("DELETE", f"/api/v1/keys/{made['id']}").status_code == 404
    assert ask("DELETE", f"/api/v1/keys/{made['id']}").json()["revoked_at"]
    assert other("GET", "/api/v1/documents").status_code == 401


def test_members_are_invited_and_their_roles_change_but_no_key_touches_owners(
    ask, tenant, person, theirs, mailoutbox
):
    person(tenant, "ben@acme.example", "analyst")
    members = {row["email"]: row for row in ask("GET", "/api/v1/members").json()["items"]}
    ben = f"/api/v1/members/{members['ben@acme.example']['id']}"
    assert ask("PATCH", ben, {"role": "editor"}).json()["role"] == "editor"
    assert ask("PATCH", ben, {"role": "owner"}).json()["error"]["code"] == "owners_only"
    ada = f"/api/v1/members/{members['ada@acme.example']['id']}"
    assert ask("DELETE", ada).status_code == 403 and theirs("DELETE", ben).status_code == 404
    assert ask("DELETE", ben).status_code == 204
    invited = ask("POST", "/api/v1/invitations", {"email": "eve@acme.example", "role": "editor"})
    assert invited.status_code == 201 and "token" not in invited.content.decode()
    assert ask("DELETE", f"/api/v1/invitations/{invited.json()['id']}").status_code == 204
    with tenant_scope(tenant.id):
        assert Membership.objects.count() == 1


def test_a_key_whose_maker_is_no_member_any_more_manages_no_members(ask, tenant):
    with tenant_scope(tenant.id):
        Membership.objects.all().delete()
    answer = ask("POST", "/api/v1/invitations", {"email": "eve@acme.example", "role": "editor"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_permitted")


def test_a_policy_is_drafted_checked_compared_published_and_rolled_back(ask, theirs):
    path = "/api/v1/versions/policy/scope"
    assert {"scope"} <= {one["name"] for one in ask("GET", "/api/v1/versions").json()["items"]}
    builtin = ask("GET", f"{path}/0").json()["data"]
    data = json.loads(json.dumps(builtin))
    data["horizons"]["stale_after"] = 5
    draft = ask("POST", path, {"data": data, "note": "Longer"}).json()
    assert (draft["number"], draft["state"]) == (1, "draft")
    wrong = ask("POST", f"{path}/check", {"data": {"horizons": {"stale_after": "x"}}}).json()["problems"]
    assert wrong and wrong[0]["path"]
    changes = ask("GET", f"{path}/compare?before=0&after=1").json()["changes"]
    assert [change["path"] for change in changes] == ["horizons.stale_after"]
    assert ask("PUT", f"{path}/1/stage", {"share": 10}).json()["state"] == "staged"
    assert ask("POST", f"{path}/1/publish", {"replaces": 0}).json()["state"] == "published"
    assert ask("PUT", f"{path}/1", {"data": data}).json()["error"]["code"] == "version_fixed"
    back = ask("POST", f"{path}/roll-back", {"number": 0})
    assert back.status_code == 201 and back.json()["data"]["horizons"] == builtin["horizons"]
    assert theirs("GET", f"{path}/1").status_code == 404


def test_the_log_tells_who_did_it_and_is_whole(ask, theirs):
    ask("POST", "/api/v1/audiences", {"name": "Nurses"})
    entry = ask("GET", "/api/v1/audit-log?action=audience.created").json()["items"][0]
    assert entry["actor"] == "key" and entry["data"]["name"] == "Nurses"
    verified = ask("GET", "/api/v1/audit-log/verify").json()
    assert verified["broken"] == [] and verified["entries"] >= entry["seq"] and verified["anchor"]
    exported = ask("GET", "/api/v1/audit-log/export")
    lines = b"".join(exported.streaming_content).decode().splitlines()
    assert entry["hash"] in lines[entry["seq"] - 1] and len(lines) == verified["entries"]
    assert "Nurses" not in theirs("GET", "/api/v1/audit-log").content.decode()


def test_a_secret_is_set_and_forgotten_and_never_shown(ask, theirs):
    value = "sk-" + uuid4().hex
    told = ask("PUT", "/api/v1/secrets/openai", {"value": value})
    assert told.json()["hint"] == value[-4:] and value not in told.content.decode()
    assert value not in ask("GET", "/api/v1/secrets").content.decode()
    assert theirs("GET", "/api/v1/secrets").json()["items"] == []
    assert theirs("DELETE", "/api/v1/secrets/openai").status_code == 404
    assert ask("DELETE", "/api/v1/secrets/openai").status_code == 204


def test_a_widget_is_made_changed_and_switched_off(ask, theirs):
    made = ask(
        "POST", "/api/v1/widgets", {"name": "Site", "allowed_origins": ["https://hospital.example"]}
    ).json()
    path = f"/api/v1/widgets/{made['id']}"
    changed = ask("PATCH", path, {"name": "Clinic", "identified_only": True}).json()
    assert (changed["name"], changed["identified_only"]) == ("Clinic", True)
    assert changed["allowed_origins"] == ["https://hospital.example"]
    assert ask("PATCH", path, {"allowed_origins": ["nonsense"]}).status_code == 400
    assert theirs("PATCH", path, {"name": "Mine"}).status_code == 404
    assert ask("DELETE", path).json()["revoked_at"]


def test_an_identity_key_is_made_retired_and_revoked(ask, theirs):
    made = ask("POST", "/api/v1/identity-keys", {"kid": "k1", "algorithm": "HS256"}).json()
    assert len(made["secret"]) >= 32
    path = f"/api/v1/identity-keys/{made['id']}"
    assert theirs("POST", f"{path}/retire").status_code == 404
    assert ask("POST", f"{path}/retire").json()["retired_at"] and ask("DELETE", path).json()["revoked_at"]
    assert made["secret"] not in ask("GET", "/api/v1/identity-keys").content.decode()


def test_a_webhook_is_made_tested_and_deleted(ask, theirs):
    asked = {"url": "https://hospital.example/hook", "events": ["document.indexed"]}
    made = ask("POST", "/api/v1/webhooks", asked).json()
    path = f"/api/v1/webhooks/{made['webhook']['id']}"
    assert (
        made["secret"].startswith("whsec_")
        and ask("POST", f"{path}/secret").json()["secret"] != made["secret"]
    )
    sent = ask("POST", f"{path}/test").json()
    assert [row["id"] for row in ask("GET", f"{path}/deliveries").json()["items"]] == [sent["id"]]
    assert ask("POST", f"/api/v1/deliveries/{sent['id']}/redeliver").status_code == 202
    assert (
        theirs("GET", path).status_code
        == theirs("POST", f"/api/v1/deliveries/{sent['id']}/redeliver").status_code
        == 404
    )
    assert ask("PATCH", path, {"url": "https://127.0.0.1/"}).status_code == 400
    assert ask("DELETE", path).status_code == 204


def test_usage_and_quotas_are_told(ask):
    told = ask("GET", "/api/v1/usage").json()
    assert told["since"] < told["until"]
    assert "turns_per_day" in {row["name"] for row in ask("GET", "/api/v1/quotas").json()["items"]}
    for query in ("since=2026-12-01&until=2026-11-01", "until=0001-01-01", "until=9999-12-31", "since=x"):
        assert ask("GET", f"/api/v1/usage?{query}").status_code == 400


def test_an_archive_and_an_erasure_are_asked_for_by_those_who_manage_data(ask, tenant, theirs):
    ann = ask("POST", "/api/v1/end-users", {"subject": "ann"}).json()
    export = ask("POST", "/api/v1/exports", {"end_user": "ann"}).json()
    assert (export["end_user"], export["state"]) == ("ann", "waiting")
    assert ask("GET", f"/api/v1/exports/{export['id']}/archive").status_code == 409
    assert theirs("GET", f"/api/v1/exports/{export['id']}").status_code == 404
    assert theirs("POST", f"/api/v1/end-users/{ann['id']}/erase").status_code == 404
    receipt = ask("POST", f"/api/v1/end-users/{ann['id']}/erase")
    assert receipt.status_code == 202 and "ann" not in receipt.content.decode()
    assert ask("GET", f"/api/v1/erasures/{receipt.json()['id']}").json()["state"] == "waiting"
    with tenant_scope(tenant.id):
        assert Erasure.objects.count() == 1
