"""Writing versions of policies and prompts: draft, try on a share of the sessions, publish, roll back.

What was ever in force keeps its number and never changes, so that the number in a turn's trace says for ever what the
turn ran under. All changes of a tenant's versions queue behind one lock; checks and gates run before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from kernel.clock import now
from kernel.errors import Invalid
from kernel.json import JsonObject
from kernel.problems import Problem, errors_in
from tenants.acting import current_actor
from tenants.models import Tenant, Version, VersionState
from tenants.scoping import current_tenant_id
from tenants.selectors.versions import BUILT_IN, access_version, published_of, staged_of
from tenants.services.audit import audit_record
from tenants.versioning import errors
from tenants.versioning.differences import changes_between, summary_of
from tenants.versioning.gates import Gate, check_gate, check_standing_gates
from tenants.versioning.registry import versioned_of
from tenants.versioning.validation import check_storable, problems_of

LONGEST_NOTE = 300
EVERYBODY = 100  # percent of the sessions


def version_draft(
    *, kind: str, name: str, from_number: int | None = None, data: JsonObject | None = None, note: str = ""
) -> Version:
    """A new draft: a copy of the version in force or of `from_number` (0: the built-in one), or `data` based on it.

    Drafts need not be right yet: `version_check` says what is wrong. Raises `VersionedUnknown`, `NotFound`, `Invalid`.
    """
    written = None if data is None else check_storable(data)
    with _changing():
        base = _in_force(kind, name) if from_number is None else access_version(kind, name, from_number)
        content = base.data if written is None else written
        draft = _create(kind, name, data=content, note=note, based_on=base.number, state=VersionState.DRAFT)
        audit_record("version.drafted", target=_target(draft), number=draft.number, based_on=base.number)
    return draft


def version_edit(
    *,
    kind: str,
    name: str,
    number: int,
    data: JsonObject,
    note: str | None = None,
    unchanged_since: datetime | None = None,
) -> Version:
    """Change a draft. `unchanged_since` is the `updated_at` that the editor has seen.

    Raises `NotFound`, `Invalid`, `VersionFixed` for anything but a draft, `VersionConflict` when it was edited since.
    """
    written = check_storable(data)
    with _changing():
        draft = _draft(kind, name, number, done="edited")
        if unchanged_since is not None and draft.updated_at != unchanged_since:
            raise errors.VersionConflict(reason=f"draft {number} was edited meanwhile.")
        changes = changes_between(draft.data, written)
        draft.data, draft.note = written, draft.note if note is None else check_note(note)
        _save(draft, "data", "note")
        if changes or note is not None:
            audit_record("version.edited", target=_target(draft), number=number, changes=summary_of(changes))
    return draft


def version_discard(*, kind: str, name: str, number: int) -> None:
    """Delete a draft. Raises `NotFound`, and `VersionFixed` for anything else."""
    with _changing():
        draft = _draft(kind, name, number, done="discarded")
        draft.delete()
        audit_record("version.discarded", target=_target(draft), number=number)


def version_check(*, kind: str, name: str, data: JsonObject) -> tuple[Problem, ...]:
    """What is wrong with data for this policy or prompt, and what it will cost.

    Raises `VersionedUnknown`, and `Invalid` for what not even a draft may hold.
    """
    return problems_of(versioned_of(kind, name), check_storable(data))


def version_publish(
    *, kind: str, name: str, number: int, replaces: int | None = None, gate: Gate | None = None
) -> Version:
    """Put a draft or the staged version in force for every session, from its next turn on. Ends whatever is staged.

    `replaces` is the number in force that the caller has compared with; without it, the one that is in force now.
    `gate` may take its time: it runs before anything is locked. Raises `NotFound`, `VersionInvalid`, `VersionFixed`,
    `VersionOutdated`, `GateFailed`, and `VersionConflict` when something else was published or edited meanwhile.
    """
    candidate = access_version(kind, name, number)
    expected = _in_force(kind, name).number if replaces is None else replaces
    data = _ready(candidate, done="published")
    check_gate(gate, candidate)
    check_standing_gates(candidate)
    with _changing():
        version = _unchanged(candidate)
        before = _expected(kind, name, expected)
        _check_newer(version, before)
        version.data = data
        return _put_in_force(version, before, "version.published")


def version_roll_back(
    *, kind: str, name: str, number: int, replaces: int | None = None, note: str = ""
) -> Version:
    """Put what was in force before in force again, as a new number. 0 goes back to the built-in version.

    Ends whatever is staged. Raises `NotFound`, `CannotRollBack`, `VersionInvalid` where the old data is no longer
    usable, and `VersionConflict` like `version_publish`.
    """
    old = access_version(kind, name, number)
    expected = _in_force(kind, name).number if replaces is None else replaces
    data = _complete(old)
    with _changing():
        before = _expected(kind, name, expected)
        _check_past(old, before)
        text = note or f"Back to {'the built-in version' if number == BUILT_IN else f'version {number}'}"
        version = _create(kind, name, data=data, note=text, based_on=number, state=VersionState.DRAFT)
        return _put_in_force(version, before, "version.rolled_back", back_to=number)


def version_stage(*, kind: str, name: str, number: int, share: int) -> Version:
    """Try a draft on `share` percent of the sessions, or change the share of the staged version.

    All of them is as good as published, so the gates of publishing are asked. Raises `NotFound`, `Invalid`,
    `VersionInvalid`, `VersionFixed`, `VersionOutdated`, `VersionConflict`, `GateFailed`, `VersionStageTaken` while another version is staged.
    """
    if not 1 <= share <= 100:
        raise Invalid(reason="The share of sessions is a whole number from 1 to 100 percent.")
    candidate = access_version(kind, name, number)
    data = _ready(candidate, done="tried")
    if share == EVERYBODY:
        check_standing_gates(candidate)
    with _changing():
        version = _unchanged(candidate)
        staged, before = staged_of(kind, name), _in_force(kind, name)
        if staged is not None and staged.number != number:
            raise errors.VersionStageTaken(staged=staged.number, share=staged.share)
        _check_newer(version, before)
        was = version.share
        version.data, version.share, version.state = data, share, VersionState.STAGED
        _save(version, "data", "share", "state")
        changes = summary_of(changes_between(before.data, data))
        audit_record(
            "version.staged", target=_target(version), number=number, share=share, was=was, changes=changes
        )
    return version


def version_stage_end(*, kind: str, name: str) -> Version:
    """Stop trying the staged version: its sessions return to the one in force. Raises `NothingStaged`."""
    with _changing():
        staged = staged_of(kind, name)
        if staged is None:
            raise errors.NothingStaged
        share = staged.share
        _retire(staged)
        audit_record("version.stage_ended", target=_target(staged), number=staged.number, share=share)
    return staged


@contextmanager
def _changing() -> Iterator[None]:
    """One transaction in which nobody else changes versions of this tenant.

    The weaker row lock lets rows that refer to the tenant be written meanwhile.
    """
    with transaction.atomic():
        Tenant.objects.select_for_update(no_key=True).values_list("pk").get(pk=current_tenant_id())
        yield


def _in_force(kind: str, name: str) -> Version:
    return published_of(kind, name) or access_version(kind, name, BUILT_IN)


def _draft(kind: str, name: str, number: int, *, done: str) -> Version:
    version = access_version(kind, name, number)
    if version.state != VersionState.DRAFT:
        raise _fixed(version, done)
    return version


def _fixed(version: Version, done: str) -> errors.VersionFixed:
    state = "built in" if version.number == BUILT_IN else VersionState(version.state).label.lower()
    return errors.VersionFixed(number=version.number, state=state, done=done)


def _ready(version: Version, *, done: str) -> JsonObject:
    """The completed data of a draft or a staged version that may be put in force."""
    if version.state not in (VersionState.DRAFT, VersionState.STAGED):
        raise _fixed(version, done)
    return _complete(version)


def _complete(version: Version) -> JsonObject:
    versioned = versioned_of(version.kind, version.name)
    wrong = errors_in(problems_of(versioned, version.data))
    if wrong:
        raise errors.VersionInvalid(number=version.number, problems=wrong)
    return versioned.complete(version.data)


def _unchanged(seen: Version) -> Version:
    """The version as it is under the lock, which must be as it was when it was checked."""
    version = access_version(seen.kind, seen.name, seen.number)
    if (version.state, version.updated_at) != (seen.state, seen.updated_at):
        raise errors.VersionConflict(reason=f"version {seen.number} was changed meanwhile.")
    return version


def _expected(kind: str, name: str, number: int) -> Version:
    """The version in force, which must be the one that the caller knows of."""
    before = _in_force(kind, name)
    if before.number != number:
        raise errors.VersionConflict(reason=f"version {before.number} was put in force meanwhile.")
    return before


def _check_newer(version: Version, before: Version) -> None:
    if version.number < before.number:
        raise errors.VersionOutdated(number=version.number, published=before.number)


def _check_past(old: Version, before: Version) -> None:
    if old.number == before.number:
        raise errors.CannotRollBack(number=old.number, reason="it is in force already.")
    if old.number != BUILT_IN and old.published_at is None:
        raise errors.CannotRollBack(number=old.number, reason="it was never in force. Publish a draft of it.")


def _put_in_force(version: Version, before: Version, action: str, **more: int) -> Version:
    staged = staged_of(version.kind, version.name)
    for one in (staged, before):
        if one is not None and one.number not in (version.number, BUILT_IN):
            _retire(one)
    version.state, version.share, version.published_at = VersionState.PUBLISHED, 0, now()
    _save(version, "data", "state", "share", "published_at")
    changes = summary_of(changes_between(before.data, version.data))
    numbers = {"number": version.number, "replaces": before.number, **more}
    if staged is not None and staged.number != version.number:
        numbers["stage_ended"] = staged.number
    audit_record(action, target=_target(version), **numbers, changes=changes)
    return version


def _retire(version: Version) -> None:
    version.state, version.share = VersionState.RETIRED, 0
    _save(version, "state", "share")


def _create(
    kind: str, name: str, *, data: JsonObject, note: str, based_on: int, state: VersionState
) -> Version:
    newest = Version.objects.filter(kind=kind, name=name).aggregate(newest=Max("number"))["newest"] or 0
    return Version.objects.create(
        kind=kind,
        name=name,
        number=newest + 1,
        state=state,
        data=data,
        note=check_note(note),
        based_on=based_on,
        created_by_id=_author(),
    )


def check_note(note: str) -> str:
    """The note, when it is short enough. Raises `Invalid`."""
    text = note.replace("\x00", "").strip()
    if len(text) > LONGEST_NOTE:
        raise Invalid(reason=f"A note may have {LONGEST_NOTE} characters, this has {len(text)}.")
    return text


def _author() -> int | None:
    actor = current_actor()
    return int(actor.id) if actor.kind in ("user", "staff") and actor.id.isdigit() else None


def _save(version: Version, *fields: str) -> None:
    version.save(update_fields=[*fields, "updated_at"])


def _target(version: Version) -> str:
    return f"{version.kind}/{version.name}/{version.number}"
