"""What can be wrong with a version, in words that say what to do."""

from __future__ import annotations

from collections.abc import Sequence

from kernel.errors import DomainError
from kernel.problems import Problem


class VersionedUnknown(DomainError):
    """There is no {kind} called {name}. There are: {known}."""

    code = "versioned_unknown"
    http_status = 404


class VersionInvalid(DomainError):
    """Version {number} cannot be used yet. {reason}"""

    code = "version_invalid"

    def __init__(self, *, number: int, problems: Sequence[Problem]) -> None:
        reason = " ".join(map(str, problems))
        super().__init__(number=number, reason=reason, problems=[p.to_json() for p in problems])


class VersionFixed(DomainError):
    """Version {number} is {state} and cannot be {done} any more. Draft a new version from it instead."""

    code = "version_fixed"
    http_status = 409


class VersionConflict(DomainError):
    """Somebody else was faster: {reason} Look at what changed and try again."""

    code = "version_conflict"
    http_status = 409


class VersionOutdated(DomainError):
    """Version {number} is older than version {published}, which is in force. Draft it anew and publish the new draft."""

    code = "version_outdated"
    http_status = 409


class VersionStageTaken(DomainError):
    """Version {staged} is being tried on {share} % of the sessions. End that first."""

    code = "version_stage_taken"
    http_status = 409


class NothingStaged(DomainError):
    """No version of this is being tried on a share of the sessions."""

    code = "nothing_staged"
    http_status = 409


class CannotRollBack(DomainError):
    """You cannot roll back to version {number}: {reason}"""

    code = "cannot_roll_back"
    http_status = 409


class GateFailed(DomainError):
    """Version {number} does not pass the gates, so it was not published: {reason}"""

    code = "version_gate_failed"
    http_status = 409
