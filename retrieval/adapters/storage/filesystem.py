"""Uploaded files in a folder: written aside, flushed, then renamed, so that a file is there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from kernel.disk import disk_is_full
from retrieval.adapters.storage.keys import checked_key
from retrieval.domain.errors import DocumentFileMissing
from tenants.errors import BucketUnavailable, StorageFull


class FilesystemBlobs:
    """A BlobStore below one folder. Keys are words separated by slashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, data: bytes) -> None:
        """Raises `StorageFull`, or `BucketUnavailable` when the disk cannot be written for another reason."""
        try:
            self._put(self._path(key), data)
        except OSError as error:
            raise (StorageFull if disk_is_full(error) else BucketUnavailable) from error

    @staticmethod
    def _put(path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".upload-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def get(self, key: str) -> bytes:
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError as error:
            raise DocumentFileMissing from error

    def delete(self, key: str) -> None:
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / checked_key(key)
