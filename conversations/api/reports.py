"""Reports on conversations."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from conversations.domain.verdicts import Verdict
from conversations.selectors.reports import PERIODS, Verdicts, verdicts_by_period, verdicts_total
from kernel.json import JsonObject
from tenants.api.usage import period
from tenants.rest.fields import Output
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May

_COUNTS = {"clean": 118, "contaminated": 1, "invented": 0, "diverged": 1, "malformed": 0, "revoked": 0}


class PeriodQuery(serializers.Serializer):  # type: ignore[type-arg]
    since = serializers.DateField(required=False, help_text="First day (UTC); 30 days back when left out.")
    until = serializers.DateField(required=False, help_text="Last day; today when left out.")
    by = serializers.ChoiceField(list(PERIODS), default="day")


class CountsOutput(Output):
    clean = serializers.IntegerField()
    contaminated = serializers.IntegerField()
    invented = serializers.IntegerField()
    diverged = serializers.IntegerField()
    malformed = serializers.IntegerField()
    revoked = serializers.IntegerField()


class VerdictsOutput(Output):
    begins = serializers.DateField(
        allow_null=True, help_text="First day of the period; null for all of them."
    )
    turns = serializers.IntegerField(help_text="Turns that the guard looked at.")
    verdicts = CountsOutput()
    contaminated_share = serializers.FloatField()


class ContaminationOutput(Output):
    since = serializers.DateField()
    until = serializers.DateField()
    by = serializers.ChoiceField(list(PERIODS))
    periods = VerdictsOutput(many=True)
    total = VerdictsOutput()


class Contamination(ApiView):
    """What the guard said, over time."""

    @operation(
        "Report contamination",
        tag="Reports",
        may=May.READ_REPORTS,
        query=PeriodQuery,
        answers=ContaminationOutput,
        etag=True,
        description="How many turns earned each verdict of the guard, by day, week or month (UTC).",
        example={
            "since": "2026-11-01",
            "until": "2026-11-30",
            "by": "month",
            "periods": [
                {"begins": "2026-11-01", "turns": 120, "verdicts": _COUNTS, "contaminated_share": 0.0083}
            ],
            "total": {"begins": None, "turns": 120, "verdicts": _COUNTS, "contaminated_share": 0.0083},
        },
    )
    def get(self, request: Request) -> Response:
        asked = self.asked(PeriodQuery)
        since, until = period(asked.get("since"), asked.get("until"))
        found = verdicts_by_period(
            since=_midnight(since), until=_midnight(until) + timedelta(days=1), period=asked["by"]
        )
        told = {"since": since.isoformat(), "until": until.isoformat(), "by": asked["by"]}
        return Response(
            {**told, "periods": [_shown(one) for one in found], "total": _shown(verdicts_total(found))}
        )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def _shown(one: Verdicts) -> JsonObject:
    counts = {verdict.value: one.by_verdict[verdict] for verdict in Verdict}
    begins = one.begins.isoformat() if one.begins else None
    share = round(one.contaminated_share, 4)
    return {"begins": begins, "turns": one.turns, "verdicts": counts, "contaminated_share": share}
