"""Commands by POST and events as a stream, for networks that cut WebSockets."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID, uuid4

import httpx2
import pytest

from conversations import views_stream
from conversations.adapters.event_log import EventLog, close_client
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device
from tenants.services.session_tokens import session_token_issue
from tenants.services.widget_keys import widget_key_create, widget_key_revoke
from tests.api.serving import served
from tests.integration.conversations.conftest import library  # noqa: F401

pytestmark = pytest.mark.django_db(transaction=True)
BURST = 1000


@pytest.fixture
def widget(tenant):
    with tenant_scope(tenant.pk):
        return widget_key_create(name="Shop")


def token_of(tenant, widget, device="one"):
    with tenant_scope(tenant.pk):
        return session_token_issue(end_user=end_user_for_device(device=device), widget_key=widget).text


@pytest.fixture
def chat(library):  # noqa: F811
    """The chat's addresses in a served application."""
    with served() as url, httpx2.Client(base_url=f"{url}/t/acme/chat/", timeout=60) as client:
        yield client


def told(client, token, *frames, following=None, **headers):
    sent = {"following": following, "frames": list(frames)}
    answer = client.post("commands", json=sent, headers={"Authorization": f"Bearer {token}", **headers})
    assert answer.status_code == 200, answer.text
    return answer.json()["frames"]


def events(client, token, session, *, after=0, until="turn.completed"):
    """The stream's events up to the first of a kind, or to its end."""
    headers = {"Authorization": f"Bearer {token}", "Last-Event-ID": str(after)}
    seen = []
    with client.stream("GET", "events", params={"session": session}, headers=headers) as stream:
        assert stream.status_code == 200, stream.read()
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
                if seen[-1]["type"] == until:
                    break
    return seen


def asked(client, token, text="What is the RPO in Frankfurt?"):
    [opened] = told(client, token, {"type": "ask", "session": None, "id": str(uuid4()), "text": text})
    return opened


def test_a_question_is_answered_over_plain_requests(chat, tenant, widget):
    token = token_of(tenant, widget)
    opened = asked(chat, token)
    heard = events(chat, token, opened["session"], after=opened["seq"])
    assert "5 minutes" in heard[-1]["answer"]
    numbers = [event["seq"] for event in heard]
    assert numbers == list(range(opened["seq"] + 1, opened["seq"] + 1 + len(numbers)))
    later = events(chat, token, opened["session"], after=numbers[-3])
    assert [event["seq"] for event in later] == numbers[-2:], "a stream goes on where another broke"


def test_a_burst_arrives_whole_and_in_order(chat, tenant, widget):
    token = token_of(tenant, widget)
    opened = asked(chat, token)
    last = events(chat, token, opened["session"], after=opened["seq"])[-1]["seq"]

    async def burst():
        log = EventLog(UUID(opened["session"]), floor=last)
        for number in range(BURST):
            await log.append("turn.rated", turn=str(uuid4()), rating=str(number))
        await log.append("session.titled", title="done")
        await close_client()

    with tenant_scope(tenant.pk):
        asyncio.run(burst())
    heard = events(chat, token, opened["session"], after=last, until="session.titled")
    ratings = [
        int(event["rating"]) for event in heard if event["type"] == "turn.rated" and event["rating"].isdigit()
    ]
    assert ratings == list(range(BURST))


def test_commands_are_refused_in_the_one_shape_and_the_others_still_count(chat, tenant, widget):
    frames = told(chat, token_of(tenant, widget), {"type": "dance"}, "nonsense", {"type": "ping"})
    assert [frame["type"] for frame in frames] == ["error", "error", "pong"]
    assert frames[0]["code"] == "unknown_command"


def test_nothing_counts_but_a_session_token(chat, tenant, widget):
    for headers in ({}, {"Authorization": "Bearer st_nonsense"}, {"Authorization": "Bearer ante_x"}):
        answer = chat.post("commands", json={"frames": [{"type": "ping"}]}, headers=headers)
        assert answer.json() == {"frames": [{"type": "close", "code": 4401}]}
        with chat.stream("GET", "events", params={"session": str(uuid4())}, headers=headers) as stream:
            assert '"code": 4401' in stream.read().decode()


def test_a_widget_that_is_switched_off_closes_both(chat, tenant, widget):
    token = token_of(tenant, widget)
    opened = asked(chat, token)
    with tenant_scope(tenant.pk):
        widget_key_revoke(key_id=widget.pk)
    assert told(chat, token, {"type": "ping"}) == [{"type": "close", "code": 4403}]
    assert events(chat, token, opened["session"], until="close")[-1] == {"type": "close", "code": 4403}


def test_a_stream_that_is_open_closes_with_its_widget(chat, tenant, widget, monkeypatch):
    """It is told; its own look, which this test puts off for good, is for bells that were missed."""
    monkeypatch.setattr(views_stream, "SILENCES", 10**9)
    token = token_of(tenant, widget)
    opened = asked(chat, token)
    headers = {"Authorization": f"Bearer {token}", "Last-Event-ID": "0"}
    with chat.stream("GET", "events", params={"session": opened["session"]}, headers=headers) as stream:
        lines = stream.iter_lines()
        next(line for line in lines if "turn.completed" in line)
        with tenant_scope(tenant.pk):
            widget_key_revoke(key_id=widget.pk)
        last = [line for line in lines if line.startswith("data: ")][-1]
    assert json.loads(last[6:]) == {"type": "close", "code": 4403}


def test_a_page_of_another_site_is_refused(chat, tenant, widget):
    token = token_of(tenant, widget)
    headers = {"Authorization": f"Bearer {token}", "Origin": "https://evil.example"}
    answer = chat.post("commands", json={"frames": [{"type": "ping"}]}, headers=headers)
    assert answer.json()["frames"] == [{"type": "close", "code": 4401}]
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_anothers_conversation_is_not_read(chat, tenant, widget):
    opened = asked(chat, token_of(tenant, widget, "one"))
    other = token_of(tenant, widget, "two")
    answer = chat.get(
        "events", params={"session": opened["session"]}, headers={"Authorization": f"Bearer {other}"}
    )
    assert answer.status_code == 404
    [refused] = told(chat, other, {"type": "open", "session": opened["session"], "after": 0})
    assert refused["code"] == "session_not_found"


def test_a_body_that_is_none_is_refused(chat, tenant, widget):
    headers = {"Authorization": f"Bearer {token_of(tenant, widget)}"}
    for body in (b"", b"[]", b'{"frames": 1}', json.dumps({"frames": [{"type": "ping"}] * 51}).encode()):
        assert chat.post("commands", content=body, headers=headers).status_code == 400
