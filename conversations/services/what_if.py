"""What-if replays: asked for, cancelled, and done a session at a time in the background.

A replay changes nothing of what it looks at: no session, no memory, no figure and no event comes of it. Where a model
rewrites, its tokens are counted like any others, because they are spent.
"""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from conversations.errors import ReplayOver, ReplaysEnough, WhatIfNeedsModel, WhatIfUnknown
from conversations.evaluation.jobs import UNFINISHED
from conversations.evaluation.what_if import Selection
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.selectors.in_force import SEARCHING
from conversations.selectors.what_if import access_replay, turns_chosen
from conversations.services.jobs import job_cancel, state_told
from kernel.errors import Invalid
from kernel.json import JsonObject
from kernel.problems import errors_in
from tenants.models import Version, VersionKind, VersionState
from tenants.quotas import MODEL_QUOTA
from tenants.scoping import current_tenant_id
from tenants.selectors.versions import BUILT_IN, access_version, published_of, version_builtin
from tenants.services.audit import audit_record
from tenants.services.fairness import wake
from tenants.services.quotas import quota_check
from tenants.services.versions import version_draft, version_publish
from tenants.versioning.differences import changes_between, summary_of
from tenants.versioning.errors import VersionConflict, VersionInvalid
from tenants.versioning.gates import GateResult
from tenants.versioning.registry import Versioned, versioned_of
from tenants.versioning.validation import check_storable, problems_of

WORK = "what_if"
MOST_AT_ONCE = 3


@transaction.atomic
def what_if_start(
    *,
    kind: str,
    name: str,
    selection: Selection,
    number: int | None = None,
    data: JsonObject | None = None,
    with_model: bool = False,
    has_model: bool = False,
    requested_by: int | None = None,
) -> WhatIfReplay:
    """Ask for a replay of what a selection means, under version `number` or under `data`, against what is in force.

    Raises `WhatIfUnknown`, `WhatIfNeedsModel`, `NotFound`, `VersionInvalid`, `Invalid`, `ReplaysEnough`, `QuotaReached`.
    """
    versioned = replayable(kind, name)
    before = published_of(kind, name) or version_builtin(versioned)
    after = _complete(versioned, number or 0, _data_of(kind, name, number, data))
    changes = changes_between(versioned.complete(before.data), after)
    if not changes:
        raise Invalid(reason="That says the same as what is in force: nothing would come out differently.")
    _check_model(kind, with_model, has_model)
    if WhatIfReplay.objects.filter(state__in=UNFINISHED).count() >= MOST_AT_ONCE:
        raise ReplaysEnough(most=MOST_AT_ONCE)
    replay = WhatIfReplay.objects.create(
        kind=kind,
        name=name,
        before_number=before.number,
        before=versioned.complete(before.data),
        after_number=number,
        after=after,
        selection=selection.to_json(),
        with_model=with_model,
        requested_by_id=requested_by,
    )
    _choose(replay, selection)
    told = {"before": before.number, "after": number, "turns": replay.total, "with_model": with_model}
    audit_record(
        "what_if.started", target=f"{kind}/{name}", replay=str(replay.pk), **told, changes=summary_of(changes)
    )
    transaction.on_commit(partial(wake, WORK, current_tenant_id()), robust=True)
    return replay


def replayable(kind: str, name: str) -> Versioned:
    """Raises `WhatIfUnknown` for what changes no search."""
    if (kind, name) not in SEARCHING:
        raise WhatIfUnknown(kind=kind, name=name)
    return versioned_of(kind, name)


def _data_of(kind: str, name: str, number: int | None, data: JsonObject | None) -> JsonObject:
    if (number is None) is (data is None):
        raise Invalid(reason="Name a version or give a document of its own, and not both.")
    return check_storable(data) if data is not None else access_version(kind, name, number or 0).data


def _complete(versioned: Versioned, number: int, data: JsonObject) -> JsonObject:
    wrong = errors_in(problems_of(versioned, data))
    if wrong:
        raise VersionInvalid(number=number, problems=wrong)
    return versioned.complete(data)


def _check_model(kind: str, with_model: bool, has_model: bool) -> None:
    if (with_model and not has_model) or (kind == VersionKind.PROMPT and not with_model):
        raise WhatIfNeedsModel
    if with_model:
        quota_check(MODEL_QUOTA)


def _choose(replay: WhatIfReplay, selection: Selection) -> None:
    chosen = list(turns_chosen(selection).values_list("pk", "kind"))
    if not chosen:
        raise Invalid(reason="No stored turn matches. Take a longer period, or fewer conditions.")
    WhatIfDifference.objects.bulk_create(
        WhatIfDifference(replay=replay, turn_id=turn_id, position=position, stratum=stratum)
        for position, (turn_id, stratum) in enumerate(chosen)
    )
    replay.total = len(chosen)
    replay.save(update_fields=["total"])


@transaction.atomic
def what_if_cancel(*, replay_id: UUID) -> WhatIfReplay:
    """End a replay where it is; what it has found stays. Raises `NotFound`, and `ReplayOver` when it has ended."""
    replay = access_replay(replay_id)
    job_cancel(replay, ReplayOver)
    audit_record("what_if.cancelled", target=f"{replay.kind}/{replay.name}", replay=str(replay.pk))
    replay.refresh_from_db()
    return replay


def what_if_draft(*, replay_id: UUID) -> Version:
    """The draft that a replay tried; what was tried as a document of its own becomes one. Raises `NotFound`."""
    replay = access_replay(replay_id)
    if replay.after_number is not None:
        return access_version(replay.kind, replay.name, replay.after_number)
    with transaction.atomic():
        note = f"Tried on {replay.total} turns"
        draft = version_draft(
            kind=replay.kind, name=replay.name, from_number=replay.before_number, data=replay.after, note=note
        )
        WhatIfReplay.objects.filter(pk=replay_id).update(after_number=draft.number)
    return draft


def what_if_publish(*, replay_id: UUID) -> Version:
    """Put in force what a replay has tried, as it was tried and against what it was compared with.

    Raises `ReplayOver` while it runs, what `version_publish` raises, and `VersionConflict` when the draft was edited
    since.
    """
    replay = access_replay(replay_id)
    if replay.state in UNFINISHED:
        raise ReplayOver(state=state_told(replay))
    draft = what_if_draft(replay_id=replay_id)
    if draft.number == BUILT_IN or draft.state not in (VersionState.DRAFT, VersionState.STAGED):
        raise Invalid(
            reason="Only a draft or a version on trial is published. Roll back to an earlier version instead."
        )

    def as_tried(version: Version) -> GateResult:
        complete = versioned_of(version.kind, version.name).complete
        if complete(version.data) != replay.after:
            raise VersionConflict(reason=f"draft {version.number} was edited after this replay.")
        return GateResult(passed=True)

    published = version_publish(
        kind=replay.kind, name=replay.name, number=draft.number, replaces=replay.before_number, gate=as_tried
    )
    with transaction.atomic():
        WhatIfReplay.objects.filter(pk=replay_id).update(published_number=published.number)
        audit_record(
            "what_if.published",
            target=f"{replay.kind}/{replay.name}/{published.number}",
            replay=str(replay.pk),
            number=published.number,
        )
    return published
