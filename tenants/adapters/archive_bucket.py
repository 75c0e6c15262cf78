"""Archives of a tenant's data in a bucket: made in a local file first, so that an object is there whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast
from uuid import UUID

if TYPE_CHECKING:
    from tenants.adapters.bucket import Bucket


class BucketArchives:
    """Below `exports/` of the bucket. Raises `BucketUnavailable`, which can be tried again."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    @contextmanager
    def written(self, tenant_id: UUID, export_id: UUID) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="archive-") as folder:
            path = Path(folder) / "archive.zip"
            path.touch(mode=0o600)
            yield path
            self._bucket.upload(_key(tenant_id, export_id), path)

    def opened(self, tenant_id: UUID, export_id: UUID) -> BinaryIO | None:
        """A local copy that goes when it is closed."""
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 -- whoever asked closes it
        if not self._bucket.download(_key(tenant_id, export_id), file):
            file.close()
            return None
        file.seek(0)
        return file

    def remove(self, tenant_id: UUID, export_id: UUID) -> None:
        self._bucket.delete(_key(tenant_id, export_id))

    def remove_all(self, tenant_id: UUID) -> int:
        return self._bucket.delete_below(f"exports/{tenant_id}")

    def remove_abandoned(self, tenant_id: UUID, *, before: float) -> None:
        """Nothing to do: what a killed worker was writing lay in its own temporary folder."""


def _key(tenant_id: UUID, export_id: UUID) -> str:
    return f"exports/{tenant_id}/{export_id}.zip"
