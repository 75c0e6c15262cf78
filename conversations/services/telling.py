"""What a tenant's webhooks are told of conversations: that something happened, and never what was said."""

from __future__ import annotations

from conversations.domain.verdicts import Verdict
from conversations.models import Turn
from tenants.services.webhooks import webhook_notify

TOLD = frozenset(
    verdict.value for verdict in (Verdict.CONTAMINATED, Verdict.INVENTED, Verdict.DIVERGED, Verdict.REVOKED)
)


def tell_flagged(turn: Turn, reason: str) -> None:
    """`reason` is the guard's verdict, or `rated_down`."""
    webhook_notify(
        "turn.flagged",
        {"turn": str(turn.pk), "session": str(turn.session_id), "number": turn.n, "reason": reason},
    )
