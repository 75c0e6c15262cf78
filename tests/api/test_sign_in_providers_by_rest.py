"""Sign-in providers by REST: owners add, change and remove them; secrets go in and never come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from tenants.models import AuditEntry, IdempotentRequest, SignInProvider
from tenants.scoping import tenant_scope
from tenants.services.providers import client_secret_of
from tests.api.programs import Program, key_of
from tests.fakes.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIDProvider, openid_provider

pytestmark = pytest.mark.django_db
PATH = "/api/v1/sign-in-providers"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenIDProvider]:
    with openid_provider() as provider:
        yield provider


@pytest.fixture
def wanted(running: OpenIDProvider, settings: Any) -> dict[str, Any]:
    settings.SIGN_IN_PRIVATE_ISSUERS = True
    return {
        "name": "Company",
        "issuer": running.url,
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "email_domains": ["Acme.example", "@acme.example"],
    }


@pytest.fixture
def signed_in(person: Any) -> Callable[..., Program]:
    def made(tenant: Any, role: str = "owner") -> Program:
        client = Client()
        client.force_login(person(tenant, f"{role}@{tenant.slug}.example", role))
        return Program(slug=tenant.slug, client=client)

    return made


@pytest.fixture
def ask(tenant: Any, signed_in: Any) -> Program:
    return signed_in(tenant)  # type: ignore[no-any-return]


def stored(tenant: Any) -> list[tuple[str, str, bool]]:
    with tenant_scope(tenant.id):
        rows = SignInProvider.objects.order_by("name")
        return [(row.name, client_secret_of(row), row.enabled) for row in rows]


def test_one_is_added_read_changed_and_removed_and_its_secret_never_shown(ask, tenant, wanted):
    assert ask("GET", PATH).json() == {"items": [], "next": None}
    made = ask("POST", PATH, wanted)
    assert made.status_code == 201, made.content
    row = made.json()
    assert (row["email_domains"], row["default_role"], row["enabled"]) == (["acme.example"], "analyst", True)
    assert row["callback"] == f"http://testserver/t/acme/account/with/{row['id']}/back/"
    assert stored(tenant) == [("Company", CLIENT_SECRET, True)]
    one = f"{PATH}/{row['id']}"
    assert ask("GET", one).json() == row and ask("GET", PATH).json()["items"] == [row]
    kept = {**wanted, "name": "Staff", "enabled": False, "client_secret": ""}
    changed = ask("PUT", one, kept)
    assert (changed.json()["name"], changed.json()["has_client_secret"]) == ("Staff", True)
    assert stored(tenant) == [("Staff", CLIENT_SECRET, False)]
    for answer in (made, changed, ask("GET", one), ask("GET", PATH)):
        assert CLIENT_SECRET not in answer.content.decode()
    assert [ask("DELETE", one).status_code for _ in range(2)] == [204, 404]
    with tenant_scope(tenant.id):
        found = AuditEntry.objects.filter(action__startswith="sign_in_provider.").order_by("seq")
        assert [entry.action.split(".")[1] for entry in found] == ["created", "changed", "removed"]


def test_the_same_request_twice_adds_one(ask, tenant, wanted):
    ids = {ask("POST", PATH, wanted, Idempotency_Key="once").json()["id"] for _ in range(2)}
    assert len(ids) == len(stored(tenant)) == 1
    with tenant_scope(tenant.id):
        assert CLIENT_SECRET not in str(IdempotentRequest.objects.get().body)


def test_another_client_needs_its_secret_again(ask, tenant, wanted):
    one = f"{PATH}/{ask('POST', PATH, wanted).json()['id']}"
    refused = ask("PUT", one, {**wanted, "client_id": "other", "client_secret": ""})
    assert refused.status_code == 400 and "secret" in refused.json()["error"]["message"]
    assert ask("PUT", one, {**wanted, "client_id": "other"}).json()["client_id"] == "other"


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "x" * 81},
        {"issuer": "ftp://login.example"},
        {"issuer": "https://" + "x" * 300},
        {"client_id": ""},
        {"client_secret": "x" * 1001},
        {"client_secret": None},
        {"email_domains": ["no domain"]},
        {"email_domains": ["a.example"] * 51},
        {"email_domains": "acme.example"},
        {"default_role": "owner"},
        {"enabled": "yes"},
        {"secret": "x"},
    ],
)
def test_what_is_no_provider_is_refused_with_its_reason(ask, tenant, wanted, wrong):
    answer = ask("POST", PATH, {**wanted, **wrong})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid")
    assert stored(tenant) == []


def test_an_issuer_that_is_none_or_not_public_is_refused(ask, tenant, wanted, settings):
    assert ask("POST", PATH, {**wanted, "issuer": f"{wanted['issuer']}/nowhere"}).status_code == 400
    settings.SIGN_IN_PRIVATE_ISSUERS = False
    assert ask("POST", PATH, {**wanted, "issuer": "https://127.0.0.1:9"}).status_code == 400
    assert stored(tenant) == []


def test_admins_and_their_keys_read_them_and_only_owners_change_them(ask, tenant, wanted, signed_in, person):
    row = ask("POST", PATH, wanted).json()
    one, admin = f"{PATH}/{row['id']}", signed_in(tenant, "admin")
    key = Program(key_of(tenant, by=person(tenant, "olga@acme.example", "owner")))
    for program in (admin, key):
        assert program("GET", one).json()["id"] == row["id"]
        for method, path in (("POST", PATH), ("PUT", one), ("DELETE", one)):
            assert program(method, path, wanted).status_code == 403
    assert signed_in(tenant, "editor")("GET", PATH).status_code == 403
    assert stored(tenant) == [("Company", CLIENT_SECRET, True)]


def test_the_rivals_owner_finds_none_of_it(ask, tenant, wanted, signed_in, rival):
    one, theirs = f"{PATH}/{ask('POST', PATH, wanted).json()['id']}", signed_in(rival)
    assert theirs("GET", PATH).json()["items"] == []
    for method in ("GET", "PUT", "DELETE"):
        assert theirs(method, one, wanted).status_code == 404
        assert theirs(method, f"{PATH}/{uuid4()}", wanted).status_code == 404
    assert len(stored(tenant)) == 1
