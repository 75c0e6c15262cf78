"""A message that is refused for a limit is stored nowhere and counted nowhere; one that is here is never refused."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from conversations import errors
from conversations.adapters import metered_model
from conversations.adapters.metered_model import MeteredModel
from conversations.adapters.openai_call import StreamUsage
from conversations.domain.answer.failures import ModelRateLimited
from conversations.domain.ports import ModelReply
from conversations.models import Session, Turn, TurnState
from conversations.services.thoughts import turn_finish
from conversations.services.turns import turn_accept, turn_rate
from kernel.clock import now
from tenants.errors import QuotaReached, TooManyAtOnce, TooManyRequests
from tenants.models import WebhookDelivery
from tenants.scoping import no_scope, tenant_scope
from tenants.selectors.usage import usage_of
from tenants.services import end_user_for_device
from tenants.services.quotas import quotas_set
from tenants.services.usage import usage_flush
from tenants.services.webhooks import webhook_create

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def person(scoped):
    return end_user_for_device(device="reader").pk


def ask(person, client_id=None, session_id=None):
    accepted = turn_accept(
        end_user_id=person,
        session_id=session_id,
        client_id=client_id or str(uuid4()),
        text="When is it open?",
    )
    Turn.objects.filter(pk=accepted.turn.pk, state=TurnState.ACCEPTED).update(state=TurnState.COMPLETED)
    return accepted


def used() -> dict[str, int]:
    usage_flush()
    return usage_of(since=now().date(), until=now().date())


def test_one_person_may_ask_so_often_and_others_are_not_held_up(person):
    quotas_set(quotas={"end_user_turns_per_minute": 2})
    other = end_user_for_device(device="another").pk
    ask(person), ask(person)
    with pytest.raises(TooManyRequests) as refused:
        ask(person)
    assert "try again in" in refused.value.message and refused.value.extra["retry_after"] <= 30
    ask(other)
    assert Turn.objects.count() == Session.objects.count() == 3
    assert used() == {"turns": 3}


def test_a_message_that_is_here_is_acknowledged_again_whatever_the_limits_say(person):
    quotas_set(quotas={"end_user_turns_per_minute": 1, "turns_per_day": 1})
    first = ask(person, "hello-1")
    again = ask(person, "hello-1")
    in_session = ask(person, "hello-1", first.turn.session_id)
    assert (again.created, in_session.created, again.turn.pk) == (False, False, first.turn.pk)
    assert used() == {"turns": 1}


def test_the_tenants_day_is_used_up_together(person, rival):
    quotas_set(quotas={"turns_per_day": 2})
    ask(person), ask(end_user_for_device(device="another").pk)
    with pytest.raises(QuotaReached) as refused:
        ask(person)
    assert "messages of today (2)" in refused.value.message
    assert Turn.objects.count() == 2
    with tenant_scope(rival.id):
        ask(end_user_for_device(device="reader").pk)


def test_a_message_that_could_not_be_stored_is_not_counted(person):
    with pytest.raises(errors.SessionNotFound):
        ask(person, session_id=uuid4())
    ask(person)
    assert used() == {"turns": 1}


def test_too_many_answers_at_once_are_refused_and_not_counted(person):
    quotas_set(quotas={"concurrent_streams": 1})
    busy = ask(person)
    Turn.objects.filter(pk=busy.turn.pk).update(state=TurnState.RUNNING)
    with pytest.raises(TooManyAtOnce):
        ask(person)
    Turn.objects.filter(pk=busy.turn.pk).update(state=TurnState.COMPLETED)
    ask(person)
    assert used() == {"turns": 2}


class Talkative:
    """A chat model that costs ten tokens an answer."""

    label, host = "talkative", "model.example"

    async def reply(self, messages, schema):
        return ModelReply("{}", prompt_tokens=7, completion_tokens=3)

    async def stream(self, messages, *, usage: StreamUsage):
        try:
            for piece in ("one ", "two "):
                yield piece
        finally:
            usage.prompt_tokens, usage.completion_tokens = 6, 4

    async def aclose(self):
        pass


async def and_close(model, work):
    """Tokens are counted beside the answer: closing waits for it."""
    done = await work
    await model.aclose()
    return done


async def listen(model, pieces=9):
    heard = []
    stream = model.stream([])
    async for piece in stream:
        heard.append(piece)
        if len(heard) == pieces:
            break
    await stream.aclose()
    return heard


def test_tokens_of_the_model_are_counted_also_when_the_person_says_stop(scoped):
    model = MeteredModel(Talkative())
    asyncio.run(and_close(model, model.reply([], {})))
    assert asyncio.run(and_close(model, listen(model))) == ["one ", "two "]
    assert asyncio.run(and_close(model, listen(model, 1))) == ["one "]
    assert used() == {"model_tokens": 30}


def test_tokens_that_cannot_be_counted_cost_no_answer(scoped, monkeypatch, caplog):
    def broken(*_, **__):
        raise RuntimeError("no database")

    monkeypatch.setattr(metered_model, "usage_add", broken)
    model = MeteredModel(Talkative())
    assert asyncio.run(and_close(model, listen(model))) == ["one ", "two "]
    assert "10 tokens" in caplog.text and used() == {}


def test_over_the_quota_the_model_is_over_its_quota_for_this_tenant_only(scoped, rival):
    quotas_set(quotas={"model_tokens_per_month": 10})
    model = MeteredModel(Talkative())
    asyncio.run(and_close(model, model.reply([], {})))
    for call in (MeteredModel(Talkative()).reply([], {}), listen(MeteredModel(Talkative()))):
        with pytest.raises(ModelRateLimited):
            asyncio.run(call)
    with tenant_scope(rival.id):
        asyncio.run(MeteredModel(Talkative()).reply([], {}))
    with no_scope():
        asyncio.run(MeteredModel(Talkative()).reply([], {}))


def told() -> list[dict]:
    return [row.payload for row in WebhookDelivery.objects.order_by("created_at")]


@pytest.mark.parametrize(
    ("verdict", "is_told"),
    [
        ("contaminated", True),
        ("invented", True),
        ("diverged", True),
        ("revoked", True),
        ("clean", False),
        ("malformed", False),
    ],
)
def test_a_flagged_turn_is_told_without_what_was_said(person, verdict, is_told):
    from conversations.services.leases import lease_acquire

    webhook_create(url="https://crm.library.example/hook", events=["turn.flagged"])
    turn = ask(person).turn
    lease = lease_acquire(session_id=turn.session_id)
    turn_finish(turn=turn, lease=lease, result={"state": "completed", "verdict": verdict, "query": "opening"})
    expected = {"turn": str(turn.pk), "session": str(turn.session_id), "number": 1, "reason": verdict}
    assert told() == ([expected] if is_told else [])


def test_a_thumb_down_is_told_and_a_thumb_up_is_not(person):
    webhook_create(url="https://crm.library.example/hook", events=["turn.flagged"])
    turn = ask(person).turn
    for rating in ("up", "down", "none"):
        turn_rate(turn_id=turn.pk, end_user_id=person, rating=rating)
    assert [one["reason"] for one in told()] == ["rated_down"]
