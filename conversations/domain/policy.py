"""What a tenant decides about context: the scope strategy, how long things stay alive, and how sure to be.

Thresholds belong to one embedding space, because raw cosines of two models cannot be compared.
Every value travels as JSON, so that a policy can be versioned, compared and replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum

from conversations.domain.liveness import Horizons, Rules
from kernel.errors import DomainError
from kernel.json import JsonObject


class Strategy(StrEnum):
    WINDOW = "window"
    SEGMENT = "segment"
    LIVENESS = "liveness"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two settings that cannot both be meant; `path` leads to the first."""

    path: str
    reason: str


class BadPolicy(DomainError):
    """The scope policy is not usable: {reason}"""

    code = "bad_policy"

    def __init__(self, *, reason: str, conflicts: tuple[Conflict, ...] = ()) -> None:
        super().__init__(reason=reason)
        self.conflicts = conflicts


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Affinities and cosines of one embedding space; `calibrate` chooses them from a follow-up set.

    `related`: affinity from which an unmarked message depends on an exchange.
    `unrelated`: affinity under which a message is a topic shift.
    `boundary`: cosine to the segment centroid under which a new segment begins.
    `diverged`: cosine of rewrite and message under which the rewrite is another question.
    `returned`: affinity to an earlier topic from which a message counts as a return to it.
    `answered`: cosine of a message to its best passage from which documents count as knowing it as it stands; the
    closer they come, the nearer must an exchange be for an unmarked message to depend on it. 0: not asked.
    `elsewhere`: by how much closer (a cosine) a message's best passage must be than those that earlier exchanges were
    answered from, before the message is taken to be about something else. 0: not asked.
    """

    space: str = "local/all-MiniLM-L6-v2-int8/384"
    related: float = 0.26
    unrelated: float = 0.17
    boundary: float = 0.15
    diverged: float = 0.2
    returned: float = 0.55
    answered: float = 0.45
    elsewhere: float = 0.3

    def to_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def from_json(cls, data: JsonObject) -> Thresholds:
        """What is not told is as by default; of another space it is not known, and its documents are not asked."""
        known = {item.name for item in fields(cls)}
        told = {key: value for key, value in data.items() if key in known}
        unknown = {} if told.get("space", cls().space) == cls().space else {"answered": 0.0, "elsewhere": 0.0}
        return cls(**{**unknown, **told})


@dataclass(frozen=True, slots=True)
class Budgets:
    """Bounds that keep a turn's cost flat: tokens of assistant text in scope, characters of a query, what is kept."""

    assistant_tokens: int = 300
    query_characters: int = 600
    exchanges_kept: int = 12
    sentences_kept: int = 8
    closed_slots_kept: int = 24

    def to_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def from_json(cls, data: JsonObject) -> Budgets:
        known = {item.name for item in fields(cls)}
        return cls(**{key: int(value) for key, value in data.items() if key in known})


# What a slot can be (`entities.py`).
SLOT_TYPES = (
    "person", "organization", "product", "place", "date", "event", "group", "language", "law", "work",
    "identifier", "activity", "topic",
)  # fmt: skip
# Of a place or a date a question has one at a time; of products and people it may well have several.
SINGLE_VALUED = ("place", "date")
RESUME_AFTER = 6 * 60 * 60


@dataclass(frozen=True, slots=True)
class ScopePolicy:
    """A tenant's scope policy. `window` counts turns and is used by the window strategy only.

    A session that rested for `resume_after_seconds` starts clean of what was asked before. `version` is the number
    under which the tenant keeps it, 0 where it is built in; it is no part of the policy's JSON.
    """

    strategy: Strategy = Strategy.LIVENESS
    window: int = 4
    horizons: Horizons = field(default_factory=Horizons)
    thresholds: Thresholds = field(default_factory=Thresholds)
    single_valued: tuple[str, ...] = SINGLE_VALUED
    budgets: Budgets = field(default_factory=Budgets)
    resume_after_seconds: int = RESUME_AFTER
    version: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if conflicts := tuple(_conflicts(self)):
            reason = "; ".join(f"{conflict.path}: {conflict.reason}" for conflict in conflicts)
            raise BadPolicy(reason=reason, conflicts=conflicts)

    @property
    def rules(self) -> Rules:
        return Rules(self.horizons, frozenset(self.single_valued))

    def to_json(self) -> JsonObject:
        return {
            "strategy": self.strategy.value,
            "window": self.window,
            "horizons": self.horizons.to_json(),
            "thresholds": self.thresholds.to_json(),
            "single_valued": list(self.single_valued),
            "budgets": self.budgets.to_json(),
            "resume_after_seconds": self.resume_after_seconds,
        }

    @classmethod
    def from_json(cls, data: JsonObject, version: int = 0) -> ScopePolicy:
        """What is missing keeps its default. Raises `BadPolicy`."""
        try:
            return cls(
                strategy=Strategy(data.get("strategy", Strategy.LIVENESS)),
                window=int(data.get("window", 4)),
                horizons=Horizons.from_json(data.get("horizons", {})),
                thresholds=Thresholds.from_json(data.get("thresholds", {})),
                single_valued=tuple(data.get("single_valued", SINGLE_VALUED)),
                budgets=Budgets.from_json(data.get("budgets", {})),
                resume_after_seconds=int(data.get("resume_after_seconds", RESUME_AFTER)),
                version=version,
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise BadPolicy(reason=str(error)) from error


def _conflicts(policy: ScopePolicy) -> Iterator[Conflict]:
    horizons, thresholds = policy.horizons, policy.thresholds
    if policy.window < 1:
        yield Conflict("window", "the window must hold at least one turn")
    if not 1 <= horizons.stale_after < horizons.evict_after:
        yield Conflict("horizons.stale_after", "must be at least 1 and smaller than evict_after")
    for name, stale, evict in horizons.per_type:
        if not 1 <= stale < evict:
            path = f"horizons.per_type.{name}"
            yield Conflict(path, "the first number must be at least 1 and smaller than the second")
    if thresholds.unrelated > thresholds.related:
        yield Conflict("thresholds.unrelated", "must not exceed the threshold for related")
