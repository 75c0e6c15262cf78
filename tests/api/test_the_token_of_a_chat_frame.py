"""POST /t/<workspace>/chat/token: who gets a session token, and what it opens."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import uuid4

import pytest

from conversations.identity import Asker
from conversations.models import Session
from kernel.clock import now
from retrieval.models import Chunk
from tenants.devices import device_token
from tenants.models import Tenant
from tenants.scoping import tenant_scope
from tenants.services import audience_create, end_user_for_device, session_tokens
from tenants.services.identities import identity_key_revoke
from tenants.services.widget_keys import (
    widget_key_create,
    widget_key_origins_set,
    widget_key_revoke,
    widget_key_visitors_set,
)
from tests.api.conftest import PASSWORD
from tests.integration.conversations.conftest import answered, library  # noqa: F401
from tests.integration.tenants.signing import claims, signer

pytestmark = pytest.mark.django_db(transaction=True)
SHOP = "https://shop.example"


@pytest.fixture
def widget(tenant):
    with tenant_scope(tenant.pk):
        return widget_key_create(
            name="Shop", allowed_origins=[SHOP], look={"accent": "#aa0000", "launcher": {"icon": "help"}}
        )


def knock(client, body=None, *, bearer="", **headers):
    extra = {"HTTP_AUTHORIZATION": f"Bearer {bearer}"} if bearer else {}
    return client.post("/chat/token", body, content_type="application/json", **extra, **headers)


def ask_for(client, widget, bearer="", **body):
    return knock(client, {"key": widget.public_key, "origin": SHOP, **body}, bearer=bearer)


def code(response, status):
    assert response.status_code == status, response.content
    return response.json()["error"]["code"]


def bearer(token):
    return {"HTTP_AUTHORIZATION": f"Bearer {token}"}


def test_a_visitor_gets_a_token_a_device_and_what_the_frame_needs(tenant, widget, browser):
    response = ask_for(browser(tenant, enforce_csrf_checks=True), widget)
    told = response.json()
    assert told["token"].startswith("st_") and told["device"] and told["user"]["anonymous"]
    assert told["look"] == {
        "name": "Acme", "accent": "#aa0000", "position": "right", "greeting": "", "suggestions": [], "language": "auto", "theme": "auto",
        "launcher": {"icon": "help", "label": "", "open": False},
    }  # fmt: skip
    assert told["urls"]["ws"] == "/t/acme/ws/chat/" and told["urls"]["token"] == "/t/acme/chat/token"
    assert "no-store" in response["Cache-Control"] and not response.cookies


def test_the_device_stays_the_same_visitor_and_no_device_is_a_new_one(tenant, widget, browser):
    client = browser(tenant)
    first = ask_for(client, widget).json()
    assert ask_for(client, widget, device=first["device"]).json()["user"] == first["user"]
    assert ask_for(client, widget).json()["user"] != first["user"]


def test_a_known_person_takes_the_devices_conversations_along(library, tenant, widget, browser):  # noqa: F811
    client, device = browser(tenant), device_token(tenant.pk, "one")
    turn = answered(Asker(tenant, end_user_for_device(device="one"), None), "What is the RPO in Frankfurt?")
    audience_create(name="Staff")
    identity = signer().sign(claims(tenant, name="Ann", audiences=["staff", "pirates"]))
    told = ask_for(client, widget, device=device, identity=identity).json()
    assert told["user"]["name"] == "Ann" and not told["user"]["anonymous"]
    assert told["adopted"] == 1 and told["unknown_audiences"] == ["pirates"]
    listed = client.get("/chat/sessions", **bearer(told["token"])).json()["sessions"]
    assert [row["id"] for row in listed] == [str(turn.session_id)]
    # The next person at this browser begins empty.
    after = ask_for(client, widget, device=told["device"]).json()
    assert client.get("/chat/sessions", **bearer(after["token"])).json() == {"sessions": []}
    assert ask_for(client, widget, device=device, identity=identity).json()["adopted"] == 0


def test_a_shared_device_can_be_left_alone(library, tenant, widget, browser):  # noqa: F811
    answered(Asker(tenant, end_user_for_device(device="one"), None), "What is the RPO in Frankfurt?")
    identity = signer().sign(claims(tenant))
    told = ask_for(
        browser(tenant), widget, device=device_token(tenant.pk, "one"), identity=identity, adopt=False
    ).json()
    assert told["adopted"] == 0 and not Session.objects.filter(end_user=told["user"]["id"]).exists()


# Refusals


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "", "null", "https://shop.example.evil.test", "http://shop.example"]
)
def test_a_page_of_a_forbidden_origin_gets_nothing(tenant, widget, browser, origin):
    answer = knock(browser(tenant), {"key": widget.public_key, "origin": origin})
    assert code(answer, 403) == "origin_not_allowed"


def test_our_own_pages_may_embed_every_widget(tenant, widget, browser):
    assert (
        knock(browser(tenant), {"key": widget.public_key, "origin": "http://testserver"}).status_code == 200
    )


def test_another_sites_script_gets_no_token_and_no_permission_to_read_one(tenant, widget, browser):
    client = browser(tenant)
    body = {"key": widget.public_key, "origin": SHOP}
    for origin in ("https://shop.example", "https://evil.example", "null"):
        answer = knock(client, body, HTTP_ORIGIN=origin)
        assert code(answer, 403) == "origin_not_allowed" and "Access-Control-Allow-Origin" not in answer
    own = knock(client, body, HTTP_ORIGIN="http://testserver")
    assert own["Access-Control-Allow-Origin"] == "http://testserver" and "Origin" in own["Vary"]


def test_wrong_and_revoked_keys_are_told_apart(tenant, rival, widget, browser):
    client = browser(tenant)
    assert code(knock(client, {"key": "wk_wrong", "origin": SHOP}), 404) == "widget_key_unknown"
    with tenant_scope(rival.pk):
        theirs = widget_key_create(name="Theirs", allowed_origins=[SHOP])
    assert code(ask_for(client, theirs), 404) == "widget_key_unknown"
    with tenant_scope(tenant.pk):
        widget_key_revoke(key_id=widget.pk)
    assert code(ask_for(client, widget), 403) == "widget_key_revoked"


def test_a_suspended_tenant_gives_out_nothing(tenant, widget, browser):
    Tenant.objects.filter(pk=tenant.pk).update(suspended_at=now())
    assert code(ask_for(browser(tenant), widget), 403) == "tenant_suspended"


def test_visitors_are_refused_where_people_must_be_known(tenant, widget, browser):
    client = browser(tenant)
    Tenant.objects.filter(pk=tenant.pk).update(anonymous_chat=False)
    assert code(ask_for(client, widget), 401) == "identity_required"
    Tenant.objects.filter(pk=tenant.pk).update(anonymous_chat=True)
    with tenant_scope(tenant.pk):
        widget_key_visitors_set(key_id=widget.pk, identified_only=True, one_time_identities=False)
        identity = signer().sign(claims(tenant))
    assert code(ask_for(client, widget), 401) == "identity_required"
    assert ask_for(client, widget, identity=identity).status_code == 200


def test_identities_are_used_up_where_the_widget_wants_it(tenant, widget, browser):
    with tenant_scope(tenant.pk):
        widget_key_visitors_set(key_id=widget.pk, identified_only=False, one_time_identities=True)
        key = signer()
    client, identity = browser(tenant), key.sign(claims(tenant, jti="one"))
    assert ask_for(client, widget, identity=identity).status_code == 200
    assert code(ask_for(client, widget, identity=identity), 401) == "identity_used"
    assert code(ask_for(client, widget, identity=key.sign(claims(tenant))), 401) == "identity_refused"


def test_a_refused_identity_never_becomes_a_visitor(tenant, widget, browser):
    answer = ask_for(browser(tenant), widget, identity="forged", device=device_token(tenant.pk, "one"))
    assert code(answer, 401) == "identity_refused"


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "null", "1", '"x"', '{"key": {}}', '{"key": "a\\u0000b"}', '{"adopt": "maybe"}',
     '{"device": "\\ud800"}', '{"origin": "' + "x" * 400 + '"}', "[" * 9000, '{"x": "' + "y" * 40_000 + '"}'],
    ids=lambda body: body[:16],
)  # fmt: skip
def test_nonsense_is_refused_and_breaks_nothing(tenant, browser, body):
    answer = browser(tenant).post("/chat/token", body, content_type="application/json")
    assert answer.status_code in {400, 401}, answer.content
    assert answer.json()["error"]["code"] in {"invalid", "sign_in_required"}


@pytest.mark.parametrize("method", ["get", "put", "delete", "options"])
def test_it_is_posted_to(tenant, browser, method):
    assert getattr(browser(tenant), method)("/chat/token").status_code == 405


# What a token opens


def test_a_token_opens_ones_own_and_nothing_of_anybody_else(library, tenant, widget, browser):  # noqa: F811
    client = browser(tenant, enforce_csrf_checks=True)
    mine, other = (ask_for(client, widget).json() for _ in range(2))
    from tenants.models import EndUser

    turn = answered(
        Asker(tenant, EndUser.objects.get(pk=mine["user"]["id"]), None), "What is the RPO in Frankfurt?"
    )
    address = f"/chat/sessions/{turn.session_id}"
    assert client.get("/chat/sessions", **bearer(other["token"])).json() == {"sessions": []}
    assert client.delete(address, **bearer(other["token"])).status_code == 404
    chunk = Chunk.objects.filter(text__contains="Dublin").first()
    assert client.get(f"/chat/passages/{chunk.pk}", **bearer(other["token"])).status_code == 200
    assert client.delete(address, **bearer(mine["token"])).status_code == 204


def test_a_refused_token_is_not_replaced_by_a_cookie(tenant, rival, widget, browser, person):
    person(tenant, "ann@acme.example", "owner")
    client = browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    assert client.get("/chat/sessions").status_code == 200
    assert code(client.get("/chat/sessions", **bearer("st_forged")), 401) == "session_token_refused"
    token = ask_for(client, widget).json()["token"]
    with tenant_scope(tenant.pk):
        widget_key_revoke(key_id=widget.pk)
    assert code(client.get("/chat/sessions", **bearer(token)), 403) == "widget_key_revoked"
    assert code(client.get(f"/chat/passages/{uuid4()}", **bearer(token)), 403) == "widget_key_revoked"


def test_a_cookie_alone_still_needs_the_pages_token(tenant, browser):
    client = browser(tenant, enforce_csrf_checks=True)
    client.get("/chat/")
    assert client.delete(f"/chat/sessions/{uuid4()}").status_code == 403


def test_a_token_means_nothing_to_the_rival(tenant, rival, widget, browser):
    token = ask_for(browser(tenant), widget).json()["token"]
    answer = browser(rival).get("/chat/sessions", SCRIPT_NAME="/t/rival", **bearer(token))
    assert code(answer, 401) == "session_token_refused"


# Renewing


def test_a_token_is_renewed_through_its_own_widget_only(tenant, widget, browser):
    client = browser(tenant)
    first = ask_for(client, widget).json()
    again = ask_for(client, widget, bearer=first["token"]).json()
    assert again["user"] == first["user"] and again["device"] is None
    with tenant_scope(tenant.pk):
        other = widget_key_create(name="Other", allowed_origins=[SHOP])
        widget_key_origins_set(key_id=widget.pk, allowed_origins=["https://new.example"])
    assert code(ask_for(client, other, bearer=first["token"]), 401) == "session_token_refused"
    assert code(knock(client, {}, bearer=first["token"]), 401) == "session_token_refused"
    assert code(ask_for(client, widget, bearer=first["token"]), 403) == "origin_not_allowed"


def test_an_expired_token_is_not_renewed(tenant, widget, browser, monkeypatch):
    client = browser(tenant)
    first = ask_for(client, widget).json()
    late = now() + timedelta(minutes=61)
    monkeypatch.setattr(session_tokens, "now", lambda: late)
    assert code(ask_for(client, widget, bearer=first["token"]), 401) == "session_token_expired"


def test_a_revoked_identity_key_ends_the_sessions_it_led_to(tenant, widget, browser):
    with tenant_scope(tenant.pk):
        key = signer()
    client = browser(tenant)
    told = ask_for(client, widget, identity=key.sign(claims(tenant))).json()
    assert client.get("/chat/sessions", **bearer(told["token"])).status_code == 200
    with tenant_scope(tenant.pk):
        identity_key_revoke(key_id=key.key.pk)
    assert code(client.get("/chat/sessions", **bearer(told["token"])), 401) == "session_token_refused"
    assert code(ask_for(client, widget, bearer=told["token"]), 401) == "session_token_refused"


# Our own page


def test_our_own_pages_token_hangs_on_the_login(tenant, browser, person):
    person(tenant, "ann@acme.example")
    ann, thief = browser(tenant), browser(tenant)
    assert code(knock(thief, {}), 401) == "sign_in_required"
    ann.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    told = knock(ann, {}).json()
    assert told["user"]["name"] == "Ann"
    assert ann.get("/chat/sessions", **bearer(told["token"])).status_code == 200
    assert code(thief.get("/chat/sessions", **bearer(told["token"])), 401) == "sign_in_required"
    ann.post("/logout/")
    assert code(ann.get("/chat/sessions", **bearer(told["token"])), 401) == "sign_in_required"


def test_the_answer_never_holds_a_cookies_secret(tenant, browser, person):
    person(tenant, "ann@acme.example")
    client = browser(tenant)
    client.post("/login/", {"username": "ann@acme.example", "password": PASSWORD})
    assert client.session.session_key not in json.dumps(knock(client, {}).json())


def test_one_address_opens_so_many_chats_a_minute_and_another_is_not_held_up(tenant, rival, widget, browser):
    Tenant.objects.filter(pk=tenant.pk).update(quotas={"visits_per_minute": 3})
    client = browser(tenant)
    told = [ask_for(client, widget) for _ in range(4)]
    assert [one.status_code for one in told] == [200, 200, 200, 429]
    refusal = told[-1].json()["error"]
    assert refusal["code"] == "too_many_requests" and 1 <= refusal["extra"]["retry_after"] <= 60
    other = client.post(
        "/chat/token", {"key": widget.public_key, "origin": SHOP}, content_type="application/json",
        REMOTE_ADDR="192.0.2.9",
    )  # fmt: skip
    assert other.status_code == 200
