"""The background work of evaluations: some items of one run at a time, whoever's turn it is.

The rows that wait are what is left to do, so a worker that dies or a task that runs twice costs the item that it was at.
After each item the worker looks whether it is still wanted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.prompts import Prompt, PromptName
from conversations.evaluation.gates import OVERALL
from conversations.evaluation.gold import resolved
from conversations.evaluation.metrics import SHOWN, Score, by_stratum, figures, matches, score
from conversations.evaluation.records import (
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    ResultState,
    RunState,
)
from conversations.evaluation.remembered import RememberedLanguage
from conversations.evaluation.running import Outcome, Run
from conversations.evaluation.strategies import contender
from conversations.selectors.evaluations import UNFINISHED, entry_from, gates_now, runs_waiting
from conversations.selectors.in_force import in_force
from conversations.services.evaluation_gates import failures_of
from conversations.services.evaluation_runs import MODEL_QUOTA
from kernel.clock import now
from kernel.errors import DomainError
from kernel.json import JsonObject
from retrieval.selectors import document_states
from tenants.services.quotas import quota_check
from tenants.threads import in_thread

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=3)
SECONDS_AT_ONCE = 1.5
TRIES = 3


@dataclass(frozen=True, slots=True)
class Floor:
    """What an evaluation runs on: the ports under an audience's grants (all documents for "") with or without a model,
    a policy made fit for the embedding space in use, a way to run asynchronous work, and the label of the engine."""

    ports_for: Callable[[str, bool], Ports]
    fit: Callable[[ScopePolicy], ScopePolicy]
    run: Callable[[Coroutine[Any, Any, None]], None]
    engine: Callable[[bool], str]


class _Ids(dict[str, str]):
    """Documents are called by their ids: every id is its own name."""

    def __missing__(self, key: str) -> str:
        return key


def evaluation_serve(floor: Floor) -> float | None:
    """Run some items of one run of the current tenant. Says whether more wait, as `FairWork` wants it."""
    token = uuid4()
    run = _take(token)
    if run is not None:
        try:
            _serve(run, token, floor)
        finally:
            _let_go(run, token)
    return 0 if evaluation_waits() else None


def evaluation_waits() -> bool:
    """Whether there is a run that nobody works on."""
    return runs_waiting(now()).exists()


@transaction.atomic
def _take(token: UUID) -> EvaluationRun | None:
    """The next run, leased. One whose worker died several times is given up."""
    run = runs_waiting(now()).select_for_update(skip_locked=True).first()
    if run is None:
        return None
    run.tries += run.lease_token is not None
    if run.tries >= TRIES:
        _end(run, RunState.FAILED, "It broke off several times. The worker's log says more.")
        return None
    run.state, run.lease_token, run.lease_until = RunState.RUNNING, token, now() + LEASE
    run.started_at = run.started_at or now()
    run.save(update_fields=["state", "lease_token", "lease_until", "tries", "started_at"])
    return run


def _let_go(run: EvaluationRun, token: UUID) -> None:
    EvaluationRun.objects.filter(pk=run.pk, lease_token=token).update(lease_token=None, lease_until=None)


def _serve(run: EvaluationRun, token: UUID, floor: Floor) -> None:
    try:
        if run.with_model:
            quota_check(MODEL_QUOTA)
        floor.run(_play(run, token, floor))
    except DomainError as error:
        _end(run, RunState.FAILED, error.message)
        return
    if not _waiting(run).exists():
        _finish(run, floor)


async def _play(run: EvaluationRun, token: UUID, floor: Floor) -> None:
    ports = await in_thread(_ports, run, floor)
    players = {name: _player(run, name, ports, floor) for name in run.strategies}
    until = time.monotonic() + SECONDS_AT_ONCE
    while row := await in_thread(_next, run):
        outcome = await _outcome(players[row.strategy], row)
        await in_thread(_store, row, outcome)
        if not await in_thread(_renew, run, token) or time.monotonic() >= until:
            return


def _ports(run: EvaluationRun, floor: Floor) -> Ports:
    ports = floor.ports_for(run.audience, run.with_model)
    prompts = in_force(None).prompts
    prompt = Prompt.from_json(run.prompt, run.prompt_number)
    having = prompts.having(PromptName.CONTEXTUALIZE, prompt)
    return replace(ports, prompts=having, language=RememberedLanguage(ports.language))


def _player(run: EvaluationRun, name: str, ports: Ports, floor: Floor) -> Run:
    policy = ScopePolicy.from_json(run.policy, run.policy_number)
    one = contender(name, policy)
    return Run(replace(one, policy=floor.fit(one.policy)), ports, _Ids())


def _waiting(run: EvaluationRun) -> Any:
    return EvaluationResult.objects.filter(run=run, state=ResultState.WAITING).order_by("position")


def _next(run: EvaluationRun) -> EvaluationResult | None:
    found: EvaluationResult | None = _waiting(run).select_related("item").first()
    return found


async def _outcome(player: Run, row: EvaluationResult) -> Outcome | None:
    """What came of an item, None where it broke off: one item that cannot be run costs no other."""
    try:
        return await player.outcome(entry_from(row.item).to_item().question)
    except DomainError:
        raise
    except Exception:
        log.exception("item %s of evaluation %s could not be run", row.item_id, row.run_id)
        return None


@transaction.atomic
def _store(row: EvaluationResult, outcome: Outcome | None) -> None:
    """An item that was deleted meanwhile is gone with its row, and nothing is written."""
    mine = EvaluationResult.objects.filter(pk=row.pk, state=ResultState.WAITING)
    values = {"state": ResultState.FAILED} if outcome is None else _scored(row.item, outcome)
    if mine.update(**values):
        EvaluationRun.objects.filter(pk=row.run_id).update(done=F("done") + 1)


def _scored(item: FollowUpItem, outcome: Outcome) -> JsonObject:
    labels = entry_from(item).to_item().labels()
    titles = _titles([found.name for found in outcome.found])
    gold = resolved(labels.gold, outcome.found, titles)
    scored = score(outcome, replace(labels, gold=gold))
    return {
        "state": ResultState.DONE,
        "query": outcome.query,
        "display": outcome.display,
        "kind": outcome.kind,
        "verdict": outcome.verdict,
        "rewritten": outcome.rewritten,
        "hit": scored.recall5 == 1,
        "contaminated": bool(scored.contaminants),
        "score": asdict(scored),
        "found": [
            {
                "document": found.name,
                "title": titles.get(found.name, ""),
                "gold": any(matches(reference, found) for reference in gold),
            }
            for found in outcome.found[:SHOWN]
        ],
    }


def _titles(document_ids: Sequence[str]) -> dict[str, str]:
    found = document_states([UUID(one) for one in dict.fromkeys(document_ids)])
    return {str(pk): document.title for pk, document in found.items()}


def _renew(run: EvaluationRun, token: UUID) -> bool:
    """Whether the worker is still wanted: neither cancelled nor taken over."""
    mine = EvaluationRun.objects.filter(pk=run.pk, lease_token=token, state=RunState.RUNNING)
    return bool(mine.update(lease_until=now() + LEASE))


def _finish(run: EvaluationRun, floor: Floor) -> None:
    run.report = report_of(run, floor.engine(run.with_model))
    broken = failures_of(run, gates_now().values)
    run.report["gates"] = {"passed": not broken, "failures": [one.to_json() for one in broken]}
    _end(run, RunState.DONE)


def report_of(run: EvaluationRun, engine: str) -> JsonObject:
    """The figures of what is done, by strategy and stratum, overall last: the shape of `evaluate followups --json`."""
    about = {"set": run.of_set.name, "engine": engine, "guarded": True}
    return {**about, "strategies": {name: _figures_of(run, name) for name in run.strategies}}


def _figures_of(run: EvaluationRun, strategy: str) -> JsonObject:
    rows = EvaluationResult.objects.filter(run=run, strategy=strategy).order_by("position")
    done = rows.filter(state=ResultState.DONE).values_list("stratum", "score")
    scored = [(stratum, score_from(data)) for stratum, data in done]
    return {
        "strata": {stratum: figures(items) for stratum, items in by_stratum(scored).items()},
        OVERALL: figures([one for _, one in scored]),
        "failed": rows.filter(state=ResultState.FAILED).count(),
    }


def score_from(data: JsonObject) -> Score:
    lists = {name: tuple(data[name]) for name in ("contaminants", "invented")}
    return Score(**{**data, **lists})


def _end(run: EvaluationRun, state: RunState, reason: str = "") -> None:
    gates = run.report.get("gates", {})
    EvaluationRun.objects.filter(pk=run.pk, state__in=UNFINISHED).update(
        state=state,
        reason=reason[:300],
        report=run.report,
        failures=gates.get("failures", []),
        passed=gates.get("passed"),
        lease_token=None,
        lease_until=None,
        finished_at=now(),
    )
