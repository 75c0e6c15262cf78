"""Where files are kept when several machines serve: the bucket that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenants.adapters.buckets import configured_bucket

if TYPE_CHECKING:
    from tenants.adapters.bucket import Bucket

__all__ = ["Bucket", "configured_bucket"]
