"""What a key of a stored file may look like, wherever it is stored."""

from __future__ import annotations

import re

_KEY = re.compile(r"[\w-]+(?:/[\w-]+)*")


def checked_key(key: str) -> str:
    """The key itself: words separated by slashes. Raises ValueError for anything else."""
    if not _KEY.fullmatch(key):
        raise ValueError(f"not a key: {key!r}")
    return key
