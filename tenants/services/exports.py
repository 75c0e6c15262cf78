"""Archives of a tenant's data: asked for, made in the background, fetched by those who may, gone after a week."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Any, BinaryIO
from uuid import UUID, uuid4

from django.db import transaction

from kernel.clock import now
from kernel.errors import DomainError, Forbidden, NotFound
from tenants.adapters import archives
from tenants.errors import ExportNotReady
from tenants.models import DataExport, EndUser, ExportState
from tenants.roles import May, role_may, scopes_may
from tenants.scoping import current_tenant_id
from tenants.selectors.exports import UNFINISHED, access_export, exports_waiting
from tenants.services.archiving import archive_write
from tenants.services.audit import audit_record
from tenants.services.fairness import wake

log = logging.getLogger(__name__)

WORK = "data"
KEPT = timedelta(days=7)
LEASE = timedelta(minutes=5)
TRIES = 3


class _LeaseLost(Exception):
    """Another worker makes this archive, or it was deleted."""


@transaction.atomic
def export_request(*, subject: str = "", requested_by: int | None = None) -> DataExport:
    """Ask for an archive of everything, or of the end user with this subject. One that is on its way is not asked for
    twice. Raises `NotFound` for an unknown subject."""
    if subject and not EndUser.objects.filter(subject=subject).exists():
        raise NotFound(what="end user")
    running = DataExport.objects.filter(subject=subject, state__in=UNFINISHED).first()
    if running is not None:
        return running
    export = DataExport.objects.create(subject=subject, requested_by_id=requested_by)
    audit_record("export.requested", target=str(export.pk), of="end_user" if subject else "workspace")
    transaction.on_commit(partial(wake, WORK, current_tenant_id()), robust=True)
    return export


def export_open(
    *, export_id: UUID, role: str | None = None, scopes: Sequence[str] = ()
) -> tuple[str, BinaryIO]:
    """A file name and the archive to read, for somebody whose role or key may manage data; it is in the audit log.

    Raises `Forbidden`, `NotFound`, and `ExportNotReady` while it is being made or when it failed.
    """
    if not (role_may(role, May.MANAGE_DATA) or scopes_may(list(scopes), May.MANAGE_DATA)):
        raise Forbidden
    export = access_export(export_id)
    if export.state != ExportState.READY:
        raise ExportNotReady(state=export.get_state_display().lower())
    is_over = export.expires_at is not None and export.expires_at <= now()
    file = None if is_over else archives.opened(current_tenant_id(), export.pk)
    if file is None:
        raise NotFound(what="archive")
    audit_record("export.downloaded", target=str(export.pk))
    whose = "person" if export.subject else "workspace"
    return f"antecedent-{whose}-{export.created_at:%Y-%m-%d}.zip", file


def export_delete(*, export_id: UUID) -> None:
    """Remove an archive with its file. Raises `NotFound`."""
    export = access_export(export_id)
    with transaction.atomic():
        export.delete()
        audit_record("export.deleted", target=str(export_id))
    archives.remove(current_tenant_id(), export_id)


def export_serve() -> bool:
    """Make the longest waiting archive of the current tenant, from its beginning to its end. False when none waits."""
    token = uuid4()
    export = _take(token)
    if export is None:
        return False
    try:
        _make(export, token)
    except _LeaseLost:
        log.info("archive %s: another worker took over, or it was deleted", export.pk)
        if not DataExport.objects.filter(pk=export.pk).exists():
            archives.remove(current_tenant_id(), export.pk)
    except Exception as error:
        log.exception("archive %s could not be made", export.pk)
        _failed(export, token, error)
    return True


def exports_forget(*, subject: str) -> int:
    """Delete all archives of an end user, files first; returns how many. For an erasure."""
    naming = list(DataExport.objects.filter(subject=subject))
    for export in naming:
        archives.remove(current_tenant_id(), export.pk)
        export.delete()
    return len(naming)


def exports_expire() -> int:
    """Delete archives whose time is over, and failed ones of that age; returns how many."""
    archives.remove_abandoned(current_tenant_id(), before=(now() - timedelta(days=1)).timestamp())
    old = DataExport.objects.exclude(state__in=UNFINISHED).filter(created_at__lt=now() - KEPT)
    over = [*old.filter(expires_at=None), *DataExport.objects.filter(expires_at__lte=now())]
    for export in over:
        archives.remove(current_tenant_id(), export.pk)
        export.delete()
    return len(over)


@transaction.atomic
def _take(token: UUID) -> DataExport | None:
    export = exports_waiting().select_for_update(of=("self",), skip_locked=True).first()
    if export is None:
        return None
    broke_off = export.state == ExportState.RUNNING
    export.failures += broke_off
    if export.failures >= TRIES:
        _set(export, state=ExportState.FAILED, reason="It broke off several times.", finished_at=now())
        return None
    _set(
        export,
        state=ExportState.RUNNING,
        progress=0.0,
        lease_token=token,
        lease_until=now() + LEASE,
        failures=export.failures,
    )
    return export


def _make(export: DataExport, token: UUID) -> None:
    tenant_id = current_tenant_id()
    end_user = EndUser.objects.filter(subject=export.subject).first() if export.subject else None
    if export.subject and end_user is None:
        raise NotFound(what="end user")
    with archives.written(tenant_id, export.pk) as path:
        manifest = archive_write(
            path, end_user=end_user, progress=lambda share: _renew(export, token, progress=share)
        )
        size = path.stat().st_size
        _renew(export, token)
    with transaction.atomic():
        done = {"state": ExportState.READY, "progress": 1.0, "bytes": size, "manifest": _short(manifest)}
        ends = {"finished_at": now(), "expires_at": now() + KEPT, "lease_token": None, "lease_until": None}
        _renew(export, token, **done, **ends)
        audit_record("export.made", target=str(export.pk), bytes=size)


def _short(manifest: dict[str, Any]) -> dict[str, int]:
    """What the console shows: rows by table, and the number of files."""
    files = manifest["files"]
    rows = {name.removesuffix(".jsonl"): entry["rows"] for name, entry in files.items() if "rows" in entry}
    return {**rows, "files": sum(name.startswith("files/") for name in files)}


def _renew(export: DataExport, token: UUID, **fields: Any) -> None:
    fields = {"lease_until": now() + LEASE, **fields}
    if not DataExport.objects.filter(pk=export.pk, lease_token=token).update(**fields):
        raise _LeaseLost


def _failed(export: DataExport, token: UUID, error: Exception) -> None:
    """Tried again a few times; a person's mistake, such as an end user who is gone, is final."""
    is_final = isinstance(error, DomainError) and not error.retryable
    state = ExportState.FAILED if is_final or export.failures + 1 >= TRIES else ExportState.WAITING
    reason = error.message if isinstance(error, DomainError) else "Something went wrong on our side."
    held = DataExport.objects.filter(pk=export.pk, lease_token=token)
    ends = {"finished_at": now()} if state == ExportState.FAILED else {}
    held.update(
        state=state,
        reason=reason[:300],
        failures=export.failures + 1,
        lease_token=None,
        lease_until=None,
        **ends,
    )


def _set(export: DataExport, **fields: Any) -> None:
    for name, value in fields.items():
        setattr(export, name, value)
    export.save(update_fields=list(fields))
