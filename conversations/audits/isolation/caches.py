"""Valkey: keys that can be guessed but open nothing."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from conversations import wiring
from conversations.adapters import session_cache
from conversations.adapters.event_log import EventLog, group_of
from conversations.audits.isolation.ground import Ground, Side
from conversations.audits.isolation.trials import Leaked, nothing, trial
from tenants.scoping import tenant_scope

_FORGED = {"version": 10**6, "forged": True}


@trial("a guessed cache key opens no conversation of another tenant or person")
def _guessed(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    if _loaded(owner.tenant.id, owner.insider.pk, owner.session_id) is None:
        raise Leaked("the owner's own hot copy was not there: the check proves nothing")
    attempts = [
        (rival.tenant.id, owner.insider.pk),
        (rival.tenant.id, rival.insider.pk),
        (owner.tenant.id, owner.outsider.pk),
    ]
    found = [who for who in attempts if _loaded(*who, owner.session_id) is not None]
    nothing(found, "hot copies read by somebody else")
    return f"{len(attempts)} guessed keys held nothing"


@trial("a forged hot copy reaches nobody else")
def _forged(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    with tenant_scope(rival.tenant.id):
        wiring.run_apart(
            session_cache.save(end_user_id=owner.insider.pk, session_id=owner.session_id, data=_FORGED)
        )
    held = _loaded(owner.tenant.id, owner.insider.pk, owner.session_id)
    with tenant_scope(rival.tenant.id):
        wiring.run_apart(session_cache.forget(end_user_id=owner.insider.pk, session_id=owner.session_id))
    if held is None or held.get("forged"):
        raise Leaked("what another tenant wrote is what the owner reads")
    return "the owner still reads its own copy"


@trial("events of a conversation are heard in its own tenant only")
def _events(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    own = _events_of(owner, owner.session_id)
    if not own:
        raise Leaked("the owner's own events were not there: the check proves nothing")
    nothing(_events_of(rival, owner.session_id), "events read by another tenant")
    if _group(owner, owner.session_id) == _group(rival, owner.session_id):
        raise Leaked("both tenants ring the same bell")
    return f"{len(own)} events for the owner, 0 for the rival"


def _loaded(tenant_id: UUID, end_user_id: UUID, session_id: UUID) -> dict[str, Any] | None:
    with tenant_scope(tenant_id):
        return wiring.run_apart(session_cache.load(end_user_id=end_user_id, session_id=session_id))


def _events_of(side: Side, session_id: UUID) -> list[object]:
    with tenant_scope(side.tenant.id):
        return list(wiring.run_apart(EventLog(session_id).since(0)))


def _group(side: Side, session_id: UUID) -> str:
    with tenant_scope(side.tenant.id):
        return group_of(session_id)
