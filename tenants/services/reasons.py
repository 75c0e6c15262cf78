"""Why somebody did it, in their own words."""

from __future__ import annotations

from kernel.errors import Invalid

MOST_REASON = 300
"""Characters."""


def reason_given(reason: str) -> str:
    """On one line. Raises `Invalid` for an empty one and for one that is too long."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > MOST_REASON:
        raise Invalid(
            reason=f"Write down why, in at most {MOST_REASON} characters: the workspace can read it."
        )
    return reason
