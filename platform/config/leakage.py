"""The leakage probes on the running system."""

from __future__ import annotations

from config.evaluating import throwaway_equipment
from config.progress import Report
from conversations.audits.isolation import ground
from conversations.audits.probing import probed
from kernel.json import JsonObject


def run(probes: int, report: Report, *, seed: int = 1) -> JsonObject:
    """So many probes between two tenants that are made for it and removed afterwards."""
    with throwaway_equipment(), ground(application=None) as sides:
        return probed(sides, probes, report, seed=seed)
