"""Policies and prompts as versions: draft, check, compare, try, publish, roll back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from kernel.json import JsonObject
from tenants.models import Version, VersionKind, VersionState
from tenants.rest.fields import Input, JsonObjectField, Output, Text, Whole, shown
from tenants.rest.operations import operation
from tenants.rest.views import ApiView
from tenants.roles import May
from tenants.selectors.versions import (
    access_version,
    version_differences,
    version_list,
    version_summaries,
)
from tenants.services import versions as services
from tenants.versioning.differences import ChangeKind
from tenants.versioning.registry import versioned_of

TAG = "Policies and prompts"
MOST_NUMBER = 2**31 - 1
VERSION = {
    "kind": "policy",
    "name": "scope",
    "number": 3,
    "state": "draft",
    "data": {"horizons": {"stale_after": 4}},
    "note": "Longer horizon",
    "share": 0,
    "based_on": 2,
    "created_at": "2026-11-30T08:00:00Z",
    "updated_at": "2026-11-30T08:10:00Z",
    "published_at": None,
}


class VersionOutput(Output):
    kind = serializers.ChoiceField(VersionKind.choices)
    name = serializers.CharField()
    number = serializers.IntegerField(help_text="0 is the built-in one.")
    state = serializers.ChoiceField(VersionState.choices)
    data = JsonObjectField()  # type: ignore[assignment]
    note = serializers.CharField(allow_blank=True)
    share = serializers.IntegerField(help_text="Percent of sessions while it is tried.")
    based_on = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField(allow_null=True)
    updated_at = serializers.DateTimeField(allow_null=True)
    published_at = serializers.DateTimeField(allow_null=True)


class VersionsOutput(Output):
    schema = JsonObjectField(help_text="JSON Schema of `data`.")
    items = VersionOutput(many=True)


class SummaryOutput(Output):
    kind = serializers.ChoiceField(VersionKind.choices)
    name = serializers.CharField()
    title = serializers.CharField()
    about = serializers.CharField(allow_blank=True)
    in_force = serializers.IntegerField(help_text="0 for the built-in one.")


class SummariesOutput(Output):
    items = SummaryOutput(many=True)


class DraftInput(Input):
    data = JsonObjectField(required=False, allow_null=True)  # type: ignore[assignment]
    from_number = Whole(min_value=0, max_value=MOST_NUMBER, required=False, allow_null=True)
    note = Text(max_length=300, required=False, allow_blank=True)


class EditInput(Input):
    data = JsonObjectField()  # type: ignore[assignment]
    note = Text(max_length=300, required=False, allow_blank=True)
    unchanged_since = serializers.DateTimeField(
        required=False, help_text="The `updated_at` that you have read: refused when it was edited since."
    )


class CheckInput(Input):
    data = JsonObjectField()  # type: ignore[assignment]


class PublishInput(Input):
    replaces = Whole(
        min_value=0,
        max_value=MOST_NUMBER,
        required=False,
        allow_null=True,
        help_text="The number in force that you have compared with: refused when it is another by now.",
    )


class StageInput(Input):
    share = Whole(min_value=1, max_value=100)


class RollBackInput(PublishInput):
    number = Whole(min_value=0, max_value=MOST_NUMBER)
    note = Text(max_length=300, required=False, allow_blank=True)


class ProblemOutput(Output):
    path = serializers.CharField(allow_blank=True)
    message = serializers.CharField()
    allowed = serializers.CharField(allow_blank=True)
    severity = serializers.ChoiceField(["error", "warning"])


class ProblemsOutput(Output):
    problems = ProblemOutput(many=True)


class CompareQuery(serializers.Serializer):  # type: ignore[type-arg]
    before = serializers.IntegerField(min_value=0, max_value=MOST_NUMBER)
    after = serializers.IntegerField(min_value=0, max_value=MOST_NUMBER)


class ChangeOutput(Output):
    path = serializers.CharField()
    kind = serializers.ChoiceField([kind.value for kind in ChangeKind])
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    lines = serializers.ListField(child=serializers.CharField(allow_blank=True))


class ChangesOutput(Output):
    changes = ChangeOutput(many=True)


def version_shown(version: Version) -> JsonObject:
    return shown(VersionOutput(version))


class AllVersioned(ApiView):
    """Everything that has versions."""

    @operation(
        "List policies and prompts",
        tag=TAG,
        may=May.READ_REPORTS,
        answers=SummariesOutput,
        example={
            "items": [
                {"kind": "policy", "name": "scope", "title": "Scope policy", "about": "", "in_force": 2}
            ]
        },
    )
    def get(self, request: Request) -> Response:
        return Response({"items": [_summary(one) for one in version_summaries()]})


def _summary(one: Any) -> JsonObject:
    versioned = one.versioned
    told = {name: getattr(versioned, name) for name in ("kind", "name", "title", "about")}
    return told | {"in_force": one.in_force}


class Versions(ApiView):
    """The versions of one policy or prompt."""

    @operation(
        "List versions",
        tag=TAG,
        may=May.READ_REPORTS,
        answers=VersionsOutput,
        etag=True,
        description="The newest first, the built-in one (0) last.",
        example={"schema": {"type": "object"}, "items": [VERSION]},
    )
    def get(self, request: Request, kind: str, name: str) -> Response:
        schema = versioned_of(kind, name).schema
        return Response({"schema": schema, "items": [version_shown(v) for v in version_list(kind, name)]})

    @operation(
        "Draft a version",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        takes=DraftInput,
        answers=VersionOutput,
        status=201,
        repeatable=True,
        description="A copy of what is in force, or of `from_number`, or `data`. A draft need not be right yet.",
        sends={"data": {"horizons": {"stale_after": 4}}, "note": "Longer horizon"},
        example=VERSION,
    )
    def post(self, request: Request, kind: str, name: str) -> Response:
        draft = services.version_draft(kind=kind, name=name, **self.read(DraftInput))
        return Response(version_shown(draft), status=201)


class VersionCheck(ApiView):
    """What would be wrong with a version."""

    @operation(
        "Check data of a policy or prompt",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        takes=CheckInput,
        answers=ProblemsOutput,
        sends={"data": {"horizons": {"stale_after": 4}}},
        example={"problems": []},
    )
    def post(self, request: Request, kind: str, name: str) -> Response:
        found = services.version_check(kind=kind, name=name, data=self.read(CheckInput)["data"])
        return Response({"problems": [problem.to_json() for problem in found]})


class VersionComparison(ApiView):
    """What differs between two versions."""

    @operation(
        "Compare two versions",
        tag=TAG,
        may=May.READ_REPORTS,
        query=CompareQuery,
        answers=ChangesOutput,
        example={
            "changes": [
                {"path": "horizons.stale_after", "kind": "changed", "before": 3, "after": 4, "lines": []}
            ]
        },
    )
    def get(self, request: Request, kind: str, name: str) -> Response:
        asked = self.asked(CompareQuery)
        found = version_differences(kind, name, asked["before"], asked["after"])
        return Response({"changes": [{**asdict(change), "lines": list(change.lines)} for change in found]})


class VersionDetail(ApiView):
    """One version."""

    @operation(
        "Read a version", tag=TAG, may=May.READ_REPORTS, answers=VersionOutput, etag=True, example=VERSION
    )
    def get(self, request: Request, kind: str, name: str, number: int) -> Response:
        return Response(version_shown(access_version(kind, name, number)))

    @operation(
        "Change a draft",
        tag=TAG,
        may=May.EDIT_VERSIONS,
        takes=EditInput,
        answers=VersionOutput,
        sends={"data": {"horizons": {"stale_after": 5}}},
        example=VERSION,
    )
    def put(self, request: Request, kind: str, name: str, number: int) -> Response:
        edited = services.version_edit(kind=kind, name=name, number=number, **self.read(EditInput))
        return Response(version_shown(edited))

    @operation("Discard a draft", tag=TAG, may=May.EDIT_VERSIONS, status=204)
    def delete(self, request: Request, kind: str, name: str, number: int) -> Response:
        services.version_discard(kind=kind, name=name, number=number)
        return Response(status=204)


class VersionPublication(ApiView):
    """A version put in force."""

    @operation(
        "Publish a version",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        takes=PublishInput,
        answers=VersionOutput,
        repeatable=True,
        description="In force for every conversation from its next turn on. Whatever is being tried ends.",
        sends={"replaces": 2},
        example={**VERSION, "state": "published", "published_at": "2026-11-30T08:12:00Z"},
    )
    def post(self, request: Request, kind: str, name: str, number: int) -> Response:
        published = services.version_publish(kind=kind, name=name, number=number, **self.read(PublishInput))
        return Response(version_shown(published))


class VersionStage(ApiView):
    """A version tried on a share of the conversations."""

    @operation(
        "Try a version",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        takes=StageInput,
        answers=VersionOutput,
        description="On a share of the conversations, each of which keeps to its side.",
        sends={"share": 10},
        example={**VERSION, "state": "staged", "share": 10},
    )
    def put(self, request: Request, kind: str, name: str, number: int) -> Response:
        share = self.read(StageInput)["share"]
        return Response(
            version_shown(services.version_stage(kind=kind, name=name, number=number, share=share))
        )


class StageEnd(ApiView):
    """The end of a try."""

    @operation(
        "Stop trying a version",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        answers=VersionOutput,
        example={**VERSION, "state": "retired"},
    )
    def delete(self, request: Request, kind: str, name: str) -> Response:
        return Response(version_shown(services.version_stage_end(kind=kind, name=name)))


class RollBack(ApiView):
    """What was in force before, in force again."""

    @operation(
        "Roll back",
        tag=TAG,
        may=May.PUBLISH_VERSIONS,
        takes=RollBackInput,
        answers=VersionOutput,
        status=201,
        repeatable=True,
        description="As a new number; 0 goes back to the built-in version.",
        sends={"number": 1},
        example={**VERSION, "number": 4, "state": "published", "based_on": 1},
    )
    def post(self, request: Request, kind: str, name: str) -> Response:
        back = services.version_roll_back(kind=kind, name=name, **self.read(RollBackInput))
        return Response(version_shown(back), status=201)
