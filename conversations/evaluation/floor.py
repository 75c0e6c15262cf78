"""What the background work of evaluations runs on."""

from __future__ import annotations

from dataclasses import replace

from conversations import wiring
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.spaces import fitted
from conversations.services.evaluation_work import Floor
from kernel.errors import NotFound
from retrieval.services import equipment
from tenants.access import Principal
from tenants.models import Audience
from tenants.scoping import current_tenant_id


def floor() -> Floor:
    return Floor(ports_for=ports_of_audience, fit=fit, run=wiring.run_apart, engine=engine_label)


def ports_of_audience(slug: str, with_model: bool) -> Ports:
    """The ports of a turn under the grants that an audience holds now, or over all documents for "". Raises `NotFound`."""
    ports = wiring.ports_of(_principal(slug))
    return replace(ports, model=ports.model if with_model else None, pace=None)


def fit(policy: ScopePolicy) -> ScopePolicy:
    return fitted(policy, equipment().embeddings.space.name).policy


def engine_label(with_model: bool) -> str:
    model = wiring.chat_model() if with_model else None
    return model.label if model else "offline"


def _principal(slug: str) -> Principal:
    if not slug:
        return Principal(current_tenant_id(), sees_all=True)
    named = Audience.objects.filter(slug=slug).values_list("group_id", flat=True).first()
    if named is None:
        raise NotFound(what="audience")
    everyone = Audience.objects.filter(builtin=True, slug=Audience.EVERYONE).values_list(
        "group_id", flat=True
    )
    return Principal(current_tenant_id(), group_ids=tuple(sorted({named, *everyone})))
