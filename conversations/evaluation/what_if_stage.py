"""What the background work of what-if replays is played with."""

from __future__ import annotations

from dataclasses import replace

from conversations import wiring
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.spaces import fitted
from conversations.services.what_if_work import Stage
from retrieval.services import equipment
from tenants.models import EndUser
from tenants.scoping import current_tenant_id
from tenants.selectors import principal_for


def stage() -> Stage:
    return Stage(ports_for=ports_of_end_user, fit=fit, run=wiring.run_apart)


def ports_of_end_user(end_user: EndUser, with_model: bool) -> Ports:
    """The ports of a turn under the grants that the end user holds now, with the configured model only if asked for."""
    principal = principal_for(tenant_id=current_tenant_id(), user=end_user.user, end_user=end_user)
    ports = wiring.ports_of(principal)
    return replace(ports, model=ports.model if with_model else None, pace=None)


def fit(policy: ScopePolicy) -> ScopePolicy:
    return fitted(policy, equipment().embeddings.space.name).policy
