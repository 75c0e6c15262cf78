"""How much a tenant keeps, against what it may keep."""

from __future__ import annotations

from django.db.models import Sum

from retrieval.models import Document
from tenants.services.quotas import gauge_register, quota_check


def documents_kept() -> int:
    return Document.objects.count()


def bytes_kept() -> int:
    """Bytes of all files that are kept; a document whose file was refused keeps none."""
    kept = Document.objects.exclude(blob_key="").aggregate(total=Sum("size"))
    return int(kept["total"] or 0)


def register() -> None:
    """Called once, when Django is ready."""
    gauge_register("documents", documents_kept)
    gauge_register("storage_bytes", bytes_kept)


def check_new(size: int) -> None:
    """Room for a document that was just written in this transaction. Raises `QuotaFull`."""
    quota_check("documents", counted=True)
    quota_check("storage_bytes", size, counted=True)


def check_replacement(old: int, new: int) -> None:
    """Room for a file in place of another, before the document is changed. Raises `QuotaFull`."""
    quota_check("storage_bytes", new - old)


def check_fetched(size: int) -> None:
    """Room for a page whose size was just written in this transaction. Raises `QuotaFull`."""
    quota_check("storage_bytes", size, counted=True)
