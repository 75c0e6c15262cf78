"""The permission matrix: every endpoint by every role, anonymous, each scope of a key, an end user and the rival.

What is expected is written down here, apart from the code. An endpoint without an entry fails.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tenants.models import Scope
from tenants.scoping import tenant_scope
from tenants.services.end_users import end_user_for_subject
from tenants.services.session_tokens import session_token_issue
from tests.api.endpoints import Endpoint, endpoints
from tests.api.programs import Program, key_of

ROLES = {"owner", "admin", "editor", "analyst"}
KEYS = {"key:read", "key:ingest", "key:chat", "key:admin"}
EVERYBODY = ROLES | KEYS | {"end user"}
ADMINS = {"owner", "admin", "key:admin"}
EDITORS = ADMINS | {"editor"}
WRITERS = EDITORS | {"key:ingest"}
READERS = ROLES | {"key:admin", "key:read", "key:ingest"}
REPORTED = ROLES | {"key:admin", "key:read"}
CHATTERS = ROLES | {"key:admin", "key:chat", "end user"}
CHAT_KEYS = {"key:admin", "key:chat"}

MAY: dict[str, set[str]] = {
    "POST /api/v1/access": EDITORS,
    "GET /api/v1/audiences": EDITORS,
    "POST /api/v1/audiences": EDITORS,
    "DELETE /api/v1/audiences/{audience_id}": EDITORS,
    "GET /api/v1/audiences/{audience_id}": EDITORS,
    "PATCH /api/v1/audiences/{audience_id}": EDITORS,
    "GET /api/v1/audiences/{audience_id}/end-users": EDITORS,
    "POST /api/v1/audiences/{audience_id}/end-users": EDITORS,
    "DELETE /api/v1/audiences/{audience_id}/end-users/{end_user_id}": EDITORS,
    "GET /api/v1/audit-log": ADMINS,
    "GET /api/v1/audit-log/export": ADMINS,
    "GET /api/v1/audit-log/verify": ADMINS,
    "GET /api/v1/corpora": READERS,
    "POST /api/v1/corpora": EDITORS,
    "DELETE /api/v1/corpora/{corpus_id}": EDITORS,
    "GET /api/v1/corpora/{corpus_id}": READERS,
    "PATCH /api/v1/corpora/{corpus_id}": EDITORS,
    "GET /api/v1/corpora/{corpus_id}/access": EDITORS,
    "POST /api/v1/corpora/{corpus_id}/documents": WRITERS,
    "GET /api/v1/corpora/{corpus_id}/embedding-model": WRITERS,
    "PUT /api/v1/corpora/{corpus_id}/embedding-model": EDITORS,
    "POST /api/v1/corpora/{corpus_id}/embedding-model/keep": EDITORS,
    "POST /api/v1/corpora/{corpus_id}/pages": WRITERS,
    "POST /api/v1/corpora/{corpus_id}/sitemaps": WRITERS,
    "POST /api/v1/deliveries/{delivery_id}/redeliver": ADMINS,
    "GET /api/v1/documents": READERS,
    "DELETE /api/v1/documents/{document_id}": WRITERS,
    "GET /api/v1/documents/{document_id}": READERS,
    "PATCH /api/v1/documents/{document_id}": WRITERS,
    "GET /api/v1/documents/{document_id}/access": EDITORS,
    "PUT /api/v1/documents/{document_id}/file": WRITERS,
    "POST /api/v1/documents/{document_id}/refresh": WRITERS,
    "POST /api/v1/documents/{document_id}/retry": WRITERS,
    "GET /api/v1/end-users": EDITORS,
    "POST /api/v1/end-users": EDITORS,
    "GET /api/v1/end-users/{end_user_id}": EDITORS,
    "POST /api/v1/end-users/{end_user_id}/erase": ADMINS,
    "GET /api/v1/erasures": ADMINS,
    "GET /api/v1/erasures/{erasure_id}": ADMINS,
    "GET /api/v1/evaluations/gates": REPORTED,
    "PUT /api/v1/evaluations/gates": ADMINS,
    "GET /api/v1/evaluations/runs": REPORTED,
    "POST /api/v1/evaluations/runs": EDITORS,
    "DELETE /api/v1/evaluations/runs/{run_id}": EDITORS,
    "GET /api/v1/evaluations/runs/{run_id}": REPORTED,
    "GET /api/v1/evaluations/runs/{run_id}/against/{before_id}": EDITORS,
    "GET /api/v1/evaluations/runs/{run_id}/against/{before_id}/items": EDITORS,
    "POST /api/v1/evaluations/runs/{run_id}/cancel": EDITORS,
    "GET /api/v1/evaluations/runs/{run_id}/results": EDITORS,
    "GET /api/v1/evaluations/sets": REPORTED,
    "POST /api/v1/evaluations/sets": EDITORS,
    "DELETE /api/v1/evaluations/sets/{set_id}": EDITORS,
    "GET /api/v1/evaluations/sets/{set_id}": REPORTED,
    "PUT /api/v1/evaluations/sets/{set_id}": EDITORS,
    "GET /api/v1/evaluations/sets/{set_id}/export": EDITORS,
    "POST /api/v1/evaluations/sets/{set_id}/import": EDITORS,
    "GET /api/v1/evaluations/sets/{set_id}/items": EDITORS,
    "POST /api/v1/evaluations/sets/{set_id}/items": EDITORS,
    "DELETE /api/v1/evaluations/sets/{set_id}/items/{item_id}": EDITORS,
    "GET /api/v1/evaluations/sets/{set_id}/items/{item_id}": EDITORS,
    "PUT /api/v1/evaluations/sets/{set_id}/items/{item_id}": EDITORS,
    "POST /api/v1/evaluations/sets/{set_id}/turns": EDITORS,
    "GET /api/v1/exports": ADMINS,
    "POST /api/v1/exports": ADMINS,
    "DELETE /api/v1/exports/{export_id}": ADMINS,
    "GET /api/v1/exports/{export_id}": ADMINS,
    "GET /api/v1/exports/{export_id}/archive": ADMINS,
    "GET /api/v1/identity-keys": ADMINS,
    "POST /api/v1/identity-keys": ADMINS,
    "DELETE /api/v1/identity-keys/{key_id}": ADMINS,
    "POST /api/v1/identity-keys/{key_id}/retire": ADMINS,
    "GET /api/v1/imports": WRITERS,
    "GET /api/v1/imports/{import_id}": WRITERS,
    "GET /api/v1/invitations": ADMINS,
    "POST /api/v1/invitations": ADMINS,
    "DELETE /api/v1/invitations/{invitation_id}": ADMINS,
    "POST /api/v1/invitations/{invitation_id}/renew": ADMINS,
    "GET /api/v1/keys": ADMINS,
    "POST /api/v1/keys": ADMINS,
    "DELETE /api/v1/keys/{key_id}": ADMINS,
    "GET /api/v1/members": ADMINS,
    "DELETE /api/v1/members/{member_id}": ADMINS,
    "GET /api/v1/members/{member_id}": ADMINS,
    "PATCH /api/v1/members/{member_id}": ADMINS,
    "GET /api/v1/passages/{passage_id}": CHATTERS | READERS,
    "GET /api/v1/quotas": REPORTED,
    "GET /api/v1/reports/contamination": REPORTED,
    "POST /api/v1/search": CHATTERS | READERS,
    "GET /api/v1/secrets": ADMINS,
    "DELETE /api/v1/secrets/{name}": ADMINS,
    "PUT /api/v1/secrets/{name}": ADMINS,
    "GET /api/v1/sessions": CHATTERS | REPORTED,
    "POST /api/v1/sessions": CHATTERS,
    "DELETE /api/v1/sessions/{session_id}": CHATTERS,
    "GET /api/v1/sessions/{session_id}": CHATTERS | REPORTED,
    "GET /api/v1/sessions/{session_id}/memory": REPORTED,
    "GET /api/v1/sign-in-providers": ADMINS,
    "POST /api/v1/sign-in-providers": {"owner"},
    "DELETE /api/v1/sign-in-providers/{provider_id}": {"owner"},
    "GET /api/v1/sign-in-providers/{provider_id}": ADMINS,
    "PUT /api/v1/sign-in-providers/{provider_id}": {"owner"},
    "POST /api/v1/turns": CHATTERS,
    "GET /api/v1/turns/{turn_id}": CHATTERS | REPORTED,
    "PUT /api/v1/turns/{turn_id}/judgement": ROLES | {"key:admin"},
    "PUT /api/v1/turns/{turn_id}/rating": CHATTERS,
    "POST /api/v1/turns/{turn_id}/retry": CHATTERS,
    "POST /api/v1/turns/{turn_id}/stop": CHATTERS,
    "GET /api/v1/turns/{turn_id}/trace": REPORTED,
    "GET /api/v1/unanswered-questions": REPORTED,
    "DELETE /api/v1/unanswered-questions/{fingerprint}/dealt-with": ROLES | {"key:admin"},
    "PUT /api/v1/unanswered-questions/{fingerprint}/dealt-with": ROLES | {"key:admin"},
    "GET /api/v1/usage": REPORTED,
    "GET /api/v1/versions": REPORTED,
    "GET /api/v1/versions/{kind}/{name}": REPORTED,
    "POST /api/v1/versions/{kind}/{name}": EDITORS,
    "POST /api/v1/versions/{kind}/{name}/check": EDITORS,
    "GET /api/v1/versions/{kind}/{name}/compare": REPORTED,
    "POST /api/v1/versions/{kind}/{name}/roll-back": ADMINS,
    "DELETE /api/v1/versions/{kind}/{name}/stage": ADMINS,
    "DELETE /api/v1/versions/{kind}/{name}/{number}": EDITORS,
    "GET /api/v1/versions/{kind}/{name}/{number}": REPORTED,
    "PUT /api/v1/versions/{kind}/{name}/{number}": EDITORS,
    "POST /api/v1/versions/{kind}/{name}/{number}/publish": ADMINS,
    "PUT /api/v1/versions/{kind}/{name}/{number}/stage": ADMINS,
    "GET /api/v1/webhooks": ADMINS,
    "POST /api/v1/webhooks": ADMINS,
    "DELETE /api/v1/webhooks/{webhook_id}": ADMINS,
    "GET /api/v1/webhooks/{webhook_id}": ADMINS,
    "PATCH /api/v1/webhooks/{webhook_id}": ADMINS,
    "GET /api/v1/webhooks/{webhook_id}/deliveries": ADMINS,
    "POST /api/v1/webhooks/{webhook_id}/secret": ADMINS,
    "POST /api/v1/webhooks/{webhook_id}/test": ADMINS,
    "GET /api/v1/what-if-replays": EDITORS,
    "POST /api/v1/what-if-replays": EDITORS,
    "GET /api/v1/what-if-replays/{replay_id}": EDITORS,
    "POST /api/v1/what-if-replays/{replay_id}/cancel": EDITORS,
    "GET /api/v1/what-if-replays/{replay_id}/differences": EDITORS,
    "POST /api/v1/what-if-replays/{replay_id}/draft": EDITORS,
    "POST /api/v1/what-if-replays/{replay_id}/publish": ADMINS,
    "GET /api/v1/widgets": ADMINS,
    "POST /api/v1/widgets": ADMINS,
    "DELETE /api/v1/widgets/{key_id}": ADMINS,
    "GET /api/v1/widgets/{key_id}": ADMINS,
    "PATCH /api/v1/widgets/{key_id}": ADMINS,
    "GET /api/v1/workspace": EVERYBODY,
    "PATCH /api/v1/workspace": ADMINS,
    "PUT /api/v1/workspace/retention": ADMINS,
    "GET /api/v1/workspace/two-factor": ADMINS,
    "PUT /api/v1/workspace/two-factor": ADMINS,
    "POST /v1/chat/completions": CHAT_KEYS,
    "GET /v1/models": KEYS,
    "GET /v1/models/{model}": KEYS,
}
ALL = endpoints()
CALLERS = [*sorted(EVERYBODY), "anonymous", "rival", "unknown key"]


def test_every_endpoint_has_an_entry_and_every_entry_an_endpoint():
    assert {endpoint.key for endpoint in ALL} == set(MAY)


@pytest.fixture
def caller(tenant: Any, rival: Any, person: Any) -> Callable[[str], Program]:
    """Somebody who calls below the tenant's address."""

    def made(who: str) -> Program:
        if who in ROLES:
            client = Client()
            client.force_login(person(tenant, f"{who}@acme.example", who))
            return Program(slug=tenant.slug, client=client)
        if who == "end user":
            with tenant_scope(tenant.id):
                token = session_token_issue(end_user=end_user_for_subject(subject="patient-7"))
            return Program(token.text, slug=tenant.slug)
        if who == "rival":
            return Program(key_of(rival), slug=tenant.slug)
        if who == "unknown key":
            return Program(f"ante_{tenant.id.hex}_{tenant.id.hex}_{'x' * 43}", slug=tenant.slug)
        if who == "anonymous":
            return Program(slug=tenant.slug)
        maker = person(tenant, "maker@acme.example", "owner")
        return Program(key_of(tenant, who.removeprefix("key:"), by=maker), slug=tenant.slug)

    return made


def answer(program: Program, endpoint: Endpoint) -> Any:
    """To a request that is right in nothing but who makes it: nothing is changed by it."""
    return program(endpoint.method, endpoint.address(), {} if endpoint.method != "GET" else None)


@pytest.mark.django_db
@pytest.mark.parametrize("who", CALLERS)
def test_it_lets_in_whom_it_should_and_nobody_else(caller, who):
    program, wrong = caller(who), []
    for endpoint in ALL:
        status = answer(program, endpoint).status_code
        by_key_only = endpoint.path.startswith("/v1/")
        if who in MAY[endpoint.key]:
            right = status not in (401, 403) and status < 500
        elif who in EVERYBODY and not (by_key_only and who not in KEYS):
            right = status == 403
        else:
            right = status == 401
        if not right:
            wrong.append((endpoint.key, status))
    assert wrong == []


@pytest.mark.django_db
@pytest.mark.parametrize("scope", [*Scope.values, "nothing"])
def test_outside_a_tenants_address_it_is_the_same_by_key(tenant, rival, person, scope):
    maker = person(tenant, "maker@acme.example", "owner")
    program, wrong = Program(key_of(tenant, scope, by=maker) if scope != "nothing" else ""), []
    for endpoint in ALL:
        status = answer(program, endpoint).status_code
        expected = f"key:{scope}" in MAY[endpoint.key]
        right = status == 401 if scope == "nothing" else (status not in (401, 403)) == expected
        if not right or status >= 500:
            wrong.append((endpoint.key, status))
    assert wrong == []


@pytest.mark.django_db
def test_what_changes_something_needs_the_pages_token_beside_the_cookie(tenant, person):
    client = Client(enforce_csrf_checks=True)
    client.force_login(person(tenant, "ada@acme.example", "owner"))
    program, wrong = Program(slug=tenant.slug, client=client), []
    for endpoint in ALL:
        if endpoint.path.startswith("/api/"):
            told = answer(program, endpoint)
            code = told.json()["error"]["code"] if told.status_code == 403 else ""
            if (code == "cross_site") != (endpoint.method != "GET"):
                wrong.append((endpoint.key, told.status_code))
    assert wrong == []


@pytest.mark.django_db
def test_a_view_method_without_an_entry_is_closed_to_everybody(tenant):
    from rest_framework.response import Response

    from tenants.rest.callers import Caller
    from tenants.rest.errors import NotPermitted
    from tenants.rest.views import ApiView, check_permitted

    class Forgotten(ApiView):
        def get(self, request: Any) -> Response:
            return Response({})

    with pytest.raises(NotPermitted):
        check_permitted(Caller(tenant, role="owner"), getattr(Forgotten.get, "allowed", None))


def test_every_endpoint_says_who_may_call_it():
    assert [endpoint.key for endpoint in ALL if getattr(endpoint.handler, "allowed", None) is None] == []
