"""What a turn that has ended counts as. Kinds, verdicts and stages only, nothing that was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernel.observed import Counted, Timed, count, took
from kernel.traced import note

UNDECIDED = "undecided"


def turn_observe(result: Mapping[str, Any], trace: Mapping[str, Any] | None) -> None:
    """Call it once the outcome is stored. A turn that failed before its kind was known is `undecided`."""
    kind, outcome = str(result.get("kind") or UNDECIDED), str(result["state"])
    count(Counted.TURNS, kind=kind, outcome=outcome)
    note({"antecedent.kind": kind, "antecedent.outcome": outcome})
    if trace is None:
        return
    if ruling := trace.get("ruling"):
        count(Counted.VERDICTS, verdict=ruling["verdict"], action=ruling["action"])
        note({"antecedent.verdict": str(ruling["verdict"])})
    for stage in trace.get("stages", ()):  # a turn that is joined to another one has none
        took(Timed.TURN_STAGE, stage["ms"] / 1000, stage=stage["name"])
