"""The scope strategies under the names they have on the command line and in a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from conversations.domain.policy import ScopePolicy, Strategy
from kernel.errors import DomainError


class UnknownStrategy(DomainError):
    """There is no strategy called {name}. There are: {known}."""

    code = "unknown_strategy"


@dataclass(frozen=True, slots=True)
class Contender:
    """A policy under test. Without `remembers`, every message is taken as the first of its conversation."""

    name: str
    policy: ScopePolicy
    remembers: bool = True


def contender(name: str, base: ScopePolicy | None = None) -> Contender:
    """A strategy by name, with everything else as in `base`. Raises `UnknownStrategy`."""
    base = base or ScopePolicy()
    if name == AS_PUBLISHED:
        return Contender(name, base)
    if name == TYPED:
        return Contender(name, base, remembers=False)
    if name not in _CHANGES:
        raise UnknownStrategy(name=name, known=", ".join((*NAMES, "all")))
    strategy, window = _CHANGES[name]
    return Contender(name, replace(base, strategy=strategy, window=window or base.window))


def contenders(names: Sequence[str], base: ScopePolicy | None = None) -> tuple[Contender, ...]:
    """The strategies named, in the order of the table; "all" are all of them."""
    return tuple(contender(name, base) for name in strategies_named(names, NAMES))


def strategies_named(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those of `known` that are named, in its order; "all" are all of them. Raises `UnknownStrategy`."""
    wanted = set(known) if "all" in names else set(names)
    if unknown := sorted(wanted - set(known)):
        raise UnknownStrategy(name=unknown[0][:40], known=", ".join((*known, "all")))
    return [name for name in known if name in wanted]


TYPED = "typed"
AS_PUBLISHED = "policy"
"""A policy's own strategy: what a tenant's users get. Not in the table of strategies, which compares fixed ones."""
_CHANGES = {
    "window2": (Strategy.WINDOW, 2),
    "window4": (Strategy.WINDOW, 4),
    "window8": (Strategy.WINDOW, 8),
    "segment": (Strategy.SEGMENT, 0),
    "liveness": (Strategy.LIVENESS, 0),
    "hybrid": (Strategy.HYBRID, 0),
}
NAMES = (TYPED, *_CHANGES)
DEFAULT = "liveness"
