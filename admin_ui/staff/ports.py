"""What the staff console asks of the application that it is part of: background runs, and how everything is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

PROBE, SELFTEST, VERIFY = "leakage_probe", "isolation_selftest", "audit_verify"
KINDS = (PROBE, SELFTEST, VERIFY)
MOST_PROBES = 20_000


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the platform: does it answer, and what does it say. `works` None is not known."""

    name: str
    works: bool | None
    note: str


class Platform(Protocol):
    """Implemented where processes, queue and broker are known."""

    def start(self, kind: str, *, by: str, probes: int) -> None:
        """Queue a run of one of `KINDS`. Raises `OSError` or the broker's error when it cannot be queued."""

    def parts(self) -> tuple[Part, ...]:
        """Every part as it is now, within two or three seconds."""


_registered: list[Platform] = []


def platform_register(platform: Platform) -> None:
    _registered[:] = [platform]


def platform() -> Platform:
    """The one that was registered at start."""
    return _registered[0]
