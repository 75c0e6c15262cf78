"""ETags: what was read before need not be sent again, and what changed meanwhile is not overwritten."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

from tenants.rest.errors import ChangedMeanwhile


def etag_of(data: Any) -> str:
    """By content: the same answer has the same ETag."""
    text = json.dumps(data, cls=JSONEncoder, sort_keys=True, separators=(",", ":"))
    return f'"{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}"'


def is_known(request: Request, etag: str) -> bool:
    """Whether the caller says (If-None-Match) that it has this already."""
    return _named(request.headers.get("If-None-Match", ""), etag)


def check_unchanged(request: Request, data: Any) -> None:
    """Where the caller says (If-Match) what it read, that must still be so. Raises `ChangedMeanwhile`.

    Called with the row locked, so that nobody changes it between this and the update.
    """
    wanted = request.headers.get("If-Match")
    if wanted is not None and not _named(wanted, etag := etag_of(data)):
        raise ChangedMeanwhile(etag=etag)


def _named(header: str, etag: str) -> bool:
    """By the weak comparison: proxies that compress may have marked it weak."""
    given = [part.strip().removeprefix("W/") for part in header.split(",")]
    return etag in given or "*" in given
