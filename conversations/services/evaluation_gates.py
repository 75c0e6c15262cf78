"""The tenant's gates: which figures an evaluation must reach, and whether publishing asks for one that does."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from conversations.evaluation.gates import BadGates, Failure, failures, gates_of
from conversations.evaluation.jobs import JobState
from conversations.evaluation.records import EvaluationGates, EvaluationRun
from conversations.evaluation.strategies import AS_PUBLISHED, NAMES
from conversations.selectors.evaluations import access_set, gates_now
from conversations.selectors.in_force import SEARCHING
from kernel.errors import Invalid
from kernel.json import JsonObject
from tenants.models import Version, VersionKind
from tenants.services.audit import audit_record
from tenants.versioning.gates import GateResult, gate_register
from tenants.versioning.registry import versioned_of

FIGURES = (
    "recall@5",
    "recall@10",
    "ndcg@5",
    "contamination",
    "invented",
    "required",
    "rewritten",
    "model_calls",
)
MOST_STRATA = 60


def register() -> None:
    """Called once, when Django is ready."""
    gate_register("evaluation", publication_gate)


@transaction.atomic
def gates_set(*, required: bool, set_id: UUID | None, values: JsonObject) -> EvaluationGates:
    """Raises `BadGates` for what is no gate, `NotFound`, and `Invalid` when publishing needs a set and none is named."""
    check_gates(values)
    if set_id is not None:
        access_set(set_id)
    elif required:
        raise Invalid(reason="Choose the set that a version has to pass before it is published.")
    told = {"required": required, "of_set_id": set_id, "values": values}
    gates, _ = EvaluationGates.objects.update_or_create(defaults=told)
    audit_record("evaluation_gates.changed", target=str(gates.pk), required=required, set=str(set_id or ""))
    return gates


def check_gates(values: JsonObject) -> None:
    """Raises `BadGates` for unknown figures and strategies, and for bounds that can never or always hold."""
    gates = gates_of(values, file="this workspace")
    if gates.strategy not in (AS_PUBLISHED, *NAMES):
        raise BadGates(file="this workspace", reason=f"there is no strategy {str(gates.strategy)[:40]}")
    if len(gates.strata) > MOST_STRATA:
        raise BadGates(file="this workspace", reason=f"at most {MOST_STRATA} strata have gates of their own")
    every = [*gates.every, *gates.overall, *(gate for one in gates.strata.values() for gate in one)]
    for gate in every:
        if gate.figure not in FIGURES:
            raise BadGates(
                file="this workspace", reason=f"{gate.figure[:40]} is none of {', '.join(FIGURES)}"
            )
        for bound in (gate.minimum, gate.maximum):
            if bound is not None and not 0 <= bound <= (100 if gate.figure == "model_calls" else 1):
                raise BadGates(
                    file="this workspace", reason=f"the bounds of {gate.figure} lie between 0 and 1"
                )


def failures_of(run: EvaluationRun, values: JsonObject) -> list[Failure]:
    """The gates that a finished run does not pass, as they are now."""
    return failures(gates_of(values, file="this workspace"), run.report.get("strategies", {}))


def publication_gate(version: Version) -> GateResult:
    """Where the tenant asks for it, a version passes after a run of it, as it is, on the chosen set, as that is."""
    gates = gates_now()
    if not gates.required or gates.of_set is None or (version.kind, version.name) not in SEARCHING:
        return GateResult(passed=True)
    latest = _latest_run(version, gates)
    if latest is None:
        return _refused(gates, "No evaluation has run this version, as it is now, on", version)
    if latest.created_at < gates.of_set.items_changed_at:
        return _refused(gates, "Items have changed since the last evaluation of this version on", version)
    broken = failures_of(latest, gates.values)
    if not broken:
        return GateResult(passed=True)
    told = "; ".join(_told(one) for one in broken[:3])
    more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
    reason = f"Its last evaluation on “{gates.of_set.name}” missed {len(broken)} of its gates: {told}{more}."
    report = {"run": str(latest.pk), "failures": [one.to_json() for one in broken]}
    return GateResult(
        False, (reason, "Change the version and evaluate it again, or change the gates."), report
    )


def _latest_run(version: Version, gates: EvaluationGates) -> EvaluationRun | None:
    complete = versioned_of(version.kind, version.name).complete(version.data)
    this: dict[str, Any] = {f"{version.kind}_number": version.number, version.kind: complete}
    runs = EvaluationRun.objects.filter(of_set=gates.of_set, state=JobState.DONE, audience="", **this)
    return (runs.filter(with_model=True) if version.kind == VersionKind.PROMPT else runs).first()


def _refused(gates: EvaluationGates, reason: str, version: Version) -> GateResult:
    model = ", with the model" if version.kind == VersionKind.PROMPT else ""
    what_to_do = f"Start one under Evaluations with this version{model} and over all documents, then publish."
    return GateResult(False, (f"{reason} “{gates.of_set}”.", what_to_do), {"set": str(gates.of_set_id)})


def _told(failure: Failure) -> str:
    if not failure.figure:
        return f"strategy {failure.strategy} was not run"
    value = "nothing was measured" if failure.value is None else f"it is {failure.value:.3g}"
    return f"{failure.figure} of {failure.stratum} should be {failure.wanted}, {value}"
