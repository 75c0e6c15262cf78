"""Objects in a bucket of S3 or of anything that speaks its protocol. The only place that knows `boto3`.

Credentials come from boto3's own chain: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the file that
AWS_SHARED_CREDENTIALS_FILE names, a web identity of the cluster, or the machine's role.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from s3transfer.exceptions import RetriesExceededError  # type: ignore[import-untyped]

from tenants.errors import BucketUnavailable

_ABSENT = {"NoSuchKey", "404", "NotFound"}


class Bucket:
    """Objects of one bucket below a prefix. Every method raises `BucketUnavailable` when it cannot be asked."""

    def __init__(self, *, name: str, prefix: str = "", endpoint: str = "", region: str = "us-east-1") -> None:
        self._name, self._prefix = name, prefix.strip("/") + "/" if prefix.strip("/") else ""
        self._client: Any = boto3.client(
            "s3", endpoint_url=endpoint or None, region_name=region, config=_CONFIG
        )

    def put(self, key: str, data: bytes) -> None:
        """Keep an object whole; one of the same key is replaced."""
        with _asked():
            self._client.put_object(**self._at(key), Body=data)

    def get(self, key: str) -> bytes | None:
        """An object, None where there is none."""
        with _asked():
            try:
                found: bytes = self._client.get_object(**self._at(key))["Body"].read()
            except ClientError as error:
                _raise_unless_absent(error)
                return None
        return found

    def upload(self, key: str, path: Path) -> None:
        """Keep a file, in parts when it is large."""
        with _asked():
            self._client.upload_file(str(path), self._name, self._prefix + key)

    def download(self, key: str, file: BinaryIO) -> bool:
        """Write an object to a file, in parts when it is large. False where there is none."""
        with _asked():
            try:
                self._client.download_fileobj(self._name, self._prefix + key, file)
            except ClientError as error:
                _raise_unless_absent(error)
                return False
        return True

    def delete(self, key: str) -> None:
        """Remove an object; a missing one is fine."""
        with _asked():
            self._client.delete_object(**self._at(key))

    def delete_below(self, folder: str) -> int:
        """Remove all objects below a folder; returns how many there were."""
        keys = list(self.keys(folder))
        for key in keys:
            self.delete(key)
        return len(keys)

    def keys(self, folder: str = "") -> Iterator[str]:
        """Keys below a folder, in order of name."""
        below = self._prefix + (f"{folder.strip('/')}/" if folder else "")
        with _asked():
            pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=below)
            for page in pages:
                yield from (item["Key"].removeprefix(self._prefix) for item in page.get("Contents", ()))

    def _at(self, key: str) -> dict[str, str]:
        return {"Bucket": self._name, "Key": self._prefix + key}


_CONFIG = Config(
    connect_timeout=5,
    read_timeout=60,
    retries={"mode": "standard", "max_attempts": 3},
    # Checksums beyond what the protocol asks for: not every server of it knows them.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)


@contextmanager
def _asked() -> Iterator[None]:
    try:
        yield
    except (Boto3Error, BotoCoreError, ClientError, RetriesExceededError, OSError) as error:
        raise BucketUnavailable from error


def _raise_unless_absent(error: ClientError) -> None:
    if error.response.get("Error", {}).get("Code") not in _ABSENT:
        raise error
