"""What-if replays by REST: stored turns under a changed policy or prompt."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations import wiring
from conversations.domain.classify import Kind
from conversations.evaluation.jobs import JobState
from conversations.evaluation.what_if import (
    MOST_TURNS,
    USUAL_TURNS,
    Change,
    Counts,
    Sample,
    Selection,
    added_up,
)
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.selectors.in_force import SEARCHING
from conversations.selectors.what_if import access_replay, counts_by_stratum, differences, replays
from conversations.services.what_if import what_if_cancel, what_if_draft, what_if_publish, what_if_start
from kernel.json import JsonObject
from tenants.api.versions import VERSION, VersionOutput, version_shown
from tenants.models import VersionKind
from tenants.rest.fields import Choice, Flag, Input, JsonObjectField, Output, Whole, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

TAG = "What-if replays"
MOST_NUMBER = 2**31 - 1
NAMES = [name for _, name in SEARCHING]
COUNTS = Counts(
    compared=200, changed=31, rewrite=12, verdict=3, top_passage=9, passages=20, scope=31
).to_json()
REPLAY = {
    "id": "0d2f6c1e-3f0b-4c58-9b2c-6f1d1f2a7c11",
    "kind": "policy",
    "name": "scope",
    "before_number": 2,
    "after_number": 3,
    "after": {"horizons": {"stale_after": 4}},
    "selection": {"since": None, "until": None, "most": 200, "sample": "latest", "follow_ups": True, "kinds": [], "flagged": False},
    "with_model": False,
    "state": "done",
    "reason": "",
    "total": 200,
    "published_number": None,
    "created_at": "2026-11-30T08:00:00Z",
    "finished_at": "2026-11-30T08:01:10Z",
}  # fmt: skip
SIDE = {
    "query": "And the visiting hours of ward 7?",
    "display": "And the visiting hours of ward 7?",
    "kind": "follow_up",
    "verdict": "clean",
    "origin": "offline",
    "turns": [3, 4],
    "slots": [["ward 7", "live"]],
    "passages": ["6c1d3f0e-2b0a-4c58-9b2c-6f1d1f2a7c12"],
    "trouble": "",
}
DIFFERENCE = {
    "turn": "9a1f0c2e-5d3b-4e58-8b2c-7f1d1f2a7c13",
    "stratum": "follow_up",
    "changes": ["rewrite", "scope"],
    "before": SIDE,
    "after": {**SIDE, "query": "And the visiting hours?", "slots": []},
}


class WhatIfSelection(serializers.Serializer):  # type: ignore[type-arg]
    since = serializers.DateTimeField(required=False, allow_null=True)
    until = serializers.DateTimeField(required=False, allow_null=True)
    most = Whole(min_value=1, max_value=MOST_TURNS, default=USUAL_TURNS)
    sample = Choice([sample.value for sample in Sample], default=Sample.LATEST.value)
    follow_ups = Flag(
        default=True, help_text="Only conversations in which some turn leans on an earlier one."
    )
    kinds = serializers.ListField(
        child=Choice([kind.value for kind in Kind]),
        default=list,
        max_length=len(Kind),
        help_text="None for all.",
    )
    flagged = Flag(default=False, help_text="Only turns that the guard objected to.")


class ReplayInput(Input):
    name = Choice(NAMES, default=NAMES[0], help_text="The scope policy, or the prompt of the rewrite.")
    number = Whole(min_value=0, max_value=MOST_NUMBER, required=False, allow_null=True)
    data = JsonObjectField(required=False, allow_null=True)  # type: ignore[assignment]
    selection = WhatIfSelection(required=False)
    with_model = Flag(default=False, help_text="Let the configured model rewrite. Its tokens are counted.")


class ReplayOutput(Output):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(VersionKind.choices)
    name = serializers.CharField()
    before_number = serializers.IntegerField(help_text="What was in force; 0 is built in.")
    after_number = serializers.IntegerField(allow_null=True)
    after = JsonObjectField()
    selection = JsonObjectField()
    with_model = serializers.BooleanField()
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField(allow_blank=True)
    total = serializers.IntegerField()
    published_number = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class WhatIfCountsOutput(Output):
    compared = serializers.IntegerField()
    changed = serializers.IntegerField()
    rewrite = serializers.IntegerField()
    verdict = serializers.IntegerField()
    top_passage = serializers.IntegerField()
    passages = serializers.IntegerField()
    scope = serializers.IntegerField()
    stored_differs = serializers.IntegerField(
        help_text="Stored turns that differ from the replay as it is now."
    )
    failed = serializers.IntegerField()
    waiting = serializers.IntegerField()


class ReplayDetailOutput(ReplayOutput):
    counts = WhatIfCountsOutput()
    strata = serializers.DictField(child=WhatIfCountsOutput())


class DifferencesQuery(serializers.Serializer):  # type: ignore[type-arg]
    change = serializers.ChoiceField([change.value for change in Change], required=False)
    stratum = serializers.ChoiceField([kind.value for kind in Kind], required=False)


class WhatIfDifferenceOutput(Output):
    turn = serializers.UUIDField()
    stratum = serializers.CharField(allow_blank=True)
    changes = serializers.ListField(child=serializers.CharField())
    before = JsonObjectField()
    after = JsonObjectField()


def replay_shown(replay: WhatIfReplay) -> JsonObject:
    return shown(ReplayOutput(replay))


def detail_shown(replay: WhatIfReplay) -> JsonObject:
    strata = counts_by_stratum(replay.pk)
    told = {stratum: counts.to_json() for stratum, counts in strata.items()}
    return {**replay_shown(replay), "counts": added_up(list(strata.values())).to_json(), "strata": told}


def difference_shown(row: WhatIfDifference) -> JsonObject:
    changes = [change.value for change in Change if getattr(row, change)]
    return {
        "turn": str(row.turn_id),
        "stratum": row.stratum,
        "changes": changes,
        "before": row.before,
        "after": row.after,
    }


class WhatIfReplays(ApiView):
    """Replays of stored turns."""

    @operation(
        "List what-if replays",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        paged=True,
        answers=ReplayOutput,
        example=REPLAY,
    )
    def get(self, request: Request) -> Response:
        return self.page(replays(), replay_shown, by=("-created_at", "id"))

    @operation(
        "Start a what-if replay",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        takes=ReplayInput,
        answers=ReplayOutput,
        status=201,
        repeatable=True,
        description="Replays stored turns under `number` or `data` against what is in force. Nothing is answered and "
        "nothing in a conversation changes.",
        sends={"name": "scope", "data": {"horizons": {"stale_after": 4}}, "selection": {"most": 200}},
        example={**REPLAY, "state": "queued", "finished_at": None},
    )
    def post(self, request: Request) -> Response:
        asked = self.read(ReplayInput)
        kind = {name: kind for kind, name in SEARCHING}[asked["name"]]
        replay = what_if_start(
            kind=kind,
            selection=_selection(asked.pop("selection", None) or {}),
            has_model=wiring.chat_model() is not None,
            requested_by=getattr(self.caller.user, "pk", None),
            **asked,
        )
        return Response(replay_shown(replay), status=201)


def _selection(given: dict[str, Any]) -> Selection:
    if not given:
        return Selection()
    more = {"sample": Sample(given["sample"]), "kinds": tuple(given["kinds"])}
    return Selection(**{**given, **more})


class WhatIfReplayDetail(ApiView):
    """One replay."""

    @operation(
        "Read a what-if replay",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        answers=ReplayDetailOutput,
        etag=True,
        description="With how often what changes, altogether and by kind of turn.",
        example={**REPLAY, "counts": COUNTS, "strata": {"follow_up": COUNTS}},
    )
    def get(self, request: Request, replay_id: UUID) -> Response:
        return Response(detail_shown(access_replay(replay_id)))


class WhatIfReplayCancel(ApiView):
    """The end of a replay before its end."""

    @operation(
        "Cancel a what-if replay",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        answers=ReplayOutput,
        description="What it has found stays.",
        example={**REPLAY, "state": "cancelled"},
    )
    def post(self, request: Request, replay_id: UUID) -> Response:
        return Response(replay_shown(what_if_cancel(replay_id=replay_id)))


class WhatIfReplayDraft(ApiView):
    """A draft of what a replay tried."""

    @operation(
        "Keep what a what-if replay tried",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        answers=VersionOutput,
        repeatable=True,
        description="The version that was tried; what was tried as `data` becomes a draft, once.",
        example=VERSION,
    )
    def post(self, request: Request, replay_id: UUID) -> Response:
        return Response(version_shown(what_if_draft(replay_id=replay_id)))


class WhatIfReplayPublication(ApiView):
    """What a replay tried, put in force."""

    @operation(
        "Publish what a what-if replay tried",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        answers=VersionOutput,
        repeatable=True,
        description="As it was tried and against what it was compared with: refused while the replay runs, when the "
        "draft was edited since, and when something else was published meanwhile. The gates hold here too.",
        example={**VERSION, "state": "published", "published_at": "2026-11-30T08:12:00Z"},
    )
    def post(self, request: Request, replay_id: UUID) -> Response:
        return Response(version_shown(what_if_publish(replay_id=replay_id)))


class WhatIfReplayDifferences(ApiView):
    """Turns that come out differently."""

    @operation(
        "List the differences of a what-if replay",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        query=DifferencesQuery,
        paged=True,
        answers=WhatIfDifferenceOutput,
        description="Each with both sides: the query, the verdict, what the rewrite was shown, the passages found.",
        example=DIFFERENCE,
    )
    def get(self, request: Request, replay_id: UUID) -> Response:
        asked = self.asked(DifferencesQuery)
        narrowed = {name: asked.get(name, "") for name in ("change", "stratum")}
        found = differences(access_replay(replay_id).pk, **narrowed)
        return self.page(found, difference_shown, by=("position", "id"))
