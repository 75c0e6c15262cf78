"""What the forms of policies and prompts say, and what the person had in sight while filling them in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from django.http import QueryDict

from admin_ui.asked import whole
from admin_ui.components.policy_form import policy_data
from admin_ui.components.prompt_form import prompt_data
from kernel.json import JsonObject
from tenants.models import Version, VersionKind
from tenants.versioning.errors import VersionConflict
from tenants.versioning.gates import Gate, GateResult
from tenants.versioning.registry import versioned_of

_NEVER = datetime.min.replace(tzinfo=UTC)


def data(kind: str, name: str, posted: QueryDict) -> JsonObject:
    """The data of a version as its form says it. Raises `VersionedUnknown`."""
    versioned_of(kind, name)
    return policy_data(posted) if kind == VersionKind.POLICY else prompt_data(name, posted)


def note(posted: Mapping[str, str]) -> str:
    """In one line; the service says when it is too long."""
    return " ".join(posted.get("note", "").split())


def replaces(posted: Mapping[str, str]) -> int:
    """The number in force that the person compared with; a form that names none is refused as outdated."""
    number = whole(posted, "replaces")
    return -1 if number is None else number


def seen(posted: Mapping[str, str]) -> datetime:
    """When the version had last changed as the person opened it; long ago where the form does not say."""
    try:
        moment = datetime.fromisoformat(posted.get("seen", ""))
    except ValueError:
        return _NEVER
    return moment if moment.tzinfo else _NEVER


def seen_gate(moment: datetime) -> Gate:
    """Lets a version pass that is as the person has seen it. Raises `VersionConflict` for any other."""

    def passes(version: Version) -> GateResult:
        if version.updated_at != moment:
            raise VersionConflict(reason=f"version {version.number} was changed after you had opened it.")
        return GateResult(passed=True)

    return passes
