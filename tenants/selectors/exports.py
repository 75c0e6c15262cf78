"""Reading which archives there are."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet

from kernel.clock import now
from kernel.errors import NotFound
from tenants.models import DataExport, ExportState

UNFINISHED = (ExportState.WAITING, ExportState.RUNNING)


def exports_list() -> QuerySet[DataExport]:
    return DataExport.objects.all()


def access_export(export_id: UUID) -> DataExport:
    """Raises `NotFound`."""
    export = DataExport.objects.filter(pk=export_id).first()
    if export is None:
        raise NotFound(what="archive")
    return export


def exports_waiting() -> QuerySet[DataExport]:
    """Those that nobody makes at this moment, the longest waiting first."""
    free = Q(lease_until=None) | Q(lease_until__lt=now())
    return DataExport.objects.filter(free, state__in=UNFINISHED).order_by("created_at")
