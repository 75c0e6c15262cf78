"""What-if replays: stored turns under a changed policy, by the same pipeline, and nothing is changed by looking."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Q

from conversations import wiring
from conversations.adapters.openai_chat import OpenAIChat
from conversations.domain.prompts import CONTEXTUALIZE
from conversations.errors import ReplayOver, ReplaysEnough, WhatIfNeedsModel, WhatIfUnknown
from conversations.evaluation.what_if import Sample, Selection, Side, added_up
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.evaluation.what_if_stage import stage
from conversations.models import DeletionReason, Session, SessionState, Turn, TurnTrace
from conversations.selectors.what_if import counts_by_stratum, differences, estimate
from conversations.services import jobs, what_if_work
from conversations.services.retention import sessions_delete
from conversations.services.what_if import what_if_cancel, what_if_publish, what_if_start
from conversations.services.what_if_work import Stage, what_if_serve, what_if_waits
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from retrieval import services as documents
from tenants.errors import QuotaZero
from tenants.models import Audience, AuditEntry, UsageDay
from tenants.scoping import tenant_scope
from tenants.selectors.versions import published_of
from tenants.services.quotas import quotas_set
from tenants.services.versions import version_draft, version_edit, version_publish
from tenants.versioning import gates
from tenants.versioning.errors import GateFailed, VersionConflict, VersionInvalid
from tenants.versioning.gates import GateResult, gate_register
from tests.fakes.model_server import model_server
from tests.integration.conversations.conftest import answered, visitor

ASKED = (
    "What is the RPO in Frankfurt?",
    "and in Dublin?",
    "What does a customer-managed key cost?",
    "How often is it rotated?",
    "and the RTO there?",
)
FORGETFUL = {"strategy": "window", "window": 1, "horizons": {"stale_after": 1, "evict_after": 2}}
PROMPT = {"system": f"{CONTEXTUALIZE.system} Be brief.", "user": CONTEXTUALIZE.user}
POLICY: dict[str, Any] = {"kind": "policy", "name": "scope"}


@pytest.fixture
def talked(asker):
    first = answered(asker, ASKED[0])
    return [first, *(answered(asker, text, first.session_id) for text in ASKED[1:])]


def started(data=FORGETFUL, selection=None, **more) -> WhatIfReplay:
    return what_if_start(**POLICY, data=data, selection=selection or Selection(), **more)


def finished(replay: WhatIfReplay, by: Stage | None = None) -> WhatIfReplay:
    while what_if_serve(by or stage()) is not None:
        pass
    replay.refresh_from_db()
    return replay


def rows_of(replay: WhatIfReplay) -> dict[int, WhatIfDifference]:
    return {row.turn.n: row for row in WhatIfDifference.objects.filter(replay=replay).select_related("turn")}


def written() -> dict[str, Any]:
    """Everything that a replay must leave as it is."""
    tables = (Session, SessionState, Turn, TurnTrace, UsageDay)
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in tables}


def test_it_shows_what_another_policy_would_search_and_changes_nothing(talked):
    before = written()
    replay = finished(started())
    assert written() == before
    assert (replay.state, replay.total) == ("done", 5)
    rows = rows_of(replay)
    assert rows[5].rewrite and rows[5].top_passage and rows[5].scope
    one, other = Side.from_json(rows[5].before), Side.from_json(rows[5].after)
    assert "Dublin" in one.query and "Dublin" not in other.query
    assert set(other.turns) == {4}
    assert rows[4].scope and not rows[4].rewrite
    assert (rows[1].state, rows[1].before) == ("same", None)
    total = added_up(list(counts_by_stratum(replay.pk).values()))
    assert (total.compared, total.rewrite, total.top_passage) == (5, 1, 1)
    assert replay.summary == total.to_json()


def test_under_what_was_in_force_the_replay_comes_to_what_was_stored(talked):
    replay = finished(started())
    assert not WhatIfDifference.objects.filter(replay=replay, stored_differs=True).exists()
    Turn.objects.filter(pk=talked[1].pk).update(query="Something else was searched then")
    again = finished(started())
    assert [n for n, row in rows_of(again).items() if row.stored_differs] == [2]


def test_a_chosen_turn_is_replayed_from_the_beginning_of_its_session(talked):
    replay = finished(started(selection=Selection(most=1)))
    rows = rows_of(replay)
    assert list(rows) == [5]
    assert set(Side.from_json(rows[5].before).turns) == {2, 3, 4}


def test_it_takes_the_grants_that_the_person_holds_now(talked, library):
    documents.corpus_revoke(corpus_id=library.id, group_id=Audience.objects.get(slug="everyone").group_id)
    rows = rows_of(finished(started()))
    sides = [Side.from_json(side) for row in rows.values() for side in (row.before, row.after) if side]
    assert sides and not any(side.passages for side in sides)


def test_messages_that_were_answered_together_are_replayed_together(talked):
    session = talked[0].session_id
    Turn.objects.filter(session=session, n=4).update(state="joined", joined_to=talked[4], verdict="", kind="")
    rows = rows_of(finished(started()))
    assert sorted(rows) == [1, 2, 3, 5]


def test_it_holds_what_is_chosen(talked, asker, tenant):
    alone = answered(visitor(tenant, "two"), "How often are keys rotated?")
    day = timedelta(days=1)
    Turn.objects.filter(pk=talked[0].pk).update(created_at=now() - 10 * day, verdict="contaminated")
    everything = Selection(follow_ups=False)

    def chosen(**more: Any) -> int:
        return estimate(replace(everything, **more)).turns

    assert chosen() == 6
    assert chosen(follow_ups=True) == 5
    assert chosen(since=now() - day) == 5
    assert chosen(until=now() - day) == 1
    assert chosen(flagged=True) == 1
    assert chosen(kinds=(alone.kind,), follow_ups=False) >= 1
    assert chosen(most=2, sample=Sample.RANDOM) == 2
    assert estimate(replace(everything, most=2)).matching == 6
    last = estimate(Selection(most=1))
    assert (last.turns, last.replayed) == (1, 5)


def test_running_it_twice_changes_nothing_and_a_lost_worker_is_followed_by_another(talked, monkeypatch):
    replay = started()

    def dies(work: Any) -> None:
        work.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(jobs, "job_let_go", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        what_if_serve(Stage(stage().ports_for, stage().fit, dies))
    assert what_if_serve(stage()) is None, "another worker is at it, as far as anybody knows"
    monkeypatch.undo()
    WhatIfReplay.objects.update(lease_until=now() - timedelta(seconds=1))
    assert what_if_waits()
    done = finished(replay)
    assert (done.state, done.tries) == ("done", 1)
    first = rows_of(done)
    assert what_if_serve(stage()) is None
    assert {n: row.after for n, row in rows_of(done).items()} == {n: row.after for n, row in first.items()}


def test_a_session_that_cannot_be_replayed_costs_only_its_own_turns(talked, tenant):
    answered(visitor(tenant, "two"), "How often are keys rotated?")
    replay = started(selection=Selection(follow_ups=False))
    calls = iter([RuntimeError("broken")])

    def run(work: Any) -> None:
        error = next(calls, None)
        if error:
            work.close()
            raise error
        wiring.run_apart(work)

    done = finished(replay, Stage(stage().ports_for, stage().fit, run))
    assert done.state == "done"
    assert done.summary["failed"] == 1 and done.summary["compared"] == 5


def test_it_is_cancelled_between_turns_and_keeps_what_it_has_found(talked):
    replay = started()
    what_if_cancel(replay_id=replay.pk)
    assert not what_if_waits()
    assert finished(replay).state == "cancelled"
    with pytest.raises(ReplayOver):
        what_if_cancel(replay_id=replay.pk)
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"what_if.started", "what_if.cancelled"} <= actions


def test_it_is_cancelled_between_two_turns_of_a_session(talked, monkeypatch):
    replay, inner = started(), what_if_work._store

    def store(row_id, one):
        inner(row_id, one)
        what_if_cancel(replay_id=replay.pk)

    monkeypatch.setattr(what_if_work, "RENEW_SECONDS", 0.0)
    monkeypatch.setattr(what_if_work, "_store", store)
    assert finished(replay).state == "cancelled"
    states = [row.state for row in rows_of(replay).values()]
    assert states.count("waiting") == 4


def test_a_replay_whose_workers_keep_dying_is_given_up(talked):
    replay = started()
    WhatIfReplay.objects.filter(pk=replay.pk).update(
        lease_token="0" * 32, lease_until="2020-01-01T00:00Z", tries=2
    )
    done = finished(replay)
    assert done.state == "failed" and "broke off" in done.reason
    assert done.summary["waiting"] == 5


def test_a_chosen_turn_that_is_no_longer_played_is_not_comparable(talked):
    replay = started()
    Turn.objects.filter(pk=talked[2].pk).update(joined_to=talked[3], state="joined")
    done = finished(replay)
    assert (done.state, rows_of(done)[3].state) == ("done", "failed")
    assert done.summary["compared"] == 4


def test_it_refuses_what_makes_no_replay(talked):
    with pytest.raises(WhatIfUnknown):
        what_if_start(kind="prompt", name="answer", data={"system": "x"}, selection=Selection())
    with pytest.raises(WhatIfNeedsModel):
        what_if_start(kind="prompt", name="contextualize", data=PROMPT, selection=Selection())
    with pytest.raises(VersionInvalid):
        started({"window": 0})
    with pytest.raises(Invalid, match="same as what is in force"):
        started({})
    with pytest.raises(Invalid, match="No stored turn"):
        started(selection=Selection(flagged=True))
    for _ in range(3):
        started()
    with pytest.raises(ReplaysEnough):
        started()


def test_deleting_a_conversation_deletes_what_replays_derived_from_it(talked):
    replay = finished(started())
    assert WhatIfDifference.objects.count() == 5
    sessions_delete(Q(pk=talked[0].session_id), DeletionReason.END_USER)
    assert not WhatIfDifference.objects.exists()
    assert WhatIfReplay.objects.get(pk=replay.pk).summary["compared"] == 5


def test_a_conversation_that_is_deleted_meanwhile_ends_the_replay(talked):
    replay = started()
    sessions_delete(Q(pk=talked[0].session_id), DeletionReason.END_USER)
    assert finished(replay).state == "done"


def test_the_rival_sees_none_of_it(talked, rival):
    replay = finished(started())
    with tenant_scope(rival.id):
        assert not WhatIfReplay.objects.exists() and not WhatIfDifference.objects.exists()
        assert not differences(replay.pk).exists()
        with pytest.raises(NotFound):
            what_if_cancel(replay_id=replay.pk)
        with pytest.raises(Invalid, match="No stored turn"):
            started()


def test_what_was_tried_is_published_once_somebody_says_so(talked, monkeypatch):
    replay = finished(started())
    with monkeypatch.context() as standing:
        standing.setattr(gates, "_standing", {})
        gate_register("closed", lambda version: GateResult(passed=False))
        with pytest.raises(GateFailed):
            what_if_publish(replay_id=replay.pk)
    assert published_of("policy", "scope") is None
    published = what_if_publish(replay_id=replay.pk)
    assert (
        published.data["strategy"] == "window" and published_of("policy", "scope").number == published.number
    )
    replay.refresh_from_db()
    assert replay.published_number == published.number
    assert AuditEntry.objects.filter(action="what_if.published").exists()


def test_a_draft_that_was_edited_since_is_not_published_unseen(talked):
    draft = version_draft(**POLICY, data=FORGETFUL)
    replay = finished(what_if_start(**POLICY, number=draft.number, selection=Selection()))
    version_edit(**POLICY, number=draft.number, data={**FORGETFUL, "window": 2})
    with pytest.raises(VersionConflict):
        what_if_publish(replay_id=replay.pk)
    assert published_of("policy", "scope") is None


def test_it_is_not_published_over_what_it_was_not_compared_with(talked):
    replay = finished(started())
    other = version_draft(**POLICY, data={"window": 7})
    version_publish(**POLICY, number=other.number)
    with pytest.raises(VersionConflict):
        what_if_publish(replay_id=replay.pk)


def test_nothing_is_published_while_it_runs(talked):
    replay = started()
    with pytest.raises(ReplayOver):
        what_if_publish(replay_id=replay.pk)
    with pytest.raises(NotFound):
        what_if_publish(replay_id=uuid4())


@pytest.fixture
def provider(monkeypatch):
    """A running model server that rewrites where a replay asks for it."""
    with model_server() as server:
        model = OpenAIChat(base_url=server.url, api_key="test", model="test-chat", retries=0)
        monkeypatch.setattr(wiring, "chat_model", lambda: model)
        yield server


def prompted(**more: Any) -> WhatIfReplay:
    asked = {"kind": "prompt", "name": "contextualize", "selection": Selection(), "has_model": True, **more}
    return what_if_start(data=PROMPT, **asked)


def test_a_prompt_is_replayed_with_the_model_and_no_answer_is_asked_for(talked, provider):
    replay = finished(prompted(with_model=True))
    assert replay.state == "done" and replay.summary["compared"] == 5
    about = estimate(Selection())
    assert 0 < provider.stats.chat <= about.most_model_calls
    assert provider.stats.chat % 2 == 0, "both sides rewrite the same turns"


def test_a_turn_that_the_model_failed_in_is_not_compared(talked, provider):
    provider.behave("server_error")
    replay = finished(prompted(with_model=True))
    assert replay.state == "done" and replay.summary["failed"] > 0 and replay.summary["rewrite"] == 0


def test_without_asking_for_it_no_model_is_called(talked, provider):
    finished(started(has_model=True))
    assert provider.stats.chat == 0


def test_it_ends_when_the_quota_of_the_model_is_reached(talked, provider):
    replay = prompted(with_model=True)
    quotas_set(quotas={"model_tokens_per_month": 0})
    replay = finished(replay)
    assert replay.state == "failed" and replay.reason
    with pytest.raises(QuotaZero):
        prompted(with_model=True)
