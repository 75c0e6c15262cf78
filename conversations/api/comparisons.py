"""What one run of a follow-up set changed against another, by REST: by stratum, and item by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.api.evaluation_shapes import FIGURES, ITEM, RUN, SET_ID, TAG
from conversations.selectors.evaluations import (
    CHANGES,
    Compared,
    Comparison,
    access_run,
    comparison_of,
    with_items,
)
from conversations.services.evaluation_runs import STRATEGIES
from kernel.json import JsonObject
from tenants.rest.fields import JsonObjectField, Output, shown
from tenants.rest.operations import operation
from tenants.rest.pagination import Key
from tenants.rest.views import ApiView
from tenants.roles import May

COUNTS = {"gained": 2, "lost": 1, "contaminated": 0, "cleaned": 1, "rewrite": 4, "verdict": 1}
PART = {"changed": 4, "changes": COUNTS, "before": FIGURES, "after": FIGURES}
COMPARISON = {
    "before": SET_ID,
    "after": RUN["id"],
    "strategy": "policy",
    "other": "policy",
    "strata": [{"stratum": "near_followup", **PART}],
    "overall": PART,
}
SIDE = {
    "query": "How many beds has the west ward?",
    "display": "How many beds has the west ward?",
    "kind": "partial_shift",
    "verdict": "clean",
    "hit": True,
    "contaminated": False,
}
PAIR = {
    "item": ITEM["id"],
    "key": "beds-1",
    "stratum": "near_followup",
    "message": "and the west ward?",
    "changes": ["gained", "rewrite"],
    "before": {**SIDE, "query": "and the west ward?", "display": "and the west ward?", "hit": False},
    "after": SIDE,
}


class ComparisonQuery(serializers.Serializer):  # type: ignore[type-arg]
    strategy = serializers.ChoiceField(
        list(STRATEGIES), required=False, help_text="Of this run; its first when left out."
    )
    other = serializers.ChoiceField(
        list(STRATEGIES), required=False, help_text="Of the run before; the same when left out and it has it."
    )


class PairsQuery(ComparisonQuery):
    change = serializers.ChoiceField(list(CHANGES), required=False)
    stratum = serializers.CharField(max_length=40, required=False)


class ComparedChangesOutput(Output):
    gained = serializers.IntegerField(help_text="The passages come back now.")
    lost = serializers.IntegerField(help_text="The passages came back before only.")
    contaminated = serializers.IntegerField(help_text="A forbidden word is in the search now.")
    cleaned = serializers.IntegerField(help_text="A forbidden word is gone from the search.")
    rewrite = serializers.IntegerField(help_text="The searched text differs.")
    verdict = serializers.IntegerField(help_text="The guard says something else.")


class ComparedPartOutput(Output):
    changed = serializers.IntegerField(help_text="Items in which something differs.")
    changes = ComparedChangesOutput()
    before = JsonObjectField(help_text="Figures; empty where that run did not come to its end.")
    after = JsonObjectField()


class StratumOutput(ComparedPartOutput):
    stratum = serializers.CharField()


class ComparisonOutput(Output):
    before = serializers.UUIDField()
    after = serializers.UUIDField()
    strategy = serializers.CharField()
    other = serializers.CharField()
    strata = StratumOutput(many=True)
    overall = ComparedPartOutput()


class SideOutput(Output):
    query = serializers.CharField(allow_blank=True)
    display = serializers.CharField(allow_blank=True, help_text="The query as people read it.")
    kind = serializers.CharField(allow_blank=True)
    verdict = serializers.CharField(allow_blank=True)
    hit = serializers.BooleanField(allow_null=True)
    contaminated = serializers.BooleanField()


class PairOutput(Output):
    item = serializers.UUIDField(source="item.pk")
    key = serializers.CharField(source="item.key")
    stratum = serializers.CharField(source="after.stratum")
    message = serializers.CharField(source="item.follow_up")
    changes = serializers.ListField(child=serializers.ChoiceField(list(CHANGES)))
    before = SideOutput()
    after = SideOutput()


def comparison_shown(found: Comparison) -> JsonObject:
    pairs = found.pairs()
    told: dict[str, Any] = {
        "before": found.before.pk,
        "after": found.after.pk,
        "strategy": found.strategy,
        "other": found.other,
        "strata": [{"stratum": name, **_part(found, _of(pairs, name), name)} for name in found.strata()],
        "overall": _part(found, pairs, ""),
    }
    return shown(ComparisonOutput(told))


def _of(pairs: Sequence[Compared], stratum: str) -> list[Compared]:
    return [pair for pair in pairs if pair.after.stratum == stratum]


def _part(found: Comparison, pairs: Sequence[Compared], stratum: str) -> JsonObject:
    counts = Counter(name for pair in pairs for name in pair.changes)
    before, after = found.figures(stratum)
    changes = {name: counts[name] for name in CHANGES}
    return {"changed": len(pairs), "changes": changes, "before": before, "after": after}


def _in_order(pair: Compared) -> Key:
    return (pair.after.position, str(pair.after.pk))


class EvaluationComparison(ApiView):
    """Two runs beside each other."""

    @operation(
        "Compare two evaluations",
        tag=TAG,
        may=May.RUN_EVALUATIONS,
        query=ComparisonQuery,
        answers=ComparisonOutput,
        etag=True,
        description="What `run_id` changed against `before_id`, a run of the same set: how many items came out "
        "differently, altogether and by stratum, beside the figures of both.",
        example=COMPARISON,
    )
    def get(self, request: Request, run_id: UUID, before_id: UUID) -> Response:
        asked = self.asked(ComparisonQuery)
        return Response(comparison_shown(comparison_of(access_run(run_id), access_run(before_id), **asked)))


class EvaluationComparisonItems(ApiView):
    """The items that came out differently."""

    @operation(
        "List what differs between two evaluations",
        tag=TAG,
        may=May.RUN_EVALUATIONS,
        query=PairsQuery,
        answers=PairOutput,
        paged=True,
        etag=True,
        description="Items that both runs have done, those in which something differs, with both sides.",
        example=PAIR,
    )
    def get(self, request: Request, run_id: UUID, before_id: UUID) -> Response:
        asked = self.asked(PairsQuery)
        change, stratum = asked.pop("change", ""), asked.pop("stratum", "")
        found = comparison_of(access_run(run_id), access_run(before_id), **asked)
        pairs = found.pairs(change=change, stratum=stratum)

        def told(page: list[Compared]) -> list[JsonObject]:
            return [shown(PairOutput(pair)) for pair in with_items(page)]

        return self.page_of_rows(pairs, told, label=f"{run_id} against {before_id}", key=_in_order)
