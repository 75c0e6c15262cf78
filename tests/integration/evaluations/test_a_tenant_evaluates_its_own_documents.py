"""A set is run through the pipeline over the tenant's own documents; what came of each item is kept and reported."""

from __future__ import annotations

import pytest

from conversations import models
from conversations.errors import EvaluationOver, EvaluationsEnough, SetGuards, SetRefused
from conversations.evaluation.entries import lines_of
from conversations.evaluation.floor import floor
from conversations.evaluation.jobs import JobState
from conversations.models import EvaluationResult, EvaluationRun, FollowUpItem, Turn, TurnTrace
from conversations.selectors.evaluations import compared, entries_of, results_list, sets_list
from conversations.services import evaluation_work
from conversations.services.evaluation_gates import gates_set
from conversations.services.evaluation_runs import evaluation_cancel
from conversations.services.evaluation_sets import (
    GROWN,
    item_add,
    item_edit,
    item_grow,
    set_delete,
    set_import,
)
from conversations.services.evaluation_work import evaluation_serve
from conversations.services.retention import sessions_delete
from kernel.errors import NotFound
from tenants.models import Audience, AuditEntry
from tenants.scoping import tenant_scope
from tenants.services.versions import version_draft, version_edit, version_publish, version_roll_back
from tenants.versioning.errors import GateFailed
from tests.integration.conversations.conftest import answered
from tests.integration.evaluations.conftest import LINES, file_of, finished, started

SCOPE = {"kind": "policy", "name": "scope"}
HOLDS = {
    "every": {},
    "strata": {"first_turn": {"recall@5": {"min": 1.0}}},
    "overall": {},
    "strategy": "policy",
}


def results(run: EvaluationRun, strategy: str = "policy") -> dict[str, EvaluationResult]:
    return {one.item.key: one for one in results_list(run.pk, strategy=strategy)}


def test_it_finds_gold_by_title_and_by_the_words_of_a_passage(regions):
    run = finished(started(regions))
    found = results(run)
    assert (run.state, run.done, run.total, run.policy_number) == (JobState.DONE, 3, 3, 0)
    assert found["first"].hit and found["dublin"].hit and found["elsewhere"].hit is False
    assert "Dublin" in found["dublin"].query and found["dublin"].rewritten
    assert found["first"].found[0]["title"] == "Regions" and found["first"].found[0]["gold"]


def test_its_report_is_by_strategy_and_stratum(regions):
    told = finished(started(regions, strategies=["policy", "window2"])).report["strategies"]
    assert set(told) == {"policy", "window2"} and set(told["policy"]["strata"]) == {
        "first_turn",
        "near_followup",
    }
    near = told["policy"]["strata"]["near_followup"]
    assert (near["n"], near["recall@5"], near["n_forbidden"]) == (2, 0.5, 1)
    assert near["ci95"][0] < 0.5 < near["ci95"][1]
    assert told["policy"]["overall"]["n"] == 3


def test_a_draft_can_be_evaluated_and_two_runs_compared(regions):
    draft = version_draft(**SCOPE, data={"strategy": "window", "window": 1})
    before = finished(started(regions, strategies=["typed"]))
    after = finished(started(regions, strategies=["policy"], policy_number=draft.number))
    assert after.policy_number == draft.number and after.policy["window"] == 1
    pairs = compared(before.pk, after.pk, strategy="policy", other="typed")
    changes = {pair.item.key: pair.changes for pair in pairs}
    assert "rewrite" in changes["dublin"] and "first" not in changes


def test_a_file_with_mistakes_loads_nothing_and_tells_all_of_them(regions):
    bad = file_of([{**LINES[0], "id": "new"}, {**LINES[1], "gold": []}, {"id": "x"}])
    with pytest.raises(SetRefused) as refused:
        set_import(set_id=regions.pk, data=bad, replace=True)
    lines = {fault["line"] for fault in refused.value.extra["faults"]}
    assert lines == {2, 3} and FollowUpItem.objects.count() == 3


def test_what_is_exported_can_be_imported(regions):
    text = "".join(lines_of(entries_of(regions.pk)))
    assert set_import(set_id=regions.pk, data=text.encode(), replace=True) == 3
    assert "".join(lines_of(entries_of(regions.pk))) == text


def test_a_run_goes_on_where_a_worker_died(regions, monkeypatch):
    run = started(regions)
    monkeypatch.setattr(evaluation_work, "SECONDS_AT_ONCE", 0.0)
    assert evaluation_serve(floor()) == 0
    first = EvaluationResult.objects.get(run=run, state="done")
    EvaluationRun.objects.filter(pk=run.pk).update(lease_token="0" * 32, lease_until="2020-01-01T00:00Z")
    run = finished(run)
    assert (run.state, run.done, run.tries) == (JobState.DONE, 3, 1)
    assert EvaluationResult.objects.get(pk=first.pk).score == first.score
    assert evaluation_serve(floor()) is None


def test_a_run_whose_workers_keep_dying_is_given_up(regions):
    run = started(regions)
    EvaluationRun.objects.filter(pk=run.pk).update(
        lease_token="0" * 32, lease_until="2020-01-01T00:00Z", tries=2
    )
    assert finished(run).state == JobState.FAILED and "broke off" in run.reason


def test_a_cancelled_run_stays_as_it_is(regions):
    run = started(regions)
    evaluation_cancel(run_id=run.pk)
    assert evaluation_serve(floor()) is None
    run.refresh_from_db()
    assert (run.state, run.done) == (JobState.CANCELLED, 0)
    with pytest.raises(EvaluationOver):
        evaluation_cancel(run_id=run.pk)


def test_an_item_that_breaks_costs_no_other(regions, monkeypatch):
    inner = evaluation_work.Run.outcome

    async def outcome(self, question):
        if question.id == "dublin":
            raise RuntimeError("no")
        return await inner(self, question)

    monkeypatch.setattr(evaluation_work.Run, "outcome", outcome)
    run = finished(started(regions))
    assert run.state == JobState.DONE and run.report["strategies"]["policy"]["failed"] == 1
    assert results(run)["dublin"].state == "failed" and results(run)["first"].hit


def test_an_item_that_cannot_be_scored_costs_no_other(regions, monkeypatch):
    inner = evaluation_work._scored

    def scored(item, outcome):
        if item.key == "dublin":
            raise RuntimeError("no")
        return inner(item, outcome)

    monkeypatch.setattr(evaluation_work, "_scored", scored)
    run = finished(started(regions))
    assert (run.state, run.done) == (JobState.DONE, 3)
    assert results(run)["dublin"].state == "failed" and results(run)["first"].hit


def test_a_run_that_breaks_off_again_and_again_is_given_up(regions, monkeypatch):
    def broken(*_):
        raise RuntimeError("no")

    monkeypatch.setattr(evaluation_work, "_finish", broken)
    run = started(regions)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            evaluation_serve(floor())
    run.refresh_from_db()
    assert (run.state, run.tries, run.lease_token) == (JobState.RUNNING, 2, None)
    with pytest.raises(RuntimeError):
        evaluation_serve(floor())
    run = finished(run)
    assert run.state == JobState.FAILED and "broke off" in run.reason


def test_a_run_that_is_cancelled_meanwhile_goes_no_further(regions, monkeypatch):
    run, inner = started(regions), evaluation_work._store

    def store(row, values):
        inner(row, values)
        evaluation_cancel(run_id=run.pk)

    monkeypatch.setattr(evaluation_work, "_store", store)
    run = finished(run)
    assert (run.state, run.done) == (JobState.CANCELLED, 1)
    assert EvaluationResult.objects.filter(run=run, state="waiting").count() == 2


def test_an_audience_searches_only_what_it_may_see(regions, library):
    from retrieval import services as documents

    everyone = Audience.objects.get(slug="everyone")
    documents.corpus_revoke(corpus_id=library.pk, group_id=everyone.group_id)
    assert results(finished(started(regions)))["first"].hit
    assert not results(finished(started(regions, audience="everyone")))["first"].found
    with pytest.raises(NotFound):
        started(regions, audience="nobody")


def test_not_more_than_a_few_run_at_once(regions):
    for _ in range(3):
        started(regions)
    with pytest.raises(EvaluationsEnough):
        started(regions)


def test_the_rival_sees_nothing_of_it(regions, rival):
    run = finished(started(regions))
    with tenant_scope(rival.id):
        assert not sets_list().exists() and not EvaluationResult.objects.exists()
        with pytest.raises(NotFound):
            started(regions)
        with pytest.raises(NotFound):
            evaluation_cancel(run_id=run.pk)


def test_what_members_do_is_in_the_audit_log(regions):
    item = item_add(set_id=regions.pk, line={**LINES[0], "id": "again"})
    item_edit(set_id=regions.pk, item_id=item.pk, line={**LINES[0], "id": "again", "stratum": "ordinal"})
    started(regions)
    told = list(AuditEntry.objects.values_list("action", flat=True))
    assert {"followup_set.created", "followup_set.imported", "followup_item.added"} <= set(told)
    assert {"followup_item.changed", "evaluation.started"} <= set(told)


@pytest.fixture
def flagged(asker) -> Turn:
    first = answered(asker, "What is the RPO in Frankfurt?")
    second = answered(asker, "and in Dublin?", first.session_id)
    trace = TurnTrace.objects.get(turn=second)
    trace.data["ruling"] = {**trace.data.get("ruling", {}), "offending": ["Frankfurt"]}
    trace.save()
    return second


def test_a_turn_becomes_an_item_once(flagged):
    item = item_grow(turn_id=flagged.pk)
    assert item_grow(turn_id=flagged.pk).pk == item.pk
    assert (item.of_set.name, item.follow_up, item.forbidden) == (GROWN, "and in Dublin?", ["Frankfurt"])
    assert [one["role"] for one in item.prefix] == ["user", "assistant"]
    assert item.gold[0].startswith("Regions#") and item.origin_id == flagged.pk
    run = finished(started(item.of_set))
    assert results(run)[item.key].hit


def test_an_item_goes_with_the_conversation_that_it_quotes(flagged):
    item = item_grow(turn_id=flagged.pk)
    finished(started(item.of_set))
    from django.db.models import Q

    from conversations.models import DeletionReason

    sessions_delete(Q(pk=flagged.session_id), reason=DeletionReason.WORKSPACE)
    assert not FollowUpItem.objects.exists() and not EvaluationResult.objects.exists()


def test_publishing_waits_for_a_passing_run_of_this_very_version(regions):
    gates_set(required=True, set_id=regions.pk, values=HOLDS)
    draft = version_draft(**SCOPE, data={"strategy": "window", "window": 2})
    with pytest.raises(GateFailed, match="No evaluation has run this version"):
        version_publish(**SCOPE, number=draft.number)
    finished(started(regions, policy_number=draft.number))
    version_edit(**SCOPE, number=draft.number, data={"strategy": "window", "window": 3})
    with pytest.raises(GateFailed, match="as it is now"):
        version_publish(**SCOPE, number=draft.number)
    run = finished(started(regions, policy_number=draft.number))
    assert run.passed
    assert version_publish(**SCOPE, number=draft.number).state == "published"
    assert version_roll_back(**SCOPE, number=0).state == "published"


def test_a_run_that_misses_a_gate_or_is_older_than_an_item_does_not_count(regions):
    strict = {**HOLDS, "overall": {"recall@5": {"min": 1.0}}}
    gates_set(required=True, set_id=regions.pk, values=strict)
    draft = version_draft(**SCOPE, data={"strategy": "window", "window": 2})
    assert finished(started(regions, policy_number=draft.number)).passed is False
    with pytest.raises(GateFailed, match=r"recall@5 of overall should be at least 1, it is 0\.667"):
        version_publish(**SCOPE, number=draft.number)
    gates_set(required=True, set_id=regions.pk, values=HOLDS)
    item_add(set_id=regions.pk, line={**LINES[0], "id": "again"})
    with pytest.raises(GateFailed, match="Items have changed"):
        version_publish(**SCOPE, number=draft.number)


def test_a_set_that_guards_publishing_is_not_deleted(regions):
    gates_set(required=True, set_id=regions.pk, values=HOLDS)
    with pytest.raises(SetGuards):
        set_delete(set_id=regions.pk)
    gates_set(required=False, set_id=None, values=HOLDS)
    set_delete(set_id=regions.pk)
    assert not models.FollowUpSet.objects.exists()
