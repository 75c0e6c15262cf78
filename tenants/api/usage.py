"""What the workspace has used, and what it may use."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date, timedelta

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.clock import now
from kernel.errors import Invalid
from tenants.rest.fields import Output
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.usage import usage_by_day, usage_of
from tenants.services.quotas import quota_states

TAG = "Usage"
USUAL_DAYS, MOST_DAYS = 30, 3 * 366
EARLIEST = date(2020, 1, 1)


class UsageQuery(serializers.Serializer):  # type: ignore[type-arg]
    since = serializers.DateField(required=False, help_text="First day (UTC); 30 days back when left out.")
    until = serializers.DateField(required=False, help_text="Last day; today when left out.")
    metric = serializers.CharField(max_length=40, required=False)


class DayOutput(Output):
    day = serializers.DateField()
    metric = serializers.CharField()
    value = serializers.IntegerField()


class UsageOutput(Output):
    since = serializers.DateField()
    until = serializers.DateField()
    totals = serializers.DictField(child=serializers.IntegerField())
    days = DayOutput(many=True)


class QuotaOutput(Output):
    name = serializers.CharField()
    what = serializers.CharField()
    limit = serializers.IntegerField(allow_null=True, help_text="Null is no limit, 0 allows nothing.")
    used = serializers.IntegerField(allow_null=True, help_text="Null for a pace.")
    resets_at = serializers.DateTimeField(allow_null=True)
    stops = serializers.CharField(
        allow_blank=True, help_text="What it stops at present, being 0 or used up; empty while there is room."
    )


class QuotasOutput(Output):
    items = QuotaOutput(many=True)


class Usage(ApiView):
    """What was used, by day."""

    @operation(
        "Read usage",
        tag=TAG,
        may=May.READ_REPORTS,
        query=UsageQuery,
        answers=UsageOutput,
        etag=True,
        description="What was counted in the last minute may be missing.",
        example={
            "since": "2026-11-01",
            "until": "2026-11-30",
            "totals": {"turns": 1240},
            "days": [{"day": "2026-11-30", "metric": "turns", "value": 87}],
        },
    )
    def get(self, request: Request) -> Response:
        asked = self.asked(UsageQuery)
        since, until = period(asked.get("since"), asked.get("until"))
        days = usage_by_day(since=since, until=until, metric=asked.get("metric", ""))
        totals = usage_of(since=since, until=until)
        told = {"since": since, "until": until, "totals": totals, "days": [asdict(day) for day in days]}
        return Response(UsageOutput(told).data)


class Quotas(ApiView):
    """What may be used."""

    @operation(
        "Read quotas",
        tag=TAG,
        may=May.READ_REPORTS,
        answers=QuotasOutput,
        example={
            "items": [
                {
                    "name": "turns_per_day",
                    "what": "messages of today",
                    "limit": 5000,
                    "used": 87,
                    "resets_at": "2026-12-01T00:00:00Z",
                    "stops": "",
                }
            ]
        },
    )
    def get(self, request: Request) -> Response:
        return Response(QuotasOutput({"items": quota_states()}).data)


def period(since: date | None, until: date | None) -> tuple[date, date]:
    """The asked days, the usual ones where none are. Raises `Invalid`."""
    today = now().date()
    last = until or today
    if not EARLIEST <= last <= today + timedelta(days=1):
        raise Invalid(reason="`until` lies in the future, or before this product.")
    first = since or last - timedelta(days=USUAL_DAYS - 1)
    if not 0 <= (last - first).days <= MOST_DAYS:
        raise Invalid(reason=f"`since` comes before `until`, and they are at most {MOST_DAYS} days apart.")
    return first, last
