"""Errors, pages, versions, repeats, sizes, keys: what holds at every door of the REST API."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
from django.test import Client

from kernel.clock import now
from retrieval.models import Corpus
from tenants.models import Audience, IdempotentRequest
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


def error_of(answer):
    body = answer.json()
    assert set(body) == {"error"} and set(body["error"]) == {"code", "message", "retryable", "extra"}
    return body["error"]


# Errors


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/api/v1/nothing", None, 404, "not_found"),
        ("GET", "/api/v1/corpora/", None, 404, "not_found"),
        ("GET", "/api/v1/corpora/no-id", None, 404, "not_found"),
        ("PUT", "/api/v1/corpora", {}, 405, "method_not_allowed"),
        ("POST", "/api/v1/corpora", b"{", 400, "malformed"),
        ("POST", "/api/v1/corpora", b"[" * 100_000, 400, "malformed"),
        ("POST", "/api/v1/corpora", b'{"name": NaN}', 400, "malformed"),
        ("POST", "/api/v1/corpora", b"\xff\xfe", 400, "malformed"),
        ("POST", "/api/v1/corpora", b"[]", 400, "invalid"),
        ("POST", "/api/v1/corpora", {"name": 7}, 400, "invalid"),
        ("POST", "/api/v1/corpora", {"name": "a\x00b"}, 400, "invalid"),
        ("POST", "/api/v1/corpora", b'{"name": "\\ud800"}', 400, "invalid"),
        ("POST", "/api/v1/corpora", {"name": "Ward", "nmae": "x"}, 400, "invalid"),
        ("POST", "/api/v1/turns", {"text": "Hello", "id": 7}, 400, "invalid"),
        ("GET", "/api/v1/documents?state=gone", None, 400, "invalid"),
        ("GET", "/api/v1/documents?limit=0", None, 400, "invalid"),
        ("GET", "/api/v1/documents?cursor=Zm9v", None, 400, "cursor_invalid"),
        ("GET", "/api/v1/documents?stat=failed", None, 400, "unknown_parameter"),
        ("POST", "/api/v1/corpora?name=Ward", {"name": "Ward"}, 400, "unknown_parameter"),
    ],
)
def test_whatever_is_wrong_is_told_in_one_shape(ask, method, path, body, status, code):
    answer = ask(method, path, body)
    assert (answer.status_code, error_of(answer)["code"]) == (status, code)


def test_a_browser_that_comes_by_reads_json_too(ask):
    answer = ask("GET", "/api/v1/nothing", Accept="text/html")
    assert error_of(answer)["code"] == "not_found"


def test_an_invalid_field_is_named(ask):
    error = error_of(ask("POST", "/api/v1/corpora", {"name": ""}))
    assert list(error["extra"]["fields"]) == ["name"] and "name" in error["message"]


def test_another_format_is_refused_with_the_one_that_is_read(tenant):
    answer = Client().post(
        "/api/v1/corpora",
        "name=Ward",
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": f"Bearer {key_of(tenant)}"},
    )
    assert answer.status_code == 415 and "application/json" in error_of(answer)["message"]


def test_a_body_that_is_too_large_is_not_read(ask):
    answer = ask("POST", "/api/v1/corpora", b'{"name": "' + b"x" * 1024 * 1024 + b'"}')
    assert (answer.status_code, error_of(answer)["code"]) == (413, "body_too_large")


def test_too_many_requests_say_when_to_come_back(tenant):
    ask = Program(key_of(tenant, per_minute=2))
    answers = [ask("GET", "/api/v1/corpora") for _ in range(4)]
    refused = answers[-1]
    assert refused.status_code == 429 and error_of(refused)["retryable"]
    assert int(refused.headers["Retry-After"]) >= 1


# Keys


def test_a_key_of_another_tenant_is_refused_as_an_unknown_one_is(tenant, rival):
    theirs, unknown = key_of(rival), f"ante_{tenant.id.hex}_{rival.id.hex}_{'x' * 43}"
    told = [
        Program(key, slug=tenant.slug)("GET", "/api/v1/corpora") for key in (theirs, unknown, "ante_x", "x")
    ]
    assert {answer.status_code for answer in told} == {401}
    assert len({answer.content for answer in told}) == 1
    assert told[0].headers["WWW-Authenticate"] == "Bearer"


def test_at_the_root_nothing_is_told_without_a_key(tenant):
    for path in ("/api/v1/corpora", "/api/v1/nothing", "/v1/models"):
        assert Program()("GET", path).status_code == 401


def test_a_key_of_a_tenant_that_is_gone_is_refused(tenant):
    from uuid import uuid4

    answer = Program(f"ante_{uuid4().hex}_{uuid4().hex}_{'x' * 43}")("GET", "/api/v1/corpora")
    assert answer.status_code == 401


@pytest.mark.parametrize("changed", ["revoked_at", "expires_at"])
def test_a_key_that_ended_is_refused(tenant, changed):
    from tenants.models import ApiKey

    key = key_of(tenant)
    with tenant_scope(tenant.id):
        ApiKey.objects.update(**{changed: now() - timedelta(seconds=1)})
    assert Program(key)("GET", "/api/v1/corpora").status_code == 401


def test_tenants_take_turns_on_one_connection_and_each_sees_its_own(tenant, rival):
    """As behind a transaction pooler: what one request set for its tenant never reaches the next one's queries."""
    from django.db import connection

    programs = {"acme": Program(key_of(tenant)), "rival": Program(key_of(rival))}
    for name, program in programs.items():
        program("POST", "/api/v1/corpora", {"name": f"Of {name}"})
    for _ in range(3):
        for name, program in programs.items():
            rows = program("GET", "/api/v1/corpora").json()["items"]
            assert [row["name"] for row in rows] == [f"Of {name}"]
            with connection.cursor() as cursor:
                cursor.execute("select count(*) from retrieval_corpus")
                assert cursor.fetchone() == (0,)


# Pages


def test_pages_tell_every_row_once_while_rows_come_and_go(ask, tenant):
    for n in range(7):
        ask("POST", "/api/v1/audiences", {"name": f"Ward {n % 3} {n}"})
    seen, cursor = [], ""
    while cursor is not None:
        page = ask("GET", f"/api/v1/audiences?limit=2&cursor={cursor}").json()
        seen += [row["name"] for row in page["items"]]
        cursor = page["next"]
        ask("POST", "/api/v1/audiences", {"name": f"A newcomer {len(seen)}"})
    with tenant_scope(tenant.id):
        there_before = {
            name for name in Audience.objects.values_list("name", flat=True) if "newcomer" not in name
        }
    assert there_before <= set(seen) and len(seen) == len(set(seen))


def test_rows_that_share_what_they_are_sorted_by_are_neither_skipped_nor_told_twice(ask, tenant):
    with tenant_scope(tenant.id):
        from tenants.services import end_user_for_device

        people = [end_user_for_device(device=str(n)) for n in range(5)]
        type(people[0]).objects.update(created_at=now())
    first = ask("GET", "/api/v1/end-users?limit=3").json()
    second = ask("GET", f"/api/v1/end-users?limit=3&cursor={first['next']}").json()
    ids = [row["id"] for row in first["items"] + second["items"]]
    assert len(set(ids)) == 5 and second["next"] is None


def test_a_cursor_counts_in_its_own_list_only(ask):
    for n in range(3):
        ask("POST", "/api/v1/audiences", {"name": f"Ward {n}"})
        ask("POST", "/api/v1/corpora", {"name": f"Rules {n}"})
        ask("POST", "/api/v1/end-users", {"subject": f"person-{n}"})
    corpora = ask("GET", "/api/v1/corpora?limit=1").json()["next"]
    people = ask("GET", "/api/v1/end-users?limit=1").json()["next"]
    assert corpora and people
    for elsewhere in (
        f"audiences?cursor={corpora}",
        f"keys?cursor={corpora}",
        f"corpora?cursor={people}",
        f"end-users?cursor={people}&search=person",
    ):
        answer = ask("GET", f"/api/v1/{elsewhere}")
        assert (answer.status_code, error_of(answer)["code"]) == (400, "cursor_invalid"), elsewhere
    assert (
        ask("GET", f"/api/v1/end-users?limit=2&cursor={people}").status_code == 200
    )  # of another length is fine


# Names


def test_names_of_every_script_make_corpora_and_audiences(ask):
    for name in ("مفتاح", "鍵", "Ключ", "Ward", "ward!"):
        for kind in ("corpora", "audiences"):
            made = ask("POST", f"/api/v1/{kind}", {"name": f"{name} {kind if name == 'ward!' else ''}"})
            assert made.status_code == 201, (name, made.content)
    slugs = [row["slug"] for row in ask("GET", "/api/v1/corpora").json()["items"]]
    assert len(set(slugs)) == 5 and all(slugs)


def test_a_name_that_is_taken_or_turns_around_is_refused(ask):
    for kind in ("corpora", "audiences"):
        first = ask("POST", f"/api/v1/{kind}", {"name": "鍵"}).json()
        other = ask("POST", f"/api/v1/{kind}", {"name": "Ward"}).json()
        taken = error_of(ask("POST", f"/api/v1/{kind}", {"name": " 鍵 "}))
        assert "called 鍵 already" in taken["message"]
        assert "already" in error_of(ask("PATCH", f"/api/v1/{kind}/{other['id']}", {"name": "鍵"}))["message"]
        assert ask("PATCH", f"/api/v1/{kind}/{first['id']}", {"name": "鍵"}).status_code == 200
        hidden = error_of(ask("POST", f"/api/v1/{kind}", {"name": "a\u202eb"}))
        assert "cannot be seen" in hidden["message"]


def test_what_has_its_name_from_before_is_described_anew_under_it(ask, tenant):
    """Names were not always looked at: two were the same, or turned around."""
    for kind, model in (("corpora", Corpus), ("audiences", Audience)):
        made = [ask("POST", f"/api/v1/{kind}", {"name": name}).json()["id"] for name in ("Ward", "Beds")]
        for name in ("Ward", "a\u202eb"):
            with tenant_scope(tenant.id):
                model.objects.filter(pk=made[1]).update(name=name)
            for change in ({"description": "East"}, {"name": name, "description": "West"}):
                told = ask("PATCH", f"/api/v1/{kind}/{made[1]}", change)
                assert told.status_code == 200, told.content
                assert (told.json()["name"], told.json()["description"]) == (name, change["description"])
        assert ask("PATCH", f"/api/v1/{kind}/{made[1]}", {"name": "Ward"}).status_code == 400


# Versions


def test_a_list_that_is_polled_is_not_sent_again_while_nothing_changes(ask):
    first = ask("GET", "/api/v1/audiences")
    again = ask("GET", "/api/v1/audiences", If_None_Match=first.headers["ETag"])
    assert again.status_code == 304 and again.content == b""
    ask("POST", "/api/v1/audiences", {"name": "Nurses"})
    assert ask("GET", "/api/v1/audiences", If_None_Match=first.headers["ETag"]).status_code == 200


def test_an_update_of_what_was_changed_meanwhile_is_refused(ask):
    made = ask("POST", "/api/v1/corpora", {"name": "Ward"}).json()
    path = f"/api/v1/corpora/{made['id']}"
    etag = ask("GET", path).headers["ETag"]
    assert ask("PATCH", path, {"name": "Ward 1"}, If_Match=etag).status_code == 200
    late = ask("PATCH", path, {"name": "Ward 2"}, If_Match=etag)
    assert (late.status_code, error_of(late)["code"]) == (412, "changed_meanwhile")
    assert ask("GET", path).json()["name"] == "Ward 1"
    assert ask("PATCH", path, {"name": "Ward 2"}, If_Match=error_of(late)["extra"]["etag"]).status_code == 200


# Repeats


def test_the_same_request_under_the_same_key_is_done_once(ask, tenant):
    first = ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1")
    again = ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1")
    assert first.status_code == again.status_code == 201 and first.json() == again.json()
    assert again.headers["Idempotent-Replayed"] == "true" and "Idempotent-Replayed" not in first.headers
    with tenant_scope(tenant.id):
        assert Audience.objects.filter(slug="nurses").count() == 1


def test_another_request_under_the_same_key_is_refused(ask):
    ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1")
    for method, path, body in (
        ("POST", "/api/v1/audiences", {"name": "Doctors"}),
        ("POST", "/api/v1/corpora", {"name": "Nurses"}),
    ):
        answer = ask(method, path, body, Idempotency_Key="a-1")
        assert (answer.status_code, error_of(answer)["code"]) == (422, "idempotency_key_reused")


def test_a_key_is_the_callers_own(tenant, rival):
    for key in (key_of(tenant), key_of(tenant), key_of(rival)):
        answer = Program(key)("POST", "/api/v1/corpora", {"name": f"Ward {key[-4:]}"}, Idempotency_Key="a-1")
        assert answer.status_code == 201


def test_a_request_that_is_still_being_done_is_not_begun_again(ask, tenant):
    ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1")
    with tenant_scope(tenant.id):
        IdempotentRequest.objects.update(status=None, body=None)
    answer = ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1")
    assert answer.status_code == 409 and error_of(answer)["retryable"]


def test_one_whose_process_has_died_is_done_three_minutes_later(ask, tenant):
    made = ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1").json()
    assert ask("DELETE", f"/api/v1/audiences/{made['id']}").status_code == 204
    with tenant_scope(tenant.id):
        died = now() - timedelta(minutes=3, seconds=1)
        IdempotentRequest.objects.update(status=None, body=None, created_at=died)
    assert ask("POST", "/api/v1/audiences", {"name": "Nurses"}, Idempotency_Key="a-1").status_code == 201


def test_a_refusal_is_repeated_too_and_a_day_later_it_is_forgotten(ask, tenant):
    first = ask("POST", "/api/v1/corpora", {"name": "Ward", "language": "klingon"}, Idempotency_Key="a-1")
    again = ask("POST", "/api/v1/corpora", {"name": "Ward", "language": "klingon"}, Idempotency_Key="a-1")
    assert first.status_code == again.status_code == 400 and "Idempotent-Replayed" in again.headers
    with tenant_scope(tenant.id):
        IdempotentRequest.objects.update(created_at=now() - timedelta(hours=24, minutes=1))
    fresh = ask("POST", "/api/v1/corpora", {"name": "Ward"}, Idempotency_Key="a-1")
    assert fresh.status_code == 201


def test_what_broke_is_not_kept(ask, tenant, monkeypatch):
    from retrieval import services

    def breaks(**fields):
        raise RuntimeError("out of order")

    monkeypatch.setattr(services, "corpus_create", breaks)
    with pytest.raises(RuntimeError):
        ask("POST", "/api/v1/corpora", {"name": "Ward"}, Idempotency_Key="a-1")
    monkeypatch.undo()
    assert ask("POST", "/api/v1/corpora", {"name": "Ward"}, Idempotency_Key="a-1").status_code == 201


def test_a_secret_in_a_kept_answer_is_not_readable_in_the_database(ask, tenant):
    made = ask("POST", "/api/v1/keys", {"name": "Ward", "scopes": ["read"]}, Idempotency_Key="a-1").json()
    again = ask("POST", "/api/v1/keys", {"name": "Ward", "scopes": ["read"]}, Idempotency_Key="a-1").json()
    assert again["key"] == made["key"]
    with tenant_scope(tenant.id):
        assert made["key"] not in json.dumps(IdempotentRequest.objects.get().body)


@pytest.mark.django_db(transaction=True)
def test_of_requests_at_once_one_is_done(tenant):
    key, answers = key_of(tenant), []

    def post():
        from django.db import connection

        answers.append(Program(key)("POST", "/api/v1/corpora", {"name": "Ward"}, Idempotency_Key="a-1"))
        connection.close()

    threads = [threading.Thread(target=post) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    assert len(made) == 1 and {answer.status_code for answer in answers} <= {201, 409}
