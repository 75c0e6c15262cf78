"""Evaluations of a tenant: asked for and cancelled. The work itself is done in the background."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.db import transaction

from conversations.domain.prompts import PromptName
from conversations.errors import EvaluationNeedsModel, EvaluationOver, EvaluationsEnough
from conversations.evaluation.jobs import UNFINISHED
from conversations.evaluation.records import EvaluationResult, EvaluationRun, FollowUpItem
from conversations.evaluation.strategies import AS_PUBLISHED, NAMES, strategies_named
from conversations.selectors.evaluations import access_run, access_set
from conversations.selectors.in_force import SCOPE
from conversations.services.jobs import job_cancel, state_told
from kernel.errors import Invalid, NotFound
from kernel.json import JsonObject
from kernel.problems import errors_in
from tenants.models import Audience, VersionKind
from tenants.quotas import MODEL_QUOTA
from tenants.scoping import current_tenant_id
from tenants.selectors.versions import BUILT_IN, access_version, published_of
from tenants.services.audit import audit_record
from tenants.services.fairness import wake
from tenants.services.quotas import quota_check
from tenants.versioning.errors import VersionInvalid
from tenants.versioning.registry import versioned_of
from tenants.versioning.validation import problems_of

WORK = "evaluations"
MOST_AT_ONCE = 3
STRATEGIES = (AS_PUBLISHED, *NAMES)


@transaction.atomic
def evaluation_start(
    *,
    set_id: UUID,
    strategies: Sequence[str] = (AS_PUBLISHED,),
    policy_number: int | None = None,
    prompt_number: int | None = None,
    audience: str = "",
    with_model: bool = False,
    has_model: bool = False,
    by: int | None = None,
) -> EvaluationRun:
    """Ask for a run of every item of a set under each strategy, with a version of the policy and one of the prompt that
    rewrites, drafts included; None is what is in force. `audience` is a slug; without one all documents are searched.

    Raises `NotFound`, `UnknownStrategy`, `Invalid`, `VersionInvalid`, `EvaluationNeedsModel`, `EvaluationsEnough`,
    `QuotaReached`.
    """
    of_set, wanted = access_set(set_id), _strategies(strategies)
    if audience and not Audience.objects.filter(slug=audience).exists():
        raise NotFound(what="audience")
    if with_model:
        if not has_model:
            raise EvaluationNeedsModel
        quota_check(MODEL_QUOTA)
    if EvaluationRun.objects.filter(state__in=UNFINISHED).count() >= MOST_AT_ONCE:
        raise EvaluationsEnough(most=MOST_AT_ONCE)
    policy = _version(VersionKind.POLICY.value, SCOPE, policy_number)
    prompt = _version(VersionKind.PROMPT.value, PromptName.CONTEXTUALIZE.value, prompt_number)
    run = EvaluationRun.objects.create(
        of_set_id=set_id,
        strategies=wanted,
        policy_number=policy[0],
        policy=policy[1],
        prompt_number=prompt[0],
        prompt=prompt[1],
        audience=audience,
        with_model=with_model,
        requested_by_id=by,
    )
    _lay_out(run)
    told: JsonObject = {
        "policy": policy[0],
        "prompt": prompt[0],
        "strategies": wanted,
        "with_model": with_model,
    }
    audit_record("evaluation.started", target=str(run.pk), set=str(of_set.pk), results=run.total, **told)
    transaction.on_commit(partial(wake, WORK, current_tenant_id()), robust=True)
    return access_run(run.pk)


@transaction.atomic
def evaluation_cancel(*, run_id: UUID) -> EvaluationRun:
    """End a run where it is; what it has found stays. Raises `NotFound`, and `EvaluationOver` when it has ended."""
    run = access_run(run_id)
    job_cancel(run, EvaluationOver)
    audit_record("evaluation.cancelled", target=str(run_id), set=str(run.of_set_id))
    return access_run(run_id)


@transaction.atomic
def evaluation_delete(*, run_id: UUID) -> None:
    """With its results. Raises `NotFound`, and `EvaluationOver` while it runs."""
    run = access_run(run_id)
    if run.state in UNFINISHED:
        raise EvaluationOver(state=state_told(run))
    EvaluationRun.objects.filter(pk=run_id).delete()
    audit_record("evaluation.deleted", target=str(run_id), set=str(run.of_set_id))


def _strategies(names: Sequence[str]) -> list[str]:
    wanted = strategies_named(names, STRATEGIES)
    if not wanted:
        raise Invalid(reason="Choose at least one strategy.")
    return wanted


def _version(kind: str, name: str, number: int | None) -> tuple[int, JsonObject]:
    """The number of a version and its complete document. Raises `NotFound`, `VersionInvalid`."""
    versioned, published = versioned_of(kind, name), published_of(kind, name)
    if number is None:
        number = published.number if published else BUILT_IN
    version = access_version(kind, name, number)
    if wrong := errors_in(problems_of(versioned, version.data)):
        raise VersionInvalid(number=number, problems=wrong)
    return number, versioned.complete(version.data)


def _lay_out(run: EvaluationRun) -> None:
    """A row for every item under every strategy, those of one item beside each other: its texts are analysed once."""
    items = FollowUpItem.objects.filter(of_set_id=run.of_set_id).order_by("stratum", "key", "id")
    rows = [
        EvaluationResult(run=run, item_id=pk, strategy=strategy, stratum=stratum, position=position)
        for position, (pk, stratum, strategy) in enumerate(
            (pk, stratum, strategy)
            for pk, stratum in items.values_list("pk", "stratum")
            for strategy in run.strategies
        )
    ]
    if not rows:
        raise Invalid(reason="The set is empty. Upload items, or add turns from conversations.")
    EvaluationResult.objects.bulk_create(rows, batch_size=500)
    run.total = len(rows)
    run.save(update_fields=["total"])
