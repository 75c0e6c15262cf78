"""Whether what went wrong is that a disk is full: ours, or the database's."""

from __future__ import annotations

import errno

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SQLSTATE = "53100"  # disk_full, PostgreSQL's Appendix A


def disk_is_full(error: BaseException | None) -> bool:
    """Of the error itself or of one that it came from."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if getattr(error, "sqlstate", None) == _SQLSTATE:
            return True
        error = error.__cause__
    return False
