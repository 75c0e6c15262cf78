"""Archives of a tenant's data, where files are kept: in the bucket of the settings, else in a folder."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings

from tenants.adapters.archive_bucket import BucketArchives
from tenants.adapters.archive_folder import FolderArchives
from tenants.adapters.buckets import configured_bucket


def _archives() -> FolderArchives | BucketArchives:
    bucket = configured_bucket()
    return (
        BucketArchives(bucket)
        if bucket
        else FolderArchives(Path(settings.ANTECEDENT["BLOB_DIR"]) / "exports")
    )


def written(tenant_id: UUID, export_id: UUID) -> AbstractContextManager[Path]:
    """A file to write to, kept under the export's name when the block ends well and removed when it does not."""
    return _archives().written(tenant_id, export_id)


def opened(tenant_id: UUID, export_id: UUID) -> BinaryIO | None:
    """The archive to read from, None where it is not there."""
    return _archives().opened(tenant_id, export_id)


def remove(tenant_id: UUID, export_id: UUID) -> None:
    _archives().remove(tenant_id, export_id)


def remove_all(tenant_id: UUID) -> int:
    """Everything of a tenant, what was being written included; returns how many files."""
    return _archives().remove_all(tenant_id)


def remove_abandoned(tenant_id: UUID, *, before: float) -> None:
    """What a killed worker was writing, last touched before a moment (POSIX seconds)."""
    _archives().remove_abandoned(tenant_id, before=before)
