"""Uploaded files in a bucket: for several machines that serve the same tenants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retrieval.adapters.storage.keys import checked_key
from retrieval.domain.errors import DocumentFileMissing

if TYPE_CHECKING:
    from tenants.services.buckets import Bucket

_FOLDER = "documents/"


class BucketBlobs:
    """A BlobStore in one bucket. Keys are words separated by slashes; an object is there whole or not at all.

    Raises `BucketUnavailable`, which can be tried again, when the storage does not answer.
    """

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    def put(self, key: str, data: bytes) -> None:
        self._bucket.put(_FOLDER + checked_key(key), data)

    def get(self, key: str) -> bytes:
        data = self._bucket.get(_FOLDER + checked_key(key))
        if data is None:
            raise DocumentFileMissing
        return data

    def delete(self, key: str) -> None:
        self._bucket.delete(_FOLDER + checked_key(key))
