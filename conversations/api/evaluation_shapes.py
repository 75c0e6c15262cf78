"""What requests and answers of evaluations hold."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from conversations.evaluation.jobs import JobState
from conversations.evaluation.records import (
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    FollowUpSet,
    ResultState,
)
from conversations.selectors.evaluations import entry_from
from conversations.services.evaluation_runs import STRATEGIES
from kernel.json import JsonObject
from tenants.rest.fields import Choice, Flag, Id, Input, JsonObjectField, Output, Text, Whole, shown

TAG = "Evaluations"
MOST_NUMBER = 2**31 - 1
SET_ID = "0d6b6f0e-6f0c-4a53-9d2c-3a7e1f2f9a10"
SET: JsonObject = {
    "id": SET_ID,
    "name": "Wards",
    "note": "",
    "items": 3,
    "created_at": "2026-11-30T08:00:00Z",
    "items_changed_at": "2026-11-30T08:00:00Z",
}
LINE: JsonObject = {
    "id": "beds-1",
    "stratum": "near_followup",
    "prefix": [{"role": "user", "content": "How many beds has the east ward?"}],
    "follow_up": "and the west ward?",
    "gold": ["Wards#The west ward has 12 beds"],
    "required_in_rewrite": ["west ward"],
    "forbidden_in_rewrite": [],
}
ITEM: JsonObject = {"id": "5b9a2c1d-0a57-4c0b-8b1f-1f6d1a1c2b3d", "origin": None, "item": LINE}
FIGURES: JsonObject = {"n": 3, "recall@5": 1.0, "contamination": 0.0, "ci95": [0.44, 1.0]}
RUN: JsonObject = {
    "id": "c7b1f0a2-2f5e-4d8a-9a33-6f2c8e1d4b70",
    "set": SET_ID,
    "strategies": ["policy"],
    "policy_number": 3,
    "prompt_number": 0,
    "audience": "",
    "with_model": False,
    "state": "done",
    "reason": "",
    "done": 3,
    "total": 3,
    "passed": True,
    "report": {"strategies": {"policy": {"strata": {"near_followup": FIGURES}, "overall": FIGURES}}},
    "failures": [],
    "created_at": "2026-11-30T08:00:00Z",
    "finished_at": "2026-11-30T08:01:00Z",
}
RESULT: JsonObject = {
    "id": "9d2f7c44-8c1b-4f63-b1de-0a7b5c3e9f21",
    "item": ITEM["id"],
    "key": "beds-1",
    "strategy": "policy",
    "stratum": "near_followup",
    "state": "done",
    "message": "and the west ward?",
    "query": "How many beds has the west ward?",
    "kind": "partial_shift",
    "verdict": "clean",
    "rewritten": True,
    "hit": True,
    "contaminated": False,
    "score": {"recall5": 1.0, "contaminants": [], "invented": []},
    "retrieved": [{"document": SET_ID, "title": "Wards", "gold": True}],
}
GATES: JsonObject = {
    "required": True,
    "set": SET_ID,
    "values": {"strategy": "policy", "overall": {"recall@5": {"min": 0.8}}},
}


class SetOutput(Output):
    id = serializers.UUIDField()
    name = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    items = serializers.IntegerField(source="item_count")
    created_at = serializers.DateTimeField()
    items_changed_at = serializers.DateTimeField()


class SetInput(Input):
    name = Text(max_length=80)
    note = Text(max_length=300, required=False, allow_blank=True, default="")


class ItemInput(Input):
    item = JsonObjectField(help_text="An object of the file format (docs/evaluation.md).")


class ItemOutput(Output):
    id = serializers.UUIDField()
    origin = serializers.UUIDField(allow_null=True, help_text="The turn that it was grown from.")
    item = JsonObjectField()


class GrowInput(Input):
    turn = Id()


class ImportInput(serializers.Serializer):  # type: ignore[type-arg]
    file = serializers.FileField(allow_empty_file=True, max_length=1000)
    replace = serializers.BooleanField(
        required=False,
        default=False,
        help_text="True: what the set holds goes. Else only items of the same id.",
    )


class ImportedOutput(Output):
    items = serializers.IntegerField(help_text="Items that were loaded.")


class RunInput(Input):
    set = Id()
    strategies = serializers.ListField(
        child=Choice([*STRATEGIES, "all"]), required=False, min_length=1, max_length=len(STRATEGIES) + 1
    )
    policy_number = Whole(min_value=0, max_value=MOST_NUMBER, required=False, allow_null=True)
    prompt_number = Whole(min_value=0, max_value=MOST_NUMBER, required=False, allow_null=True)
    audience = Text(
        max_length=80, required=False, allow_blank=True, help_text="A slug; all documents when left out."
    )
    with_model = Flag(required=False, help_text="Let the configured model rewrite. Its tokens are counted.")


class RunOutput(Output):
    id = serializers.UUIDField()
    set = serializers.UUIDField(source="of_set_id")
    strategies = serializers.ListField(child=serializers.CharField())
    policy_number = serializers.IntegerField(help_text="0 is the built-in one.")
    prompt_number = serializers.IntegerField(help_text="0 is the built-in one.")
    audience = serializers.CharField(allow_blank=True)
    with_model = serializers.BooleanField()
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField(allow_blank=True)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    passed = serializers.BooleanField(
        allow_null=True, help_text="Whether every gate held; null until it is done."
    )
    report = JsonObjectField(help_text="Figures by strategy and stratum; empty until it is done.")
    failures = serializers.ListField(child=serializers.DictField())
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class ResultsQuery(serializers.Serializer):  # type: ignore[type-arg]
    strategy = serializers.ChoiceField(list(STRATEGIES), required=False)
    only = serializers.ChoiceField(["missed", "contaminated", "rewritten", "failed"], required=False)


class ResultOutput(Output):
    id = serializers.UUIDField()
    item = serializers.UUIDField(source="item_id")
    key = serializers.CharField(source="item.key")
    strategy = serializers.CharField()
    stratum = serializers.CharField()
    state = serializers.ChoiceField(ResultState.choices)
    message = serializers.CharField(source="item.follow_up")
    query = serializers.CharField(allow_blank=True)
    kind = serializers.CharField(allow_blank=True)
    verdict = serializers.CharField(allow_blank=True)
    rewritten = serializers.BooleanField()
    hit = serializers.BooleanField(allow_null=True, help_text="All gold was among the first five.")
    contaminated = serializers.BooleanField()
    score = JsonObjectField()
    retrieved = serializers.ListField(source="found", child=serializers.DictField())


class GatesInput(Input):
    required = Flag(  # type: ignore[assignment]
        help_text="Publishing a policy or a prompt needs a passing evaluation."
    )
    set = Id(allow_null=True)
    values = JsonObjectField(help_text="In the shape of gates.toml (docs/evaluation.md).")


class GatesOutput(Output):
    required = serializers.BooleanField()  # type: ignore[assignment]
    set = serializers.UUIDField(allow_null=True, source="of_set_id")
    values = JsonObjectField()


def set_shown(one: FollowUpSet) -> JsonObject:
    return shown(SetOutput(one))


def item_shown(item: FollowUpItem) -> JsonObject:
    told: dict[str, Any] = {"id": item.pk, "origin": item.origin_id, "item": entry_from(item).to_line()}
    return shown(ItemOutput(told))


def run_shown(run: EvaluationRun) -> JsonObject:
    return shown(RunOutput(run))


def result_shown(result: EvaluationResult) -> JsonObject:
    return shown(ResultOutput(result))
