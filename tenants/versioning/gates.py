"""What may stand between a version and its publication, such as an evaluation that must not get worse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kernel.json import JsonObject
from tenants.models import Version
from tenants.versioning.errors import GateFailed


@dataclass(frozen=True, slots=True)
class GateResult:
    """Whether a version may be published; `reasons` are sentences for people, `report` is for programs."""

    passed: bool
    reasons: tuple[str, ...] = ()
    report: JsonObject = field(default_factory=dict)


Gate = Callable[[Version], GateResult]


def check_gate(gate: Gate | None, version: Version) -> None:
    """Raises `GateFailed` unless there is no gate or it lets the version pass."""
    result = gate(version) if gate else GateResult(passed=True)
    if not result.passed:
        reason = " ".join(result.reasons) or "no reason was given."
        raise GateFailed(number=version.number, reason=reason, report=result.report)


_standing: dict[str, Gate] = {}


def gate_register(name: str, gate: Gate) -> None:
    """Have every publication ask this gate. The applications above add theirs when they start."""
    _standing[name] = gate


def check_standing_gates(version: Version) -> None:
    """Raises `GateFailed` for the first gate that does not let the version pass."""
    for gate in _standing.values():
        check_gate(gate, version)
