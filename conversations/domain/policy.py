"""What a tenant decides about context: the scope strategy, how long things stay alive, and how sure to be.

Thresholds belong to one embedding space, because raw cosines of two models cannot be compared.
Every value travels as JSON, so that a policy can be versioned, compared and replayed.
"""

from __future__ import annotations

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


class BadPolicy(DomainError):
    """The scope policy is not usable: {reason}"""

    code = "bad_policy"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Affinities and cosines of one embedding space; `calibrate` chooses them from a follow-up set.

    `related`: affinity from which an unmarked message depends on an exchange.
    `unrelated`: affinity under which a message is a topic shift.
    `boundary`: cosine to the segment centroid under which a new segment begins.
    `diverged`: cosine of rewrite and message under which the rewrite is another question.
    `returned`: affinity to an earlier topic from which a message counts as a return to it.
    """

    space: str = "local/all-MiniLM-L6-v2-int8/384"
    related: float = 0.26
    unrelated: float = 0.17
    boundary: float = 0.15
    diverged: float = 0.2
    returned: float = 0.55

    def to_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def from_json(cls, data: JsonObject) -> Thresholds:
        known = {item.name for item in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})


@dataclass(frozen=True, slots=True)
class Budgets:
    """Bounds that keep a turn's cost flat: tokens of assistant text in scope, terms added to a query."""

    assistant_tokens: int = 300
    added_terms: int = 6
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


# Of a place or a date a question has one at a time; of products and people it may well have several.
SINGLE_VALUED = ("place", "date")
RESUME_AFTER = 6 * 60 * 60


@dataclass(frozen=True, slots=True)
class ScopePolicy:
    """A tenant's scope policy. `window` counts turns and is used by the window strategy only.

    A session that rested for `resume_after_seconds` starts clean of what was asked before.
    """

    strategy: Strategy = Strategy.LIVENESS
    window: int = 4
    horizons: Horizons = field(default_factory=Horizons)
    thresholds: Thresholds = field(default_factory=Thresholds)
    single_valued: tuple[str, ...] = SINGLE_VALUED
    budgets: Budgets = field(default_factory=Budgets)
    resume_after_seconds: int = RESUME_AFTER

    def __post_init__(self) -> None:
        stale, evict = self.horizons.stale_after, self.horizons.evict_after
        if self.window < 1:
            raise BadPolicy(reason="the window must hold at least one turn")
        if not 1 <= stale < evict:
            raise BadPolicy(reason="stale_after must be at least 1 and smaller than evict_after")
        if self.thresholds.unrelated > self.thresholds.related:
            raise BadPolicy(reason="the threshold for unrelated must not exceed the one for related")

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
    def from_json(cls, data: JsonObject) -> ScopePolicy:
        try:
            return cls(
                strategy=Strategy(data.get("strategy", Strategy.LIVENESS)),
                window=int(data.get("window", 4)),
                horizons=Horizons.from_json(data.get("horizons", {})),
                thresholds=Thresholds.from_json(data.get("thresholds", {})),
                single_valued=tuple(data.get("single_valued", SINGLE_VALUED)),
                budgets=Budgets.from_json(data.get("budgets", {})),
                resume_after_seconds=int(data.get("resume_after_seconds", RESUME_AFTER)),
            )
        except (TypeError, ValueError, AttributeError) as error:
            raise BadPolicy(reason=str(error)) from error
