"""The background work of evaluations: some items of one run at a time, whoever's turn it is.

The rows that wait are what is left to do, so a worker that dies or a task that runs twice costs the item that it was at.
After each item the worker looks whether it is still wanted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.prompts import Prompt, PromptName
from conversations.evaluation.gates import OVERALL
from conversations.evaluation.gold import resolved
from conversations.evaluation.jobs import JobState
from conversations.evaluation.metrics import SHOWN, Score, by_stratum, figures, matches, score
from conversations.evaluation.records import (
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    ResultState,
)
from conversations.evaluation.remembered import RememberedLanguage
from conversations.evaluation.running import Outcome, Run
from conversations.evaluation.strategies import contender
from conversations.selectors.evaluations import entry_from, gates_now
from conversations.selectors.in_force import in_force
from conversations.services.evaluation_gates import failures_of
from conversations.services.jobs import job_end, job_renew, job_serve, jobs_waiting
from kernel.errors import DomainError
from kernel.json import JsonObject
from retrieval.selectors import document_states
from tenants.quotas import MODEL_QUOTA
from tenants.services.quotas import quota_check
from tenants.threads import in_thread

log = logging.getLogger(__name__)

SECONDS_AT_ONCE = 1.5


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
    return job_serve(EvaluationRun, partial(_serve, floor), job_end)


def evaluation_waits() -> bool:
    """Whether there is a run that nobody works on."""
    return jobs_waiting(EvaluationRun).exists()


def _serve(floor: Floor, run: EvaluationRun, token: UUID) -> None:
    try:
        if run.with_model:
            quota_check(MODEL_QUOTA)
        floor.run(_play(run, token, floor))
    except DomainError as error:
        job_end(run, JobState.FAILED, error.message)
        return
    if not _waiting(run).exists():
        _finish(run, floor)


async def _play(run: EvaluationRun, token: UUID, floor: Floor) -> None:
    ports = await in_thread(_ports, run, floor)
    players = {name: _player(run, name, ports, floor) for name in run.strategies}
    until = time.monotonic() + SECONDS_AT_ONCE
    while row := await in_thread(_next, run):
        values = await _values(players[row.strategy], row)
        await in_thread(_store, row, values)
        if not await in_thread(job_renew, run, token) or time.monotonic() >= until:
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


async def _values(player: Run, row: EvaluationResult) -> JsonObject:
    """What came of an item, as columns of its row: one item that cannot be run or scored costs no other."""
    try:
        outcome = await player.outcome(entry_from(row.item).to_item().question)
        scored: JsonObject = await in_thread(_scored, row.item, outcome)
        return scored
    except DomainError:
        raise
    except Exception:
        log.exception("item %s of evaluation %s could not be run", row.item_id, row.run_id)
        return {"state": ResultState.FAILED}


@transaction.atomic
def _store(row: EvaluationResult, values: JsonObject) -> None:
    """An item that was deleted meanwhile is gone with its row, and nothing is written."""
    if EvaluationResult.objects.filter(pk=row.pk, state=ResultState.WAITING).update(**values):
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


def _finish(run: EvaluationRun, floor: Floor) -> None:
    run.report = report_of(run, floor.engine(run.with_model))
    broken = [one.to_json() for one in failures_of(run, gates_now().values)]
    run.report["gates"] = {"passed": not broken, "failures": broken}
    job_end(run, JobState.DONE, report=run.report, passed=not broken, failures=broken)


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
