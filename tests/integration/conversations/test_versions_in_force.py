"""A turn runs under the tenant's versions of this moment, says so, and the next turn runs under the next ones."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from conversations import tasks, wiring
from conversations.adapters.openai_chat import OpenAIChat, Timeouts
from conversations.domain.policy import Strategy
from conversations.domain.prompts import ANSWER, CONTEXTUALIZE
from conversations.models import Session, SessionState, Turn, TurnTrace
from conversations.selectors.in_force import in_force
from tenants.models import Version
from tenants.scoping import tenant_scope
from tenants.services import end_user_for_device, versions
from tests.fakes.model_server import model_server
from tests.integration.conversations.conftest import answered, visitor

SCOPE: dict[str, Any] = {"kind": "policy", "name": "scope"}


def publish(data: dict[str, Any], kind: str = "policy", name: str = "scope") -> Version:
    number = versions.version_draft(kind=kind, name=name, data=data).number
    return versions.version_publish(kind=kind, name=name, number=number)


def stage(data: dict[str, Any], share: int, kind: str = "policy", name: str = "scope") -> Version:
    number = versions.version_draft(kind=kind, name=name, data=data).number
    return versions.version_stage(kind=kind, name=name, number=number, share=share)


def trace_of(turn: Turn) -> dict[str, Any]:
    data: dict[str, Any] = TurnTrace.objects.get(turn=turn).data
    return data


def status_of(session_id: UUID, name: str) -> str:
    slots = SessionState.objects.get(session=session_id).data["slots"]
    return str([slot for slot in slots if slot["name"].casefold() == name.casefold()][-1]["status"])


def test_without_versions_a_turn_runs_under_what_is_built_in(asker):
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.policy_version == 0 and turn.prompt_versions == {"contextualize": 0, "answer": 0}
    assert trace_of(turn)["versions"] == {"policy": 0, "prompts": {"contextualize": 0, "answer": 0}}


def test_a_published_policy_is_in_force_at_the_next_turn(asker):
    first = answered(asker, "What is the RPO in Frankfurt?")
    publish({"strategy": "window", "window": 2})
    second = answered(asker, "and in Dublin?", first.session_id)
    assert (
        trace_of(first)["scope"]["strategy"] == "liveness"
        and trace_of(second)["scope"]["strategy"] == "window"
    )
    assert second.policy_version == 1 and trace_of(second)["versions"]["policy"] == 1


def test_another_horizon_changes_the_state_of_a_slot_in_the_next_turn(asker):
    """Two turns of silence: alive for three by the built-in policy, stale by the tenant's own."""
    first = answered(asker, "What is the RPO in Frankfurt?")
    answered(asker, "Different question: what does a customer-managed key cost?", first.session_id)
    assert status_of(first.session_id, "Frankfurt") == "live"
    publish({"horizons": {"stale_after": 1, "evict_after": 8}})
    answered(asker, "how often is it rotated?", first.session_id)
    assert status_of(first.session_id, "Frankfurt") == "stale"
    versions.version_roll_back(**SCOPE, number=0)
    other = answered(asker, "What is the RPO in Frankfurt?")
    for message in ("Different question: what does a customer-managed key cost?", "how often is it rotated?"):
        answered(asker, message, other.session_id)
    assert status_of(other.session_id, "Frankfurt") == "live"


def test_a_session_on_the_share_runs_under_the_staged_version_and_others_do_not(asker):
    publish({"window": 5})
    first = answered(asker, "What is the RPO in Frankfurt?")
    staged = stage({"window": 6}, share=100)
    second = answered(asker, "and in Dublin?", first.session_id)
    versions.version_stage_end(**SCOPE)
    third = answered(asker, "what about its RTO?", first.session_id)
    assert [turn.policy_version for turn in (first, second, third)] == [1, staged.number, 1]


def test_a_turn_that_fails_is_counted_under_its_version_too(asker, monkeypatch):
    publish({"window": 5})

    async def broken(given: Any, ports: Any, live: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("conversations.services.answering._run", broken)
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.state == "failed" and turn.policy_version == 1


def test_a_stored_policy_that_no_release_can_read_costs_nobody_an_answer(asker):
    Version.objects.create(**SCOPE, number=1, state="published", data={"window": "many"})
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert turn.state == "completed" and turn.policy_version == 0


def test_the_rivals_turns_stay_as_they_are(asker, rival):
    publish({"strategy": "window"})
    stage({"strategy": "segment"}, share=100)
    with tenant_scope(rival.id):
        turn = answered(visitor(rival), "What is the RPO in Frankfurt?")
        assert turn.policy_version == 0 and trace_of(turn)["scope"]["strategy"] == "liveness"


def test_what_is_in_force_is_read_in_one_query(asker, django_assert_num_queries):
    publish({"strategy": "hybrid"})
    publish({"system": "Answer from the passages."}, "prompt", "answer")
    with django_assert_num_queries(1):
        found = in_force(UUID(int=1))
    assert (
        found.policy.strategy is Strategy.HYBRID
        and found.prompts.answer.system == "Answer from the passages."
    )


def test_a_prompt_may_name_the_company(asker, tenant):
    publish({"system": "You work for {company}. Answer from the passages."}, "prompt", "answer")
    assert in_force(None).prompts.answer.system == f"You work for {tenant.name}. Answer from the passages."


# With a model


@pytest.fixture
def provider(monkeypatch):
    with model_server() as server:
        timeouts = Timeouts(connect=20.0, first_token=20.0, between_tokens=20.0, total=60.0, whole=60.0)
        model = OpenAIChat(
            base_url=server.url, api_key="test", model="test-chat", timeouts=timeouts, retries=0
        )
        monkeypatch.setattr(wiring, "chat_model", lambda: model)
        yield server


def systems(provider) -> list[str]:
    return [body["messages"][0]["content"] for body in provider.stats.requests]


def test_the_model_is_called_with_the_tenants_own_prompts(asker, provider):
    rewrite = {
        "system": CONTEXTUALIZE.system.replace("You rewrite", "You, of Acme, rewrite"),
        "user": CONTEXTUALIZE.user,
    }
    publish(rewrite, "prompt", "contextualize")
    publish({"system": ANSWER.system + "\n- Say please."}, "prompt", "answer")
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    rewriting, answering = sorted(set(systems(provider)), reverse=True)
    assert answering.endswith("Say please.") and rewriting.startswith("You, of Acme, rewrite")
    assert '"follow_up"' in rewriting and "{kinds}" not in rewriting
    assert second.prompt_versions == {"contextualize": 1, "answer": 1}


def test_a_prompt_tried_on_all_sessions_is_called_and_recorded(asker, provider):
    stage({"system": ANSWER.system + "\n- Say thank you."}, 100, "prompt", "answer")
    turn = answered(asker, "What is the RPO in Frankfurt?")
    assert systems(provider)[0].endswith("Say thank you.") and turn.prompt_versions["answer"] == 1


def test_a_summary_is_written_with_the_tenants_prompt(asker, provider):
    publish({"system": "Condense this. It is data. Return JSON."}, "prompt", "summarize")
    summarizer: Any = tasks._summarizer(UUID(int=1))
    assert summarizer._prompt.system == "Condense this. It is data. Return JSON."


@pytest.mark.parametrize(
    ("column", "index"),
    [
        ("policy_version", "turn_by_policy_version"),
        ("contextualize_version", "turn_by_contextualize_version"),
        ("answer_version", "turn_by_answer_version"),
    ],
)
def test_the_turns_of_a_version_are_found_by_an_index_behind_the_wall(scoped, column, index):
    """On the JSON itself no index would be used: row-level security forbids operators that are not leakproof."""
    session = Session.objects.create(end_user=end_user_for_device(device="many"), opened_by="many")
    versions = [number % 50 for number in range(500)]
    Turn.objects.bulk_create(
        Turn(
            session=session,
            n=n,
            client_id=str(n),
            message="What?",
            policy_version=number,
            prompt_versions={"contextualize": number, "answer": number},
        )
        for n, number in enumerate(versions, 1)
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("analyze conversations_turn")
        cursor.execute("set local enable_seqscan = off")
        found = Turn.objects.filter(**{column: 3}).order_by("-created_at").values("pk")
        plan = found.explain()
    conditions = [line for line in plan.splitlines() if "Index Cond" in line]
    assert index in plan and any(f"{column} = 3" in line for line in conditions)
