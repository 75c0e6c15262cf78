"""What the form of a what-if replay says."""

from __future__ import annotations

from datetime import timedelta

from django.http import QueryDict

from admin_ui import version_forms
from admin_ui.asked import choice_asked, whole
from admin_ui.components.marks import KINDS
from conversations.evaluation.what_if import USUAL_TURNS, Sample, Selection
from conversations.selectors.in_force import SCOPE, SEARCHING
from kernel.clock import now
from kernel.json import JsonObject

PERIODS = {"7": "7 days", "30": "30 days", "90": "90 days", "all": "Everything kept"}
OF = {name: kind for kind, name in SEARCHING}
"""What may be replayed, by name, with its kind."""
STORED, EDITED = "stored", "edited"


def name_asked(query: QueryDict) -> str:
    return choice_asked(query, "of", OF) or SCOPE


def selection(query: QueryDict) -> Selection:
    """Raises `Invalid`. A form that says nothing means what the page opens with."""
    if "days" not in query:
        return Selection(since=now() - timedelta(days=30))
    days = choice_asked(query, "days", PERIODS)
    return Selection(
        since=None if days == "all" else now() - timedelta(days=int(days or 30)),
        most=_most(query),
        sample=Sample(choice_asked(query, "sample", set(Sample)) or Sample.LATEST),
        follow_ups="follow_ups" in query,
        kinds=tuple(kind for kind in KINDS if kind in query.getlist("kinds")),
        flagged="flagged" in query,
    )


def _most(query: QueryDict) -> int:
    if not query.get("most", "").strip():
        return USUAL_TURNS
    return whole(query, "most") or 0


def tried(name: str, posted: QueryDict) -> dict[str, int | JsonObject | None]:
    """`number` of a stored version, or `data` as the form says it."""
    if posted.get("what") == EDITED:
        return {"data": version_forms.data(OF[name], name, posted)}
    return {"number": whole(posted, "number")}
