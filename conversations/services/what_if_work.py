"""The background work of what-if replays: one session at a time, whoever's turn it is.

Each turn's row is written as it is done and says whether it is, so a worker that dies or a task that runs twice costs
at most one session's computing. Between two turns the worker looks whether it is still wanted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.prompts import Prompt, PromptName
from conversations.evaluation.jobs import JobState
from conversations.evaluation.what_if import Change, Played, added_up, differs_from_stored
from conversations.evaluation.what_if_playing import Rules, Script, played
from conversations.evaluation.what_if_records import (
    WhatIfDifference,
    WhatIfReplay,
    WhatIfState,
)
from conversations.models import Session
from conversations.selectors.in_force import in_force
from conversations.selectors.memory import ledger_of
from conversations.selectors.what_if import (
    counts_by_stratum,
    session_to_play,
    session_told,
)
from conversations.services.jobs import job_end, job_renew, job_serve, jobs_waiting
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.models import EndUser, VersionKind
from tenants.quotas import MODEL_QUOTA
from tenants.services.quotas import quota_check
from tenants.threads import in_thread

log = logging.getLogger(__name__)

RENEW_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Stage:
    """What a replay is played with: the ports of an end user with or without a model, a policy made fit for the
    embedding space in use, and a way to run asynchronous work."""

    ports_for: Callable[[EndUser, bool], Ports]
    fit: Callable[[ScopePolicy], ScopePolicy]
    run: Callable[[Coroutine[Any, Any, None]], None]


def what_if_serve(stage: Stage) -> float | None:
    """Play one session of one replay of the current tenant. Says whether more wait, as `FairWork` wants it."""
    return job_serve(WhatIfReplay, partial(_serve, stage), _end)


def what_if_waits() -> bool:
    """Whether there is a replay that nobody works on."""
    return jobs_waiting(WhatIfReplay).exists()


def _end(replay: WhatIfReplay, state: JobState, reason: str = "") -> None:
    total = added_up(list(counts_by_stratum(replay.pk).values()))
    job_end(replay, state, reason, summary=total.to_json())


def _serve(stage: Stage, replay: WhatIfReplay, token: UUID) -> None:
    found = session_to_play(replay.pk)
    if found is None:
        _end(replay, JobState.DONE)
        return
    session_id, last, rows = found
    try:
        if replay.with_model:
            quota_check(MODEL_QUOTA)
        stage.run(_play(replay, token, stage, session_id, last, rows))
    except DomainError as error:
        _end(replay, JobState.FAILED, error.message)
    except Exception:
        log.exception("a session could not be replayed")
        with transaction.atomic():
            WhatIfDifference.objects.filter(pk__in=rows.values(), state=WhatIfState.WAITING).update(
                state=WhatIfState.FAILED
            )
    if session_to_play(replay.pk) is None:
        _end(replay, JobState.DONE)


async def _play(
    replay: WhatIfReplay, token: UUID, stage: Stage, session_id: UUID, last: int, rows: dict[UUID, UUID]
) -> None:
    script, ports, before, after = await in_thread(_prepared, replay, stage, session_id, last, rows)
    beat = time.monotonic()
    async for one in played(script, ports, before, after):
        if one is not None:
            await in_thread(_store, rows[one.told.turn_id], one)
        if time.monotonic() - beat >= RENEW_SECONDS:
            beat = time.monotonic()
            if not await in_thread(job_renew, replay, token):
                return
    await in_thread(_give_up_rest, rows)


def _prepared(
    replay: WhatIfReplay, stage: Stage, session_id: UUID, last: int, rows: dict[UUID, UUID]
) -> tuple[Script, Ports, Rules, Rules]:
    end_user = Session.objects.select_related("end_user__user").get(pk=session_id).end_user
    script = Script(session_told(session_id, last=last), frozenset(rows), ledger_of(session_id))
    sides = [_rules(replay, data, stage) for data in (replay.before, replay.after)]
    return script, stage.ports_for(end_user, replay.with_model), sides[0], sides[1]


def _rules(replay: WhatIfReplay, data: JsonObject, stage: Stage) -> Rules:
    """What is replayed under `data`; everything else is as it is in force now."""
    rules = in_force(None)
    policy, prompts = rules.policy, rules.prompts
    if replay.kind == VersionKind.POLICY:
        policy = ScopePolicy.from_json(data)
    else:
        prompts = prompts.having(PromptName(replay.name), Prompt.from_json(data))
    return Rules(stage.fit(policy), prompts)


def _store(row_id: UUID, one: Played) -> None:
    """A row whose turn was deleted meanwhile is gone with it, and none is written."""
    row = WhatIfDifference.objects.filter(pk=row_id, state=WhatIfState.WAITING)
    if one.trouble:
        row.update(state=WhatIfState.FAILED)
        return
    changes = one.changes
    sides = {"before": one.before.to_json(), "after": one.after.to_json()} if changes else {}
    row.update(
        state=WhatIfState.CHANGED if changes else WhatIfState.SAME,
        **{change.value: change in changes for change in Change},
        stored_differs=differs_from_stored(one.told, one.before),
        verdict_before=one.before.verdict,
        verdict_after=one.after.verdict,
        **sides,
    )


def _give_up_rest(rows: dict[UUID, UUID]) -> None:
    """Turns that are no longer there as they were chosen cannot be compared."""
    left = WhatIfDifference.objects.filter(pk__in=rows.values(), state=WhatIfState.WAITING)
    left.update(state=WhatIfState.FAILED)
