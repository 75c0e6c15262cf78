"""The background work of what-if replays: one session at a time, whoever's turn it is.

Each turn's row is written as it is done and says whether it is, so a worker that dies or a task that runs twice costs
at most one session's computing. Between two turns the worker looks whether it is still wanted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.prompts import Prompt, PromptName
from conversations.evaluation.what_if import Change, Played, added_up, differs_from_stored
from conversations.evaluation.what_if_playing import Rules, Script, played
from conversations.evaluation.what_if_records import (
    ReplayState,
    WhatIfDifference,
    WhatIfReplay,
    WhatIfState,
)
from conversations.models import Session
from conversations.selectors.in_force import in_force
from conversations.selectors.memory import ledger_of
from conversations.selectors.what_if import (
    UNFINISHED,
    counts_by_stratum,
    replays_waiting,
    session_to_play,
    session_told,
)
from conversations.services.what_if import MODEL_QUOTA, WORK
from kernel.clock import now
from kernel.errors import DomainError
from kernel.json import JsonObject
from tenants.models import EndUser, VersionKind
from tenants.scoping import current_tenant_id
from tenants.services.fairness import wake
from tenants.services.quotas import quota_check
from tenants.threads import in_thread

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=3)
RENEW_SECONDS = 2.0
TRIES = 3


@dataclass(frozen=True, slots=True)
class Stage:
    """What a replay is played with: the ports of an end user with or without a model, a policy made fit for the
    embedding space in use, and a way to run asynchronous work."""

    ports_for: Callable[[EndUser, bool], Ports]
    fit: Callable[[ScopePolicy], ScopePolicy]
    run: Callable[[Coroutine[Any, Any, None]], None]


def what_if_serve(stage: Stage) -> float | None:
    """Play one session of one replay of the current tenant. Says whether more wait, as `FairWork` wants it."""
    token = uuid4()
    replay = _take(token)
    if replay is not None:
        try:
            _serve(replay, token, stage)
        finally:
            _let_go(replay, token)
    if not what_if_waits():
        return None
    # A second worker that found the replay taken has put the tenant out of the line meanwhile.
    wake(WORK, current_tenant_id())
    return 0


def what_if_waits() -> bool:
    """Whether there is a replay that nobody works on."""
    return replays_waiting(now()).exists()


@transaction.atomic
def _take(token: UUID) -> WhatIfReplay | None:
    """The next replay, leased. One whose worker died several times is given up."""
    replay = replays_waiting(now()).select_for_update(skip_locked=True).first()
    if replay is None:
        return None
    replay.failures += replay.lease_token is not None
    if replay.failures >= TRIES:
        _end(replay.pk, ReplayState.FAILED, "It broke off several times. The worker's log says more.")
        return None
    replay.state, replay.lease_token, replay.lease_until = ReplayState.RUNNING, token, now() + LEASE
    replay.started_at = replay.started_at or now()
    replay.save(update_fields=["state", "lease_token", "lease_until", "failures", "started_at"])
    return replay


def _let_go(replay: WhatIfReplay, token: UUID) -> None:
    held = WhatIfReplay.objects.filter(pk=replay.pk, lease_token=token)
    held.update(lease_token=None, lease_until=None)


def _end(replay_id: UUID, state: ReplayState, reason: str = "") -> None:
    total = added_up(list(counts_by_stratum(replay_id).values()))
    WhatIfReplay.objects.filter(pk=replay_id, state__in=UNFINISHED).update(
        state=state,
        reason=reason[:300],
        summary=total.to_json(),
        lease_token=None,
        lease_until=None,
        finished_at=now(),
    )


def _serve(replay: WhatIfReplay, token: UUID, stage: Stage) -> None:
    found = session_to_play(replay.pk)
    if found is None:
        _end(replay.pk, ReplayState.DONE)
        return
    session_id, last, rows = found
    try:
        if replay.with_model:
            quota_check(MODEL_QUOTA)
        stage.run(_play(replay, token, stage, session_id, last, rows))
    except DomainError as error:
        _end(replay.pk, ReplayState.FAILED, error.message)
    except Exception:
        log.exception("a session could not be replayed")
        with transaction.atomic():
            WhatIfDifference.objects.filter(pk__in=rows.values(), state=WhatIfState.WAITING).update(
                state=WhatIfState.FAILED
            )
    if session_to_play(replay.pk) is None:
        _end(replay.pk, ReplayState.DONE)


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
            if not await in_thread(_renew, replay, token):
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


def _renew(replay: WhatIfReplay, token: UUID) -> bool:
    """Whether the worker is still wanted: neither cancelled nor taken over."""
    mine = WhatIfReplay.objects.filter(pk=replay.pk, lease_token=token, state=ReplayState.RUNNING)
    return bool(mine.update(lease_until=now() + LEASE))


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
