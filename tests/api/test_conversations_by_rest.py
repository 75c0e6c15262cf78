"""Conversations from code: asking, reading, and who reaches whose."""

from __future__ import annotations

import json
import threading
from uuid import uuid4

import httpx2
import pytest
from django.test import Client

from conversations.models import Session, Turn
from tenants.models import EndUser
from tenants.scoping import tenant_scope
from tenants.services.end_users import end_user_for_subject
from tenants.services.session_tokens import session_token_issue
from tests.api.programs import Program, key_of
from tests.api.serving import served
from tests.integration.conversations.conftest import SECRET, library, shelve  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
ANN, BEN = {"subject": "ann"}, {"subject": "ben"}


@pytest.fixture
def ask(library, tenant):  # noqa: F811
    return Program(key_of(tenant, "chat"))


@pytest.fixture
def read(library, tenant):  # noqa: F811
    return Program(key_of(tenant, "read"))


def turn(ask, text, end_user=ANN, **more):
    answer = ask("POST", "/api/v1/turns", {"text": text, "end_user": end_user, **more})
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_a_question_and_its_follow_up_are_answered_with_citations(ask):
    first = turn(ask, "What is the RPO in Frankfurt?")
    assert (first["state"], first["n"]) == ("completed", 1) and "5 minutes" in first["answer"]
    second = turn(ask, "And in Dublin?", session=first["session"])
    assert second["query"] == "What is the RPO in Dublin?" and second["rewritten"]
    assert "15 minutes" in second["answer"] and second["citations"][0]["title"] == "Regions"
    passage = ask("GET", f"/api/v1/passages/{second['citations'][0]['chunk']}?end_user=ann")
    assert "Dublin" in passage.json()["text"]


def test_the_same_message_id_never_makes_two_turns(ask, tenant):
    message = str(uuid4())
    first, again = (turn(ask, "What is the RPO in Frankfurt?", id=message) for _ in range(2))
    assert first["id"] == again["id"] and first["session"] == again["session"]
    with tenant_scope(tenant.id):
        assert Turn.objects.count() == 1


def test_a_conversation_is_opened_listed_read_and_deleted(ask, read, tenant):
    session = ask("POST", "/api/v1/sessions", {"title": "Regions", "end_user": ANN}).json()
    assert session["end_user"]["subject"] == "ann" and session["turns"] == 0
    turn(ask, "What is the RPO in Frankfurt?", session=session["id"])
    assert [row["id"] for row in ask("GET", "/api/v1/sessions?end_user=ann").json()["items"]] == [
        session["id"]
    ]
    told = read("GET", f"/api/v1/sessions/{session['id']}").json()
    assert [t["text"] for t in told["turns"]] == ["What is the RPO in Frankfurt?"]
    memory = read("GET", f"/api/v1/sessions/{session['id']}/memory").json()
    assert "Frankfurt" in {slot["name"] for slot in memory["slots"]}
    trace = read("GET", f"/api/v1/turns/{told['turns'][0]['id']}/trace").json()["trace"]
    assert {"classify", "retrieve"} <= {stage["name"] for stage in trace["stages"]}
    assert ask("DELETE", f"/api/v1/sessions/{session['id']}?end_user=ann").status_code == 204
    with tenant_scope(tenant.id):
        assert not Session.objects.exists() and not Turn.objects.exists()


def test_an_answer_is_rated_and_only_a_failed_one_is_tried_again(ask):
    first = turn(ask, "What is the RPO in Frankfurt?")
    rated = ask(
        "PUT", f"/api/v1/turns/{first['id']}/rating", {"rating": "down", "reason": "old", "end_user": ANN}
    )
    assert rated.json()["rating"] == "down"
    again = ask("POST", f"/api/v1/turns/{first['id']}/retry", {"end_user": ANN})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "not_retryable")
    with_stop = ask("POST", f"/api/v1/turns/{first['id']}/stop", {"end_user": ANN})
    assert (with_stop.status_code, with_stop.json()["state"]) == (202, "completed")


def test_what_was_stopped_is_asked_again_as_a_new_turn(ask, tenant):
    first = turn(ask, "What is the RPO in Frankfurt?")
    with tenant_scope(tenant.id):
        Turn.objects.update(state="stopped", answer="")
    again = ask("POST", f"/api/v1/turns/{first['id']}/retry", {"end_user": ANN})
    assert again.status_code == 201 and again.json()["n"] == 2 and "5 minutes" in again.json()["answer"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": "", "end_user": ANN}, 400, "invalid"),
        ({"text": "x"}, 400, "invalid"),
        ({"text": "x", "end_user": ANN, "session": str(uuid4())}, 404, "session_not_found"),
        ({"text": "x", "end_user": {"subject": "ann", "audiences": ["nobody"]}}, 400, "invalid"),
        ({"text": "x" * 20_001, "end_user": ANN}, 400, "invalid"),
        ({"text": "x", "end_user": {"subject": "a\nb"}}, 400, "invalid"),
    ],
)
def test_what_cannot_be_asked_is_refused_clearly(ask, body, status, code):
    answer = ask("POST", "/api/v1/turns", body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_a_session_id_from_a_log_opens_nothing_for_another_person(ask, tenant):
    """Every door that takes an id of a conversation or a message, entered by another end user of the same tenant."""
    mine = turn(ask, "What is the RPO in Frankfurt?")
    session, message = mine["session"], mine["id"]
    with tenant_scope(tenant.id):
        token = session_token_issue(end_user=end_user_for_subject(subject="ben")).text
    itself = Program(token, slug=tenant.slug)
    for by, body, query in ((ask, {"end_user": BEN}, "?end_user=ben"), (itself, {}, "")):
        for method, path, more in (
            ("GET", f"/api/v1/sessions/{session}{query}", None),
            ("DELETE", f"/api/v1/sessions/{session}{query}", None),
            ("GET", f"/api/v1/turns/{message}{query}", None),
            ("POST", f"/api/v1/turns/{message}/stop", {}),
            ("POST", f"/api/v1/turns/{message}/retry", {}),
            ("PUT", f"/api/v1/turns/{message}/rating", {"rating": "up"}),
            ("POST", "/api/v1/turns", {"text": "And in Dublin?", "session": session}),
        ):
            answer = by(method, path, None if more is None else {**more, **body})
            assert answer.status_code == 404, (path, answer.content)
        listed = by("GET", f"/api/v1/sessions{query}").json()["items"]
        assert listed == []
    completion = {
        "model": tenant.slug,
        "user": "ben",
        "messages": [{"role": "user", "content": "And in Dublin?"}],
        "metadata": {"session_id": session},
    }
    assert ask("POST", "/v1/chat/completions", completion).status_code == 404
    with tenant_scope(tenant.id):
        assert Turn.objects.get().rating == ""


def test_the_rival_reaches_no_conversation(ask, tenant, rival):
    mine = turn(ask, "What is the RPO in Frankfurt?")
    theirs = Program(key_of(rival))
    for method, path, body in (
        ("GET", f"/api/v1/sessions/{mine['session']}", None),
        ("GET", f"/api/v1/sessions/{mine['session']}/memory", None),
        ("GET", f"/api/v1/sessions/{mine['session']}?end_user=ann", None),
        ("DELETE", f"/api/v1/sessions/{mine['session']}", None),
        ("GET", f"/api/v1/turns/{mine['id']}", None),
        ("GET", f"/api/v1/turns/{mine['id']}/trace", None),
        ("POST", f"/api/v1/turns/{mine['id']}/stop", {"end_user": ANN}),
        ("PUT", f"/api/v1/turns/{mine['id']}/rating", {"rating": "up", "end_user": ANN}),
        ("POST", "/api/v1/turns", {"text": "x", "session": mine["session"], "end_user": ANN}),
    ):
        assert theirs(method, path, body).status_code == 404, path
    assert theirs("GET", "/api/v1/sessions").json()["items"] == []
    assert theirs("GET", "/api/v1/reports/contamination").json()["total"]["turns"] == 0
    assert "5 minutes" not in turn(theirs, "What is the RPO in Frankfurt?")["answer"]


def test_people_who_ask_at_once_get_each_their_own_answer_and_history(ask, tenant):
    """Eight people at one moment, each with a follow-up of their own."""
    key, told, places = key_of(tenant, "chat"), {}, {"Frankfurt": "5 minutes", "Dublin": "15 minutes"}

    def talk(n, place):
        program, who = Program(key), {"subject": f"person-{n}"}
        first = turn(program, f"What is the RPO in {place}?", who)
        second = turn(program, "And the RTO?", who, session=first["session"])
        told[n] = (place, first, second)

    threads = [threading.Thread(target=talk, args=(n, list(places)[n % 2])) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 8
    for place, first, second in told.values():
        other = next(name for name in places if name != place)
        assert places[place] in first["answer"] and place in second["query"] and other not in second["query"]
    sessions = {first["session"] for _, first, _ in told.values()}
    assert len(sessions) == 8


def test_what_one_person_said_of_charlie_another_is_not_told(ask, read):
    ann = turn(ask, "Charlie needs the RPO in Frankfurt. What is it?")
    ben = turn(ask, "Charlie prefers Dublin. What is the RPO there?", BEN)
    for mine, own, foreign in ((ann, "Frankfurt", "Dublin"), (ben, "Dublin", "Frankfurt")):
        memory = json.dumps(read("GET", f"/api/v1/sessions/{mine['session']}/memory").json()["slots"])
        assert own in memory and foreign not in memory


def test_verdicts_are_counted_by_period(ask, read, tenant):
    for end_user in (ANN, BEN):
        turn(ask, "What is the RPO in Frankfurt?", end_user)
    with tenant_scope(tenant.id):
        Turn.objects.filter(session__end_user__subject="id:ben").update(verdict="contaminated")
    told = read("GET", "/api/v1/reports/contamination?by=month").json()
    assert len(told["periods"]) == 1 and told["total"]["turns"] == 2
    assert told["periods"][0]["verdicts"] == told["total"]["verdicts"]
    assert told["total"]["verdicts"]["contaminated"] == 1 and told["total"]["contaminated_share"] == 0.5
    flagged = read("GET", "/api/v1/sessions?verdict=flagged").json()["items"]
    assert [row["end_user"]["subject"] for row in flagged] == ["ben"]


def test_a_member_asks_as_themselves_and_speaks_for_nobody(library, tenant, person):  # noqa: F811
    client = Client()
    client.force_login(person(tenant, "ada@acme.example", "owner"))
    ada = Program(slug=tenant.slug, client=client)
    answer = ada("POST", "/api/v1/turns", {"text": "What is the RPO in Frankfurt?"})
    assert answer.status_code == 201 and "5 minutes" in answer.json()["answer"]
    refused = ada("POST", "/api/v1/turns", {"text": "x", "end_user": ANN})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_permitted")
    with tenant_scope(tenant.id):
        assert not EndUser.objects.filter(subject="id:ann").exists()


def test_an_analyst_reads_no_answer_that_rests_on_what_they_may_not_see(library, tenant, person, ask):  # noqa: F811
    from retrieval import services

    shelve("aurora.md", SECRET, corpus=library, restricted=True)
    board = Program(key_of(tenant))
    board("POST", "/api/v1/audiences", {"name": "Board"})
    with tenant_scope(tenant.id):
        from retrieval.models import Document
        from tenants.models import Audience

        secret = Document.objects.get(filename="aurora.md")
        services.document_grant(document_id=secret.pk, group_id=Audience.objects.get(slug="board").group_id)
    asked = turn(ask, "When does Project Aurora open Reykjavik?", {"subject": "ann", "audiences": ["board"]})
    assert "March" in asked["answer"]
    client = Client()
    client.force_login(person(tenant, "ana@acme.example", "analyst"))
    ana = Program(slug=tenant.slug, client=client)
    told = ana("GET", f"/api/v1/sessions/{asked['session']}")
    assert told.json()["turns"][0]["sealed"] and "March" not in told.content.decode()
    assert "12 people" not in ana("GET", f"/api/v1/turns/{asked['id']}/trace").content.decode()


def test_an_answer_is_streamed_as_the_chats_own_events(library, tenant):  # noqa: F811
    key = key_of(tenant, "chat")
    with (
        served() as url,
        httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as http,
    ):
        body = {"text": "What is the RPO in Frankfurt?", "end_user": ANN}
        with http.stream(
            "POST", "/api/v1/turns", json=body, headers={"Accept": "text/event-stream"}
        ) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            frames = events_of(stream.iter_lines())
        refused = http.post(
            "/api/v1/turns", json={"text": "x", "stream": True, "end_user": ANN, "session": str(uuid4())}
        )
    kinds = [kind for kind, _ in frames]
    assert kinds[0] == "turn" and kinds[-2:] == ["turn.completed", "done"] and "turn.query" in kinds
    text = ""
    for kind, data in frames:
        if kind == "turn.delta":
            text = text[: data["at"]] + data["text"]
    assert text == frames[-1][1]["answer"] and "5 minutes" in text
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "session_not_found")


def test_a_body_that_comes_in_pieces_is_read(library, tenant):  # noqa: F811
    headers = {"Authorization": f"Bearer {key_of(tenant, 'chat')}", "Content-Type": "application/json"}
    pieces = iter([b'{"text": "How are you?", ', b'"end_user": {"subject": "ann"}}'])
    with served() as url:
        answer = httpx2.post(f"{url}/api/v1/turns", content=pieces, headers=headers, timeout=60)
    assert answer.status_code == 201 and answer.json()["kind"] == "small_talk"


def events_of(lines):
    frames, kind = [], ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            frames.append((kind, json.loads(line.removeprefix("data: "))))
    return frames
