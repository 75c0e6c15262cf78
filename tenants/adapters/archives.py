"""Archives of a tenant's data on disk: written beside, then renamed, so that one is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings


def _folder(tenant_id: UUID) -> Path:
    """Beside the uploaded files: what web and workers share already."""
    return Path(settings.ANTECEDENT["BLOB_DIR"]) / "exports" / str(tenant_id)


def _path(tenant_id: UUID, export_id: UUID) -> Path:
    return _folder(tenant_id) / f"{export_id}.zip"


@contextmanager
def written(tenant_id: UUID, export_id: UUID) -> Iterator[Path]:
    """A file to write to, kept under the export's name when the block ends well and removed when it does not."""
    folder = _folder(tenant_id)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".writing-")
    os.close(handle)
    try:
        yield Path(name)
        os.replace(name, _path(tenant_id, export_id))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def opened(tenant_id: UUID, export_id: UUID) -> BinaryIO | None:
    """The archive to read from, None where it is not there."""
    try:
        return _path(tenant_id, export_id).open("rb")
    except FileNotFoundError:
        return None


def remove(tenant_id: UUID, export_id: UUID) -> None:
    _path(tenant_id, export_id).unlink(missing_ok=True)


def remove_all(tenant_id: UUID) -> int:
    """Everything of a tenant, what was being written included; returns how many files."""
    folder = _folder(tenant_id)
    files = sum(1 for path in folder.glob("*") if path.is_file()) if folder.is_dir() else 0
    shutil.rmtree(folder, ignore_errors=True)
    return files


def remove_abandoned(tenant_id: UUID, *, before: float) -> None:
    """What a killed worker was writing, last touched before a moment (POSIX seconds)."""
    for path in _folder(tenant_id).glob(".writing-*"):
        if path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
