"""Writing the audit log: what was changed, by whom, in an order that cannot be altered unseen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import BigIntegerField, Subquery

from kernel.clock import now
from kernel.json import JsonValue
from tenants.acting import SYSTEM, Actor, current_actor
from tenants.audit_chain import BEGINNING, BROKEN, Entry, Head, Reason, moment, plain_object, plain_text
from tenants.models import AuditEntry, AuditHead
from tenants.postgres.statements import named
from tenants.scoping import current_tenant_id
from tenants.sealing import mac
from tenants.selectors.audit import SEAL, is_sealed

ACTOR_ID, LABEL, TARGET = 64, 200, 200


@transaction.atomic(savepoint=False)
def audit_record(action: str, *, target: str = "", **data: JsonValue) -> AuditEntry:
    """Append a change to the tenant's log, inside the caller's transaction: both are kept or neither.

    `action` is a noun and a verb in the past (`key.created`); `target` names what was changed; `data` says how.
    Never the content of messages or documents, never a secret. The tenant's log is locked until the transaction ends,
    so record last, after every other lock is taken.
    """
    with connection.cursor() as cursor:
        cursor.execute(named("tenants", "audit_before_lock"), {"tenant": current_tenant_id()})
    head = _locked_head()
    actor = current_actor()
    if damage := _damage(head, action):
        # The log goes on from what is there, with a mark that no later tidying can take away.
        last = _last()
        head.seq, head.hash = last.seq, last.hash
        _append(head, SYSTEM, BROKEN, "", {"reason": damage})
    entry = _append(head, actor, action, target, data)
    head.seal = mac(SEAL, Head(head.seq, head.hash).message)
    head.save(update_fields=["seq", "hash", "seal"])
    return entry


def audit_erase() -> None:
    """Delete the current tenant's log, for the moment in which the tenant as a whole is deleted in the same transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        # A literal, since `set` takes no parameters: Citus passes it on to the nodes, whose triggers read it.
        cursor.execute(f"set local antecedent.erasing_tenant = '{current_tenant_id()}'")
        AuditEntry.objects.all().delete()
        AuditHead.objects.all().delete()
        cursor.execute("set local antecedent.erasing_tenant = ''")


def _locked_head() -> AuditHead:
    last = Subquery(AuditEntry.objects.order_by("-seq").values("seq")[:1], output_field=BigIntegerField())
    query = AuditHead.objects.select_for_update(of=("self",)).annotate(last=last)
    head = query.first()
    if head is None:
        AuditHead.objects.bulk_create([AuditHead()], ignore_conflicts=True)
        head = query.get()
    return head


def _damage(head: AuditHead, action: str) -> Reason | None:
    """Why the log cannot simply go on after its head."""
    # Of two writers the second may see `last` as it was before the first: never too high, so never a false alarm.
    last: int = vars(head)["last"] or 0
    if not head.seal:
        return None if action == BEGINNING and not last else Reason.HEAD_MISSING
    if not is_sealed(head):
        return Reason.HEAD_FORGED
    return Reason.BEYOND_HEAD if last > head.seq else None


def _last() -> Head:
    row = AuditEntry.objects.order_by("-seq").values_list("seq", "hash").first()
    return Head(*row) if row else Head(0, "")


def _append(
    head: AuditHead, actor: Actor, action: str, target: str, data: Mapping[str, JsonValue]
) -> AuditEntry:
    at = now()
    entry = Entry(
        tenant=str(head.tenant_id),
        id=str(uuid4()),
        seq=head.seq + 1,
        at=moment(at),
        actor=actor.kind,
        actor_id=plain_text(actor.id)[:ACTOR_ID],
        actor_label=plain_text(actor.label)[:LABEL],
        action=action,
        target=plain_text(target)[:TARGET],
        data=plain_object(data),
        previous=head.hash,
    )
    head.seq, head.hash = entry.seq, entry.hash
    fields = {name: value for name, value in asdict(entry).items() if name != "tenant"}
    fields |= {"id": UUID(entry.id), "at": at, "hash": entry.hash}
    return AuditEntry.objects.create(**fields)
