"""Unanswered questions by REST: grouped, in pages, dealt with and open again; twice, unknown, the rival's."""

from __future__ import annotations

import pytest

from conversations.audits.records import QuestionDealtWith
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tests.api.programs import Program, key_of
from tests.integration.admin_ui.rows import make_session, make_turn

pytestmark = pytest.mark.django_db
PATH = "/api/v1/unanswered-questions"
WINDOWS = ("Do you clean windows?", "do you clean   windows", "DO YOU CLEAN WINDOWS?!")


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


def asked(tenant, *messages, **fields):
    """Answered without a source, each in a conversation of its own."""
    values = {"query": "", "citations": [], "kind": "opening", "verdict": "", **fields}
    with tenant_scope(tenant.id):
        for n, message in enumerate(messages):
            make_turn(make_session(turns=0, who=f"{message} {n}"), 1, message=message, **values)


def items(ask, query=""):
    answer = ask("GET", f"{PATH}{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["items"]


def test_without_one_the_list_is_empty(ask):
    assert ask("GET", PATH).json() == {"items": [], "next": None}


def test_the_same_words_are_one_question_the_most_asked_first(ask, tenant):
    asked(tenant, "Where do I park?", *WINDOWS)
    first, second = items(ask)
    assert (first["question"], first["times"], first["people"]) == ("DO YOU CLEAN WINDOWS?!", 3, 3)
    assert (second["question"], second["times"], second["state"]) == ("Where do I park?", 1, "open")


def test_pages_tell_each_question_once_and_a_cursor_counts_in_its_own_list(ask, tenant):
    asked(tenant, *(f"Question number {n}" for n in range(5)), *WINDOWS)
    seen, cursor = [], ""
    while cursor is not None:
        page = ask("GET", f"{PATH}?limit=2&cursor={cursor}").json()
        seen += [row["question"] for row in page["items"]]
        cursor, last = page["next"], cursor
    assert len(seen) == len(set(seen)) == 6 and seen[0] == WINDOWS[-1]
    audiences = ask("POST", "/api/v1/audiences", {"name": "Nurses"})
    assert audiences.status_code == 201
    elsewhere = ask("GET", "/api/v1/audiences?limit=1").json()["next"]
    for wrong in (f"?cursor={elsewhere}", f"?days=28&cursor={last}", "?cursor=Zm9v"):
        assert ask("GET", f"{PATH}{wrong}").json()["error"]["code"] == "cursor_invalid"


def test_a_cursor_of_a_list_that_is_empty_by_now_counts_and_any_other_is_refused(ask, tenant):
    asked(tenant, "Where do I park?", WINDOWS[0])
    cursor = ask("GET", f"{PATH}?limit=1").json()["next"]
    for question in items(ask):
        assert ask("PUT", f"{PATH}/{question['fingerprint']}/dealt-with").status_code == 200
    assert ask("GET", f"{PATH}?cursor={cursor}").json() == {"items": [], "next": None}
    for wrong in ("?cursor=Zm9v", "?cursor=W10", f"?days=28&cursor={cursor}", f"?cursor={cursor[4:]}"):
        answer = ask("GET", f"{PATH}{wrong}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "cursor_invalid"), wrong


def test_one_is_dealt_with_and_opened_again_by_hand_or_by_being_asked_in_vain(ask, tenant):
    asked(tenant, WINDOWS[0])
    etag = ask("GET", PATH).headers["ETag"]
    assert ask("GET", PATH, If_None_Match=etag).status_code == 304
    [question] = items(ask)
    mark = f"{PATH}/{question['fingerprint']}/dealt-with"
    for _ in range(2):
        told = ask("PUT", mark).json()
        assert told["fingerprint"] == question["fingerprint"] and told["dealt_with_at"]
    assert ask("GET", PATH, If_None_Match=etag).status_code == 200 and items(ask) == []
    assert items(ask, "?state=dealt")[0]["dealt_with_at"] == told["dealt_with_at"]
    assert [ask("DELETE", mark).status_code for _ in range(2)] == [204, 404]
    assert items(ask)[0]["dealt_with_at"] is None
    ask("PUT", mark)
    asked(tenant, WINDOWS[1])
    [again] = items(ask)
    assert (again["times"], again["state"]) == (2, "open") and again["dealt_with_at"]
    with tenant_scope(tenant.id):
        logged = set(
            AuditEntry.objects.filter(target=question["fingerprint"]).values_list("action", flat=True)
        )
    assert logged == {"question.dealt_with", "question.reopened"}


def test_a_member_who_deals_with_one_is_named(tenant, person, client):
    asked(tenant, WINDOWS[0])
    ann = person(tenant, "ann@acme.example", "analyst")
    client.force_login(ann)
    signed_in = Program(slug=tenant.slug, client=client)
    [question] = items(signed_in)
    told = signed_in("PUT", f"{PATH}/{question['fingerprint']}/dealt-with").json()
    assert told["dealt_with_by"] == ann.pk


def test_who_writes_no_documents_reads_a_follow_up_as_it_was_typed(ask, tenant):
    asked(tenant, "and those of the wing?", query="clean windows", display="Do you clean windows?")
    assert items(ask)[0]["question"] == "Do you clean windows?"
    reader = Program(key_of(tenant, "read"))
    assert items(reader)[0]["question"] == "and those of the wing?"
    mark = f"{PATH}/{items(reader)[0]['fingerprint']}/dealt-with"
    assert reader("PUT", mark).status_code == reader("DELETE", mark).status_code == 403


@pytest.mark.parametrize(
    "query", ["?days=0", "?days=29", "?days=99999999999999999999", "?state=gone", "?limit=201", "?limit=0"]
)
def test_what_cannot_be_listed_is_refused(ask, tenant, query):
    asked(tenant, WINDOWS[0])
    assert ask("GET", f"{PATH}{query}").status_code == 400


@pytest.mark.parametrize("fingerprint", ["0" * 64, "x", "a" * 5000])
def test_what_was_not_asked_is_not_found(ask, tenant, fingerprint):
    for method in ("PUT", "DELETE"):
        assert ask(method, f"{PATH}/{fingerprint}/dealt-with").status_code == 404
    with tenant_scope(tenant.id):
        assert not QuestionDealtWith.objects.exists()


def test_the_rival_reads_none_of_them_and_marks_none(ask, tenant, rival):
    asked(tenant, WINDOWS[0])
    mark = f"{PATH}/{items(ask)[0]['fingerprint']}/dealt-with"
    theirs = Program(key_of(rival))
    assert items(theirs) == [] and theirs("PUT", mark).status_code == 404
    ask("PUT", mark)
    assert theirs("DELETE", mark).status_code == 404 and items(ask, "?state=dealt")
