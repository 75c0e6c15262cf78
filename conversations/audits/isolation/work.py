"""Background work: a task without a scope, and a task of one tenant with another's ids."""

from __future__ import annotations

from conversations.audits.isolation.ground import Ground
from conversations.audits.isolation.trials import Leaked, refused, trial
from conversations.models import Turn
from conversations.tasks import session_answer
from retrieval.tasks import document_index_task
from tenants.errors import NoTenantScope
from tenants.scoping import NOBODY, current_scope, tenant_scope


@trial("a task without a scope is refused")
def _without_scope(ground: Ground) -> str:
    owner = ground.owner
    told = refused(lambda: session_answer.run(str(owner.tenant.id), str(owner.session_id)), NoTenantScope)
    if current_scope() != NOBODY:
        raise Leaked("a scope was left behind")
    return told


@trial("a task of one tenant does nothing with another's ids")
def _foreign_ids(ground: Ground) -> str:
    owner, rival = ground.owner, ground.rival
    before = _state(ground)
    session_answer.apply(args=(str(rival.tenant.id), str(owner.session_id)))
    document_index_task.apply(args=(str(rival.tenant.id), str(owner.document_id)), retries=99)
    if _state(ground) != before:
        raise Leaked("the owner's turn was changed")
    if current_scope() != NOBODY:
        raise Leaked("the task's scope was left behind")
    return "nothing of the owner changed, no scope was left behind"


def _state(ground: Ground) -> object:
    with tenant_scope(ground.owner.tenant.id):
        return Turn.objects.filter(pk=ground.owner.turn_id).values().get()
