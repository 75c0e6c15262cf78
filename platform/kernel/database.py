"""Whether what went wrong is that the database cannot be reached at this moment, and not what it was asked."""

from __future__ import annotations

_CONNECTION = "08"
_AWAY = frozenset({"53300", "57P01", "57P02", "57P03", "57P05"})
"""too_many_connections, admin_shutdown, crash_shutdown, cannot_connect_now, idle_session_timeout: PostgreSQL's Appendix A."""


def database_is_away(error: BaseException | None, outages: tuple[type[BaseException], ...]) -> bool:
    """Of an error that is one of the driver's `outages`: whether it came with no answer, or with one that says so.

    A driver gives the same class to a statement that took too long or was in a deadlock; those have another SQLSTATE.
    """
    if not isinstance(error, outages):
        return False
    while error is not None:
        state = getattr(error, "sqlstate", None)
        if state is not None:
            return state.startswith(_CONNECTION) or state in _AWAY
        error = error.__cause__
    return True
