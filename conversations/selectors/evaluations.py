"""Reading a tenant's evaluations: sets with their items, runs with their results, what two runs differ in, the gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet, prefetch_related_objects

from conversations.evaluation.entries import Entry
from conversations.evaluation.jobs import JobState
from conversations.evaluation.records import (
    EvaluationGates,
    EvaluationResult,
    EvaluationRun,
    FollowUpItem,
    FollowUpSet,
    ResultState,
)
from conversations.evaluation.strategies import AS_PUBLISHED
from conversations.evaluation.what_if import folded
from kernel.errors import Invalid, NotFound
from kernel.json import JsonObject

USUAL_GATES: JsonObject = {
    "strategy": AS_PUBLISHED,
    "every": {"contamination": {"max": 0.1}, "invented": {"max": 0.05}},
    "strata": {},
    "overall": {"recall@5": {"min": 0.8}},
}
"""What a tenant starts from: bounds that say something of any set, whatever its strata are called."""


def sets_named() -> QuerySet[FollowUpSet]:
    return FollowUpSet.objects.order_by("name", "id")


def sets_list() -> QuerySet[FollowUpSet]:
    """Each with its `item_count`."""
    return sets_named().annotate(item_count=Count("items"))


def sets_to_run() -> QuerySet[FollowUpSet]:
    """Those with an item."""
    return sets_list().filter(pk__in=FollowUpItem.objects.values("of_set_id"))


def access_set(set_id: UUID) -> FollowUpSet:
    """Raises `NotFound`."""
    found = sets_list().filter(pk=set_id).first()
    if found is None:
        raise NotFound(what="follow-up set")
    return found


def items_list(set_id: UUID, *, stratum: str = "") -> QuerySet[FollowUpItem]:
    found = FollowUpItem.objects.filter(of_set_id=set_id).select_related("origin")
    if stratum:
        found = found.filter(stratum=stratum)
    return found.order_by("stratum", "key", "id")


def access_item(set_id: UUID, item_id: UUID) -> FollowUpItem:
    """Raises `NotFound`."""
    found = items_list(set_id).filter(pk=item_id).first()
    if found is None:
        raise NotFound(what="item")
    return found


def strata_of(set_id: UUID) -> list[tuple[str, int]]:
    """Strata with the number of their items. One query."""
    rows = FollowUpItem.objects.filter(of_set_id=set_id).order_by("stratum").values("stratum")
    return [(row["stratum"], row["n"]) for row in rows.annotate(n=Count("id"))]


def entry_from(item: FollowUpItem) -> Entry:
    return Entry(
        key=item.key,
        stratum=item.stratum,
        prefix=tuple(item.prefix),
        follow_up=item.follow_up,
        gold=tuple(item.gold),
        required=tuple(item.required),
        forbidden=tuple(item.forbidden),
        more=item.more,
    )


def entries_of(set_id: UUID) -> Iterator[Entry]:
    for item in items_list(set_id).iterator(chunk_size=200):
        yield entry_from(item)


def runs_list() -> QuerySet[EvaluationRun]:
    return EvaluationRun.objects.select_related("of_set", "requested_by").order_by("-created_at", "id")


def access_run(run_id: UUID) -> EvaluationRun:
    """Raises `NotFound`."""
    found = runs_list().filter(pk=run_id).first()
    if found is None:
        raise NotFound(what="evaluation")
    return found


def results_list(
    run_id: UUID, *, strategy: str = "", stratum: str = "", only: str = ""
) -> QuerySet[EvaluationResult]:
    """Results that are there. `only` is missed, contaminated, rewritten or failed; empty for all."""
    found = EvaluationResult.objects.filter(run_id=run_id).exclude(state=ResultState.WAITING)
    for name, value in (("strategy", strategy), ("stratum", stratum)):
        if value:
            found = found.filter(**{name: value})
    narrowed: Mapping[str, Q] = {
        "missed": Q(hit=False),
        "contaminated": Q(contaminated=True),
        "rewritten": Q(rewritten=True),
        "failed": Q(state=ResultState.FAILED),
    }
    if only in narrowed:
        found = found.filter(narrowed[only])
    return found.select_related("item").order_by("position", "id")


CHANGES = ("gained", "lost", "contaminated", "cleaned", "rewrite", "verdict")


@dataclass(frozen=True, slots=True)
class Compared:
    """One item under the same strategy in two runs."""

    before: EvaluationResult
    after: EvaluationResult

    @property
    def item(self) -> FollowUpItem:
        return self.after.item

    @property
    def changes(self) -> tuple[str, ...]:
        """What differs: `gained` or `lost` the passage, `cleaned` or `contaminated`, `rewrite`, `verdict`."""
        told = []
        if self.before.hit != self.after.hit:
            told.append("gained" if self.after.hit else "lost")
        if self.before.contaminated != self.after.contaminated:
            told.append("contaminated" if self.after.contaminated else "cleaned")
        if folded(self.before.query) != folded(self.after.query):
            told.append("rewrite")
        if self.before.verdict != self.after.verdict:
            told.append("verdict")
        return tuple(told)


def compared(before_id: UUID, after_id: UUID, *, strategy: str, other: str = "") -> list[Compared]:
    """Items that both runs have done, those in which something differs. `other` is the strategy of the run before, where
    two strategies are compared. Two queries; the items themselves are read by `with_items`."""
    earlier = {one.item_id: one for one in _done(before_id, other or strategy).defer("found", "score")}
    later = _done(after_id, strategy).defer("found", "score")
    pairs = [Compared(earlier[one.item_id], one) for one in later if one.item_id in earlier]
    return [pair for pair in pairs if pair.changes]


def with_items(pairs: Sequence[Compared]) -> Sequence[Compared]:
    """The pairs of a page, their items read in one query: an item holds a conversation, and most pairs are not shown."""
    prefetch_related_objects([pair.after for pair in pairs], "item")
    return pairs


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a run changed against the one before, under `strategy` and there under `other`."""

    after: EvaluationRun
    before: EvaluationRun
    strategy: str
    other: str

    def pairs(self, *, change: str = "", stratum: str = "") -> list[Compared]:
        """Items in which something differs, narrowed to a kind of change and to a stratum. Two queries."""
        found = compared(self.before.pk, self.after.pk, strategy=self.strategy, other=self.other)
        return [
            pair
            for pair in found
            if (not change or change in pair.changes) and (not stratum or pair.after.stratum == stratum)
        ]

    def strata(self) -> list[str]:
        """Of the items that either run has."""
        names = EvaluationResult.objects.filter(run_id__in=(self.before.pk, self.after.pk))
        return sorted(set(names.order_by().values_list("stratum", flat=True)))

    def figures(self, stratum: str = "") -> tuple[JsonObject, JsonObject]:
        """Of the run before and of this one, overall where no stratum is named; empty where a run has no report."""
        return _figures(self.before, self.other, stratum), _figures(self.after, self.strategy, stratum)


def comparison_of(
    after: EvaluationRun, before: EvaluationRun, *, strategy: str = "", other: str = ""
) -> Comparison:
    """Two runs of one set. Left out, `strategy` is the first of the run and `other` the same, where the run before has it.

    Raises `Invalid` for runs of different sets and for a strategy that a run does not have.
    """
    if after.of_set_id != before.of_set_id:
        raise Invalid(reason="These evaluations are of different sets. Compare two of the same set.")
    strategy = strategy or after.strategies[0]
    other = other or (strategy if strategy in before.strategies else before.strategies[0])
    for run, name in ((after, strategy), (before, other)):
        if name not in run.strategies:
            raise Invalid(reason=f"{name} was not run. This evaluation has: {', '.join(run.strategies)}.")
    return Comparison(after, before, strategy, other)


def _figures(run: EvaluationRun, strategy: str, stratum: str) -> JsonObject:
    told = run.report.get("strategies", {}).get(strategy, {})
    found: JsonObject = told.get("strata", {}).get(stratum, {}) if stratum else told.get("overall", {})
    return found


def _done(run_id: UUID, strategy: str) -> QuerySet[EvaluationResult]:
    rows = EvaluationResult.objects.filter(run_id=run_id, strategy=strategy, state=ResultState.DONE)
    return rows.order_by("position", "id")


def gates_now() -> EvaluationGates:
    """The tenant's gates; the usual ones, not required and not stored, where it has none of its own."""
    return EvaluationGates.objects.select_related("of_set").first() or EvaluationGates(values=USUAL_GATES)


def runs_of(set_id: UUID) -> QuerySet[EvaluationRun]:
    """Those that are done."""
    return runs_list().filter(of_set_id=set_id, state=JobState.DONE)
