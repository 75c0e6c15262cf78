"""Reading versions: which one is in force for a session, what there is, and what differs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from kernel.errors import NotFound
from kernel.json import JsonObject
from kernel.problems import errors_in
from tenants.models import Version, VersionState
from tenants.postgres.statements import Asked, Statement, answer, instances_of
from tenants.versioning.differences import Change, changes_between
from tenants.versioning.registry import Versioned, all_versioned, versioned_of
from tenants.versioning.shares import in_share
from tenants.versioning.validation import problems_of

BUILT_IN = 0
_ACTIVE = (VersionState.PUBLISHED, VersionState.STAGED)
_IN_FORCE = Statement.named("tenants", "versions_in_force")
_version = instances_of(Version, "id", "kind", "name", "number", "state", "share", "data")

InForce = dict[tuple[str, str], Version]


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """Where one policy or prompt stands. `in_force` is 0 for the built-in version."""

    versioned: Versioned
    in_force: int
    staged: int | None
    share: int
    drafts: int


def versions_in_force(*, session_id: UUID | None) -> InForce:
    """By kind and name the stored versions a session runs under, in one query. What is missing is built in.

    Without a session the published ones.
    """
    return answer(versions_asked(session_id=session_id))


def versions_asked(*, session_id: UUID | None) -> Asked[InForce]:
    """The question for it, to go with others."""

    def read(rows: list[Any]) -> InForce:
        found = map(_version, rows)
        return {(one.kind, one.name): one for one in found if _holds_for(one, session_id)}

    return Asked(_IN_FORCE, {}, read)


def version_for(kind: str, name: str, *, session_id: UUID | None) -> Version | None:
    """The stored version of one policy or prompt that a session runs under, None for the built-in one."""
    return versions_in_force(session_id=session_id).get((kind, name))


def _holds_for(version: Version, session_id: UUID | None) -> bool:
    if version.state == VersionState.PUBLISHED:
        return True
    return session_id is not None and in_share(session_id, version.kind, version.name, version.share)


def access_version(kind: str, name: str, number: int) -> Version:
    """One version, number 0 for the built-in one. Raises `VersionedUnknown` and `NotFound`."""
    versioned = versioned_of(kind, name)
    if number == BUILT_IN:
        return version_builtin(versioned)
    version = Version.objects.filter(kind=kind, name=name, number=number).first()
    if version is None:
        raise NotFound(what=f"version {number} of {name}")
    return version


def version_builtin(versioned: Versioned) -> Version:
    """Version 0, which is nowhere stored and always there."""
    return Version(
        kind=versioned.kind,
        name=versioned.name,
        number=BUILT_IN,
        state=VersionState.RETIRED
        if published_of(versioned.kind, versioned.name)
        else VersionState.PUBLISHED,
        data=versioned.builtin,
        note="Built in",
    )


def versions_of(kind: str, name: str) -> QuerySet[Version]:
    """The stored versions, newest first. Raises `VersionedUnknown`."""
    versioned_of(kind, name)
    return Version.objects.filter(kind=kind, name=name).select_related("created_by").order_by("-number")


def version_list(kind: str, name: str) -> list[Version]:
    """Every version with its state, newest first; the built-in one is the last."""
    return [*versions_of(kind, name), version_builtin(versioned_of(kind, name))]


def published_of(kind: str, name: str) -> Version | None:
    return Version.objects.filter(kind=kind, name=name, state=VersionState.PUBLISHED).first()


def staged_of(kind: str, name: str) -> Version | None:
    return Version.objects.filter(kind=kind, name=name, state=VersionState.STAGED).first()


def version_differences(kind: str, name: str, before: int, after: int) -> tuple[Change, ...]:
    """What changed from one version to another, defaults written out, so that a missing value is no difference."""
    versioned = versioned_of(kind, name)
    one, other = (access_version(kind, name, number).data for number in (before, after))
    return changes_between(_completed(versioned, one), _completed(versioned, other))


def _completed(versioned: Versioned, data: JsonObject) -> JsonObject:
    """Defaults written out; those of a draft that is not right yet are taken from the built-in version."""
    if errors_in(problems_of(versioned, data)):
        return _over(versioned.builtin, data)
    return versioned.complete(data)


def _over(base: JsonObject, data: JsonObject) -> JsonObject:
    both = {key: _over(base[key], data[key]) for key in base if _group(base, key) and _group(data, key)}
    return {**base, **data, **both}


def _group(data: JsonObject, key: str) -> bool:
    return isinstance(data.get(key), dict)


def version_summaries() -> tuple[VersionSummary, ...]:
    """Where every policy and prompt stands, in one query."""
    rows = list(
        Version.objects.exclude(state=VersionState.RETIRED).only("kind", "name", "number", "state", "share")
    )
    return tuple(
        _summary(one, [r for r in rows if (r.kind, r.name) == (one.kind, one.name)])
        for one in all_versioned()
    )


def _summary(versioned: Versioned, rows: Iterable[Version]) -> VersionSummary:
    by_state: dict[str, list[Version]] = {}
    for row in rows:
        by_state.setdefault(row.state, []).append(row)
    published, staged = (by_state.get(state, [None])[0] for state in _ACTIVE)
    return VersionSummary(
        versioned,
        in_force=published.number if published else BUILT_IN,
        staged=staged.number if staged else None,
        share=staged.share if staged else 0,
        drafts=len(by_state.get(VersionState.DRAFT, [])),
    )
