"""Reading for what-if replays: which stored turns, what a session was, how far a replay is and what it found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Q, QuerySet, Value
from django.db.models.fields import CharField
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import MD5, Cast, Concat

from conversations.domain.answer.citations import without_markers
from conversations.evaluation.what_if import LEANING, Change, Counts, Sample, Selection, Told
from conversations.evaluation.what_if_records import (
    WhatIfDifference,
    WhatIfReplay,
    WhatIfState,
)
from conversations.models import (
    ArchivedExchange,
    Turn,
    TurnState,
    TurnTrace,
)
from kernel.errors import NotFound

ENDED = (TurnState.COMPLETED, TurnState.STOPPED)
SALT = "what-if"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a selection comes to: turns that match, those taken, their sessions, and all turns to replay for them.

    `model_calls` is about how many calls of a model both sides make together, `most_model_calls` how many at most.
    """

    matching: int
    turns: int
    sessions: int
    replayed: int
    model_calls: int
    most_model_calls: int


def turns_matching(selection: Selection) -> QuerySet[Turn]:
    """Ended turns with a verdict that the selection means, however many."""
    found = Turn.objects.filter(state__in=ENDED).exclude(verdict="")
    if selection.since:
        found = found.filter(created_at__gte=selection.since)
    if selection.until:
        found = found.filter(created_at__lt=selection.until)
    if selection.kinds:
        found = found.filter(kind__in=selection.kinds)
    if selection.flagged:
        found = found.exclude(verdict="clean")
    if selection.follow_ups:
        leaning = Turn.objects.filter(kind__in=LEANING)
        found = found.filter(session_id__in=leaning.values("session_id"))
    return found


def turns_chosen(selection: Selection) -> QuerySet[Turn]:
    """`most` of them. Random ones are the same each time, so that two replays can be compared."""
    found = turns_matching(selection)
    if selection.sample is Sample.RANDOM:
        place = MD5(Concat(Cast("id", CharField()), Value(SALT)))
        return found.order_by(place)[: selection.most]
    return found.order_by("-created_at", "id")[: selection.most]


def estimate(selection: Selection) -> Estimate:
    """Three queries. What leads to a chosen turn is replayed as well, from the beginning of its session."""
    chosen = list(turns_chosen(selection).values_list("session_id", "n"))
    last: dict[UUID, int] = {}
    for session_id, n in chosen:
        last[session_id] = max(n, last.get(session_id, 0))
    rows = Turn.objects.filter(session_id__in=last, state__in=ENDED).order_by()
    kinds = [
        kind for session_id, n, kind in rows.values_list("session_id", "n", "kind") if n <= last[session_id]
    ]
    full, about = len(chosen) == selection.most, 2 * sum(kind in LEANING for kind in kinds)
    return Estimate(
        matching=turns_matching(selection).count() if full else len(chosen),
        turns=len(chosen),
        sessions=len(last),
        replayed=len(kinds),
        model_calls=about,
        most_model_calls=max(about, 2 * (len(kinds) - len(last))),
    )


def session_told(session_id: UUID, *, last: int) -> list[Told]:
    """The ended turns of a session up to turn number `last`, in order, each with what was joined to it."""
    turns = list(
        Turn.objects.filter(session_id=session_id, n__lte=last)
        .order_by("n")
        .only(
            "n",
            "state",
            "message",
            "answer",
            "citations",
            "query",
            "verdict",
            "joined_to_id",
            "created_at",
            "finished_at",
        )
    )
    said, tops = _said(session_id), _tops(session_id)
    joined: dict[UUID, list[Turn]] = defaultdict(list)
    told: list[Told] = []
    before: datetime | None = None
    for turn in turns:
        if turn.joined_to_id:
            joined[turn.joined_to_id].append(turn)
        elif turn.state in ENDED and (turn.verdict or turn.pk in said):
            told.append(_told(turn, joined.get(turn.pk, []), said.get(turn.pk), tops.get(turn.pk), before))
            before = turn.finished_at or turn.created_at
    return told


def _told(
    turn: Turn,
    joined: Sequence[Turn],
    said: tuple[str, list[str]] | None,
    top: str | None,
    before: datetime | None,
) -> Told:
    first = (*joined, turn)[0]
    cited = [str(citation.get("chunk", "")) for citation in turn.citations]
    answer, chunks = said or (without_markers(turn.answer), [chunk for chunk in cited if chunk])
    return Told(
        turn_id=turn.pk,
        n=turn.n,
        message="\n".join(one.message for one in (*joined, turn)),
        answer=answer,
        chunks=tuple(chunks),
        idle_seconds=max(0.0, (first.created_at - before).total_seconds()) if before else 0.0,
        query=turn.query,
        verdict=turn.verdict,
        top=top or "",
    )


def _said(session_id: UUID) -> dict[UUID, tuple[str, list[str]]]:
    """Answers with their chunks as the session remembered them, by turn."""
    parts = [KeyTransform(name, "data") for name in ("answer", "chunks")]
    rows = ArchivedExchange.objects.filter(session_id=session_id).values_list("turn_id", *parts)
    return {turn_id: (answer or "", list(chunks or ())) for turn_id, answer, chunks in rows}


def _tops(session_id: UUID) -> dict[UUID, str]:
    first = KeyTransform("chunk", KeyTransform("0", KeyTransform("candidates", "data")))
    rows = TurnTrace.objects.filter(turn__session_id=session_id).values_list("turn_id", first)
    return {turn_id: chunk for turn_id, chunk in rows if isinstance(chunk, str)}


# A replay


def replays() -> QuerySet[WhatIfReplay]:
    return WhatIfReplay.objects.select_related("requested_by").order_by("-created_at", "id")


def access_replay(replay_id: UUID) -> WhatIfReplay:
    """Raises `NotFound`."""
    found = replays().filter(pk=replay_id).first()
    if found is None:
        raise NotFound(what="replay")
    return found


def counts_by_stratum(replay_id: UUID) -> Mapping[str, Counts]:
    """One query."""
    compared = Q(state__in=(WhatIfState.SAME, WhatIfState.CHANGED))
    columns: dict[str, Any] = {
        "compared": Count("id", compared),
        **{state: Count("id", Q(state=state)) for state in ("changed", "failed", "waiting")},
        **{f"of_{name}": Count("id", Q(**{name: True})) for name in (*Change, "stored_differs")},
    }
    rows = (
        WhatIfDifference.objects.filter(replay_id=replay_id).order_by().values("stratum").annotate(**columns)
    )
    return {
        row.pop("stratum"): Counts(**{name.removeprefix("of_"): n for name, n in row.items()})
        for row in map(dict, rows)
    }


def verdict_moves(replay_id: UUID) -> list[tuple[str, str, int]]:
    """How many compared turns had which verdict before and after."""
    rows = WhatIfDifference.objects.filter(replay_id=replay_id).exclude(verdict_before="").order_by()
    counted = rows.values("verdict_before", "verdict_after").annotate(turns=Count("id"))
    return [(row["verdict_before"], row["verdict_after"], row["turns"]) for row in counted]


def differences(replay_id: UUID, *, change: str = "", stratum: str = "") -> QuerySet[WhatIfDifference]:
    """The turns in which something changed, or that which is named."""
    found = WhatIfDifference.objects.filter(replay_id=replay_id, state=WhatIfState.CHANGED)
    if change:
        found = found.filter(**{change: True})
    if stratum:
        found = found.filter(stratum=stratum)
    return found.select_related("turn").order_by("position", "id")


def session_to_play(replay_id: UUID) -> tuple[UUID, int, dict[UUID, UUID]] | None:
    """The next session with waiting turns: its id, the number of the last of them, and the rows' ids by turn."""
    waiting = WhatIfDifference.objects.filter(replay_id=replay_id, state=WhatIfState.WAITING)
    session_id = waiting.order_by("position").values_list("turn__session_id", flat=True).first()
    if session_id is None:
        return None
    rows = waiting.filter(turn__session_id=session_id)
    last = rows.aggregate(last=Max("turn__n"))["last"]
    return session_id, last, dict(rows.values_list("turn_id", "pk"))
