"""The thresholds that are known for each embedding space, so that no model is judged by another one's cosines.

A tenant's own calibrated thresholds count while they belong to the space in use; otherwise those kept here do.
`manage.py calibrate` prints the line for a space that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from conversations.domain.policy import ScopePolicy, Thresholds

LOCAL = "local/all-MiniLM-L6-v2-int8/384"
KNOWN: Mapping[str, Thresholds] = MappingProxyType(
    {
        LOCAL: Thresholds(
            space=LOCAL,
            related=0.26,
            unrelated=0.17,
            boundary=0.15,
            diverged=0.2,
            returned=0.55,
            answered=0.45,
            elsewhere=0.3,
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A policy for the space in use. `calibrated` is False where its thresholds belong to another space."""

    policy: ScopePolicy
    calibrated: bool


def fitted(policy: ScopePolicy, space: str) -> Fitted:
    """The policy with thresholds of `space`: the tenant's own, else the known ones, else what it has, uncalibrated.

    In a space that nothing is known of the documents are not asked what a message means: their cosines say nothing.
    """
    if policy.thresholds.space == space:
        return Fitted(policy, calibrated=True)
    known = KNOWN.get(space)
    if known is None:
        unasked = replace(policy.thresholds, answered=0.0, elsewhere=0.0)
        return Fitted(replace(policy, thresholds=unasked), calibrated=False)
    return Fitted(replace(policy, thresholds=known), calibrated=True)
