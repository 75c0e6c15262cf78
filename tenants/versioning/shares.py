"""Which sessions try a staged version.

A session's place between 0 and 99 depends on nothing but the session and the thing that is tried, so a session stays
where it is, and a share that grows only adds sessions. Two things that are tried at the same time do not get the
same sessions.
"""

from __future__ import annotations

import hashlib
from uuid import UUID

PLACES = 100


def place_of(session_id: UUID, kind: str, name: str) -> int:
    """The session's place for this policy or prompt, evenly spread over 0 to 99."""
    digest = hashlib.sha256(f"{kind}/{name}/{session_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % PLACES


def in_share(session_id: UUID, kind: str, name: str, percent: int) -> bool:
    """Whether the session belongs to the first `percent` of a hundred."""
    return place_of(session_id, kind, name) < percent
