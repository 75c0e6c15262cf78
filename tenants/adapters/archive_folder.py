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


class FolderArchives:
    """Below one folder, beside the uploaded files: what web and workers of one machine share already."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def written(self, tenant_id: UUID, export_id: UUID) -> Iterator[Path]:
        folder = self._folder(tenant_id)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=folder, prefix=".writing-")
        os.close(handle)
        try:
            yield Path(name)
            os.replace(name, self._path(tenant_id, export_id))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def opened(self, tenant_id: UUID, export_id: UUID) -> BinaryIO | None:
        try:
            return self._path(tenant_id, export_id).open("rb")
        except FileNotFoundError:
            return None

    def remove(self, tenant_id: UUID, export_id: UUID) -> None:
        self._path(tenant_id, export_id).unlink(missing_ok=True)

    def remove_all(self, tenant_id: UUID) -> int:
        folder = self._folder(tenant_id)
        files = sum(1 for path in folder.glob("*") if path.is_file()) if folder.is_dir() else 0
        shutil.rmtree(folder, ignore_errors=True)
        return files

    def remove_abandoned(self, tenant_id: UUID, *, before: float) -> None:
        for path in self._folder(tenant_id).glob(".writing-*"):
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def _folder(self, tenant_id: UUID) -> Path:
        return self._root / str(tenant_id)

    def _path(self, tenant_id: UUID, export_id: UUID) -> Path:
        return self._folder(tenant_id) / f"{export_id}.zip"
