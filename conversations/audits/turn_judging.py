"""What members make of the guard's verdict on a turn: right, or a false alarm."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from conversations.audits.records import Judgement, TurnJudgement
from conversations.domain.verdicts import Verdict
from conversations.models import Turn
from kernel.clock import now
from kernel.errors import Invalid, NotFound
from tenants.models import User

MOST_NOTE = 500


@transaction.atomic
def turn_judge(*, turn_id: UUID, judgement: str, note: str = "", by: User | None) -> TurnJudgement:
    """Confirm or dismiss what the guard flagged in a turn of the current tenant. The last judgement counts.

    Raises `NotFound` for a turn that is not here or was not flagged, `Invalid` for a judgement or note that is none.
    """
    note = " ".join(note.split())
    if judgement not in Judgement.values:
        raise Invalid(reason=f"A judgement is one of: {', '.join(Judgement.values)}.")
    if len(note) > MOST_NOTE:
        raise Invalid(reason=f"A note has at most {MOST_NOTE} characters.")
    values = {"judgement": judgement, "note": note, "by": by, "at": now()}
    return TurnJudgement.objects.update_or_create(turn=_flagged(turn_id), defaults=values)[0]


def turn_reopen(*, turn_id: UUID) -> None:
    """Put a turn back into the queue. One that is there already stays. Raises `NotFound`."""
    TurnJudgement.objects.filter(turn=_flagged(turn_id)).delete()


def _flagged(turn_id: UUID) -> Turn:
    turn = Turn.objects.filter(pk=turn_id).exclude(verdict__in=("", Verdict.CLEAN)).first()
    if turn is None:
        raise NotFound(what="flagged turn")
    return turn
