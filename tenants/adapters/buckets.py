"""Where files are kept when several machines serve: the bucket that the settings name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from tenants.adapters.bucket import Bucket


def configured_bucket() -> Bucket | None:
    """The bucket of the settings, None where files are kept in a folder."""
    options: dict[str, str] = settings.S3
    if not options["BUCKET"]:
        return None
    return _bucket(options["BUCKET"], options["PREFIX"], options["ENDPOINT"], options["REGION"])


@lru_cache(maxsize=1)
def _bucket(name: str, prefix: str, endpoint: str, region: str) -> Bucket:
    # Importing boto3 takes longer than all of the product's own tables: only who uses it waits for it.
    from tenants.adapters.bucket import Bucket

    return Bucket(name=name, prefix=prefix, endpoint=endpoint, region=region)
