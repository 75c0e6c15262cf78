"""Follow-up sets, items, files and gates by REST: named mistakes, twice, empty, too big, and the rival."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from conversations.evaluation import entries
from conversations.models import EvaluationRun, FollowUpItem, FollowUpSet
from conversations.services import evaluation_sets
from tenants.models import AuditEntry
from tenants.scoping import tenant_scope
from tests.api.evaluating import GATES, HOLDS, RUNS, SETS, started, uploaded
from tests.api.programs import Program, code_of, key_of
from tests.integration.evaluations.conftest import LINES, file_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(tenant):
    return Program(key_of(tenant))


@pytest.fixture
def theirs(rival):
    return Program(key_of(rival))


@pytest.fixture
def regions(ask):
    """A set of three items."""
    made = ask("POST", SETS, {"name": "Regions"}).json()
    assert uploaded(ask, made["id"], file_of(LINES)).json() == {"items": 3}
    return made["id"]


def test_a_set_is_made_named_anew_listed_and_deleted_once(ask, tenant):
    made = ask("POST", SETS, {"name": "  Wards  of the east "}).json()
    assert (made["name"], made["items"]) == ("Wards of the east", 0)
    assert code_of(ask("POST", SETS, {"name": "Wards of the east"})) == (409, "followup_set_name_taken")
    other = ask("POST", SETS, {"name": "Beds"}).json()
    assert [one["name"] for one in ask("GET", SETS).json()["items"]] == ["Beds", "Wards of the east"]
    assert code_of(ask("PUT", f"{SETS}/{other['id']}", {"name": made["name"]})) == (
        409,
        "followup_set_name_taken",
    )
    told = ask("PUT", f"{SETS}/{other['id']}", {"name": "Beds", "note": "After the move"}).json()
    assert told["note"] == "After the move"
    assert ask("DELETE", f"{SETS}/{other['id']}").status_code == 204
    assert code_of(ask("DELETE", f"{SETS}/{other['id']}")) == (404, "not_found")
    with tenant_scope(tenant.pk):
        told = AuditEntry.objects.filter(action__startswith="followup_set").values_list("action", flat=True)
        assert sorted(told) == ["followup_set.changed", *["followup_set.created"] * 2, "followup_set.deleted"]


def test_a_list_that_did_not_change_is_not_sent_again(ask, regions):
    for path in (SETS, f"{SETS}/{regions}", f"{SETS}/{regions}/items", RUNS, GATES):
        first = ask("GET", path)
        assert ask("GET", path, If_None_Match=first.headers["ETag"]).status_code == 304, path
    before = ask("GET", f"{SETS}/{regions}").headers["ETag"]
    assert ask("POST", f"{SETS}/{regions}/items", {"item": {**LINES[0], "id": "more"}}).status_code == 201
    assert ask("GET", f"{SETS}/{regions}", If_None_Match=before).status_code == 200


@pytest.mark.parametrize("name", ["", " \n ", "a" * 81, "bell\u0007", "half \ud800"])
def test_a_name_that_is_none_makes_no_set(ask, tenant, name):
    assert code_of(ask("POST", SETS, {"name": name}))[0] == 400
    with tenant_scope(tenant.pk):
        assert not FollowUpSet.objects.exists()


def test_the_same_request_twice_makes_one_set(ask, tenant):
    twice = [ask("POST", SETS, {"name": "Once"}, Idempotency_Key="k1") for _ in range(2)]
    assert twice[0].json() == twice[1].json() and twice[1].headers["Idempotent-Replayed"] == "true"
    with tenant_scope(tenant.pk):
        assert FollowUpSet.objects.count() == 1


def test_not_more_sets_than_a_workspace_may_have(ask, monkeypatch):
    monkeypatch.setattr(evaluation_sets, "MOST_SETS", 1)
    assert ask("POST", SETS, {"name": "One"}).status_code == 201
    assert code_of(ask("POST", SETS, {"name": "Two"})) == (400, "invalid")


def test_an_item_is_added_read_changed_and_deleted(ask, regions):
    inside = f"{SETS}/{regions}/items"
    made = ask("POST", inside, {"item": {**LINES[0], "id": "new", "meta": {"by": "ada"}}}).json()
    assert ask("GET", f"{inside}/{made['id']}").json()["item"]["meta"] == {"by": "ada"}
    assert code_of(ask("POST", inside, {"item": {**LINES[0], "id": "new"}})) == (
        409,
        "followup_item_key_taken",
    )
    assert code_of(ask("PUT", f"{inside}/{made['id']}", {"item": LINES[1]})) == (
        409,
        "followup_item_key_taken",
    )
    changed = ask("PUT", f"{inside}/{made['id']}", {"item": {**LINES[1], "id": "new"}}).json()
    assert changed["item"]["follow_up"] == "and in Dublin?"
    assert ask("DELETE", f"{inside}/{made['id']}").status_code == 204
    for method, body in (("GET", None), ("PUT", {"item": LINES[1]}), ("DELETE", None)):
        assert code_of(ask(method, f"{inside}/{made['id']}", body)) == (404, "not_found")
    assert {one["item"]["id"] for one in ask("GET", inside).json()["items"]} == {
        "first",
        "dublin",
        "elsewhere",
    }


def test_an_item_is_found_in_its_own_set_only(ask, regions):
    other = ask("POST", SETS, {"name": "Other"}).json()["id"]
    item = ask("GET", f"{SETS}/{regions}/items").json()["items"][0]["id"]
    for method, body in (("GET", None), ("PUT", {"item": LINES[0]}), ("DELETE", None)):
        assert ask(method, f"{SETS}/{other}/items/{item}", body).status_code == 404


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"gold": []}, "gold"),
        ({"prefix": [{"role": "system", "content": "x"}]}, "role"),
        ({"prefix": [{"role": "user", "content": "x"}] * 61}, "prefix"),
        ({"stratum": "Near Follow-up"}, "stratum"),
        ({"follow_up": ""}, "follow_up"),
        ({"follow_up": "x" * 8001}, "follow_up"),
        ({"mood": "good"}, "mood"),
        ({"id": 7}, "id"),
    ],
)
def test_an_item_with_a_mistake_is_refused_by_name(ask, regions, change, told):
    answer = ask("POST", f"{SETS}/{regions}/items", {"item": {**LINES[0], "id": "new", **change}})
    assert code_of(answer) == (400, "followup_set_refused")
    assert told in answer.json()["error"]["extra"]["faults"][0]["reason"]


def test_a_file_is_loaded_whole_or_not_at_all_and_every_mistake_is_named(ask, regions):
    lines = [
        json.dumps({**LINES[0], "id": "new"}),
        "{not json",
        json.dumps({**LINES[1], "gold": [], "stratum": "A"}),
    ]
    answer = uploaded(ask, regions, "\n".join(lines).encode(), replace="true")
    assert code_of(answer) == (400, "followup_set_refused")
    assert [fault["line"] for fault in answer.json()["error"]["extra"]["faults"]] == [2, 3, 3]
    assert ask("GET", f"{SETS}/{regions}").json()["items"] == 3


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "no item"),
        (b"\n \n", "no item"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[" * 100_000, "nests too deeply"),
        (b'{"id": ' + b"9" * 10_000 + b"}", "number that is too long"),
        (file_of([LINES[0], LINES[0]]), "line 1 already"),
        (file_of([{**LINES[0], "follow_up": "a\x00b"}]), "cannot be stored"),
        (file_of([{**LINES[0], "meta": {"a": "\ud800"}}]), "cannot be stored"),
        (b"x" * (entries.MOST_BYTES + 1), "larger than 4 MB"),
    ],
    ids=["empty", "blank", "binary", "nested", "number", "twice", "zero", "surrogate", "large"],
)
def test_a_file_that_is_none_is_refused_and_nothing_changes(ask, regions, data, told):
    answer = uploaded(ask, regions, data)
    assert code_of(answer) == (400, "followup_set_refused") and told in json.dumps(answer.json())
    assert ask("GET", f"{SETS}/{regions}").json()["items"] == 3


def test_a_set_that_is_full_takes_no_more(ask, regions, monkeypatch):
    monkeypatch.setattr(evaluation_sets, "MOST_ITEMS", 3)
    more = {**LINES[0], "id": "more"}
    assert code_of(ask("POST", f"{SETS}/{regions}/items", {"item": more})) == (409, "followup_set_full")
    assert code_of(uploaded(ask, regions, file_of([more]))) == (409, "followup_set_full")
    assert uploaded(ask, regions, file_of([more]), replace="true").json() == {"items": 1}


def test_what_is_exported_is_loaded_again_as_it_was(ask, regions):
    def exported():
        return b"".join(ask("GET", f"{SETS}/{regions}/export").streaming_content)

    text = exported()
    assert len(text.splitlines()) == 3
    assert uploaded(ask, regions, text, replace="true").json() == {"items": 3}
    assert exported() == text


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"strategies": []}, 400, "invalid"),
        ({"strategies": ["luck"]}, 400, "invalid"),
        ({"strategies": ["policy"] * 50}, 400, "invalid"),
        ({"policy_number": 99}, 404, "not_found"),
        ({"policy_number": -1}, 400, "invalid"),
        ({"prompt_number": 99}, 404, "not_found"),
        ({"audience": "nobody"}, 404, "not_found"),
        ({"with_model": True}, 400, "evaluation_needs_model"),
        ({"set": str(uuid4())}, 404, "not_found"),
        ({"set": "regions"}, 400, "invalid"),
        ({"mood": "good"}, 400, "invalid"),
    ],
)
def test_what_makes_no_run_is_refused_with_its_reason(ask, regions, tenant, body, status, code):
    assert code_of(ask("POST", RUNS, {"set": regions, **body})) == (status, code)
    with tenant_scope(tenant.pk):
        assert not EvaluationRun.objects.exists()


def test_an_empty_set_is_not_run_and_not_many_at_once(ask, regions):
    empty = ask("POST", SETS, {"name": "Empty"}).json()["id"]
    assert code_of(ask("POST", RUNS, {"set": empty})) == (400, "invalid")
    for _ in range(3):
        started(ask, regions)
    answer = ask("POST", RUNS, {"set": regions})
    assert code_of(answer) == (429, "evaluations_enough")


@pytest.mark.parametrize(
    "change",
    [
        {"set": None},
        {"values": {"every": {"luck": {"min": 1}}}},
        {"values": {"every": {"recall@5": {"min": 2}}}},
        {"values": {"strategy": "luck"}},
        {"values": {"strata": {f"s{n}": {"recall@5": {"min": 0.1}} for n in range(61)}}},
        {"values": {"every": {"recall@5": 1}}},
        {"values": {"mood": {}}},
        {"values": []},
        {"required": "yes"},
    ],
)
def test_gates_that_are_none_are_refused_and_the_old_ones_hold(ask, regions, change):
    gates = {"required": True, "set": regions, "values": HOLDS}
    ask("PUT", GATES, gates)
    assert ask("PUT", GATES, {**gates, **change}).status_code == 400
    assert ask("GET", GATES).json() == gates


def test_the_rival_finds_changes_and_guards_with_none_of_it(ask, theirs, regions, tenant):
    run = started(ask, regions)
    item = ask("GET", f"{SETS}/{regions}/items").json()["items"][0]["id"]
    line = {"item": {**LINES[0], "id": "theirs"}}
    for method, path, body in (
        ("GET", f"{SETS}/{regions}", None),
        ("PUT", f"{SETS}/{regions}", {"name": "Mine"}),
        ("DELETE", f"{SETS}/{regions}", None),
        ("GET", f"{SETS}/{regions}/items", None),
        ("POST", f"{SETS}/{regions}/items", line),
        ("GET", f"{SETS}/{regions}/items/{item}", None),
        ("PUT", f"{SETS}/{regions}/items/{item}", line),
        ("DELETE", f"{SETS}/{regions}/items/{item}", None),
        ("GET", f"{SETS}/{regions}/export", None),
        ("POST", RUNS, {"set": regions}),
        ("GET", f"{RUNS}/{run['id']}", None),
        ("DELETE", f"{RUNS}/{run['id']}", None),
        ("POST", f"{RUNS}/{run['id']}/cancel", None),
        ("GET", f"{RUNS}/{run['id']}/results", None),
        ("PUT", GATES, {"required": True, "set": regions, "values": HOLDS}),
    ):
        assert theirs(method, path, body).status_code == 404, (method, path)
    assert uploaded(theirs, regions, file_of(LINES), replace="true").status_code == 404
    assert theirs("GET", SETS).json()["items"] == theirs("GET", RUNS).json()["items"] == []
    with tenant_scope(tenant.pk):
        assert FollowUpItem.objects.count() == 3 and EvaluationRun.objects.get().state == "queued"
