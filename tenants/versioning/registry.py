"""What may be versioned. The apps above register their policies and prompts here when they start.

Tenants keep versions of things that they know nothing about: what a policy may hold is its owner's knowledge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kernel.json import JsonObject
from kernel.problems import Problem
from tenants.versioning.errors import VersionedUnknown

Check = Callable[[JsonObject], Sequence[Problem]]
Complete = Callable[[JsonObject], JsonObject]


def _nothing_wrong(data: JsonObject) -> tuple[Problem, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Versioned:
    """A policy or a prompt that tenants keep versions of.

    `schema` is JSON Schema 2020-12. `builtin` is version 0, in force where nothing is published. `check` finds what no
    schema can say, in data that the schema allows. `complete` writes out every default, so that a published version
    means the same for ever, whatever the defaults become.
    """

    kind: str
    name: str
    title: str
    about: str
    schema: JsonObject = field(repr=False)
    builtin: JsonObject = field(repr=False)
    check: Check = _nothing_wrong
    complete: Complete = dict


_known: dict[tuple[str, str], Versioned] = {}


def register(versioned: Versioned) -> None:
    """Make something versioned. The same kind and name again replaces it."""
    _known[versioned.kind, versioned.name] = versioned


def versioned_of(kind: str, name: str) -> Versioned:
    """Raises `VersionedUnknown`."""
    found = _known.get((kind, name))
    if found is None:
        known = ", ".join(one.name for one in all_versioned() if one.kind == kind) or "none"
        raise VersionedUnknown(kind=kind, name=name, known=known)
    return found


def all_versioned() -> tuple[Versioned, ...]:
    """Everything that may be versioned, in the order in which it was registered."""
    return tuple(_known.values())
