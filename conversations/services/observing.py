"""What a turn that has ended counts as. Kinds, verdicts and stages only, nothing that was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kernel.observed import Counted, Timed, count, took

UNDECIDED = "undecided"


def turn_observe(result: Mapping[str, Any], trace: Mapping[str, Any] | None) -> None:
    """Call it once the outcome is stored. A turn that failed before its kind was known is `undecided`."""
    count(Counted.TURNS, kind=str(result.get("kind") or UNDECIDED), outcome=str(result["state"]))
    if trace is None:
        return
    if ruling := trace.get("ruling"):
        count(Counted.VERDICTS, verdict=ruling["verdict"], action=ruling["action"])
    for stage in trace.get("stages", ()):  # a turn that is joined to another one has none
        took(Timed.TURN_STAGE, stage["ms"] / 1000, stage=stage["name"])
