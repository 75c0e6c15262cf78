"""Chooses the thresholds of an embedding space from examples whose right answer is known.

Cosines of two models cannot be compared, so a tenant that changes its model calibrates again.
The cut is taken from the middle of the best plateau, so that a few examples do not decide it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conversations.domain.policy import Thresholds


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled turn: its best affinity, and whether it depended on the conversation.

    `shifted` says that it left the subject, `centroid` is its cosine to the stretch before it, `known` that to its best
    passage, `apart` by how much that is closer than the passages of earlier exchanges; None where there are no passages.
    Only turns that are not `marked` by their form decide about `related`, `answered` and `elsewhere`, because only they
    are decided by them.
    """

    affinity: float
    dependent: bool
    shifted: bool = False
    centroid: float = 0.0
    marked: bool = False
    known: float | None = None
    apart: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """The chosen thresholds with what each cut gets right of the examples given, 0 where it was left alone."""

    thresholds: Thresholds
    related_accuracy: float
    unrelated_accuracy: float
    boundary_accuracy: float
    answered_accuracy: float
    elsewhere_accuracy: float
    examples: int


FEWEST = 10
# A missed dependent message costs more than a rewrite after a change of subject; two sets agree best at this weight.
MISS_COST = 1.5


def calibrate(
    examples: Sequence[Example], space: str, rewrites: Sequence[float] = (), base: Thresholds | None = None
) -> Calibration:
    """Thresholds for `space`. `rewrites` are cosines of good rewrites to their messages, for `diverged`.

    With fewer than ten examples of a side the base threshold stays; another space than that of the base has none for
    `answered` and `elsewhere` then, and its documents are not asked.
    """
    start = replace(base or Thresholds(), space=space)
    related, a = best_cut(_by_affinity(examples), start.related, MISS_COST)
    unrelated, b = _most_shifts(examples, start.unrelated)
    boundary, c = best_cut(_by_centroid(examples), start.boundary)
    unasked = start if base is not None and base.space == space else Thresholds(answered=0.0, elsewhere=0.0)
    answered, d = best_cut(_by_passages(examples), unasked.answered, MISS_COST)
    nearer, e = best_cut(_by_home(examples), -unasked.elsewhere, MISS_COST)
    chosen = replace(
        start,
        related=related,
        unrelated=min(unrelated, related),
        boundary=boundary,
        diverged=_low_quantile(rewrites, start.diverged),
        answered=answered,
        elsewhere=max(0.0, -nearer),
    )
    return Calibration(chosen, a, b, c, d, e, len(examples))


def accuracies(
    thresholds: Thresholds, examples: Sequence[Example], rewrites: Sequence[float] = ()
) -> dict[str, float | None]:
    """What each cut gets right of the examples, 0 to 1; None where one side has fewer than ten.

    Balanced accuracy for all but `diverged`; for `diverged` the share of good rewrites that pass.
    """
    shifts = [(e.affinity, not e.shifted) for e in examples]
    return {
        "related": _balanced(_by_affinity(examples), thresholds.related),
        "unrelated": _balanced(shifts, thresholds.unrelated),
        "boundary": _balanced(_by_centroid(examples), thresholds.boundary),
        "answered": _balanced(_by_passages(examples), thresholds.answered),
        "elsewhere": _balanced(_by_home(examples), -thresholds.elsewhere),
        "diverged": round(sum(near >= thresholds.diverged for near in rewrites) / len(rewrites), 4)
        if len(rewrites) >= FEWEST
        else None,
    }


def _by_affinity(examples: Sequence[Example]) -> list[tuple[float, bool]]:
    """Dependent turns against those that left the subject: a needless rewrite inside one subject costs nothing."""
    return [(e.affinity, e.dependent) for e in examples if not e.marked and (e.dependent or e.shifted)]


def _by_centroid(examples: Sequence[Example]) -> list[tuple[float, bool]]:
    return [(e.centroid, not e.shifted) for e in examples]


def _by_passages(examples: Sequence[Example]) -> list[tuple[float, bool]]:
    """Self-contained turns against dependent ones, which the documents know less well as they stand."""
    return [(e.known, not e.dependent) for e in examples if e.known is not None and not e.marked]


def _by_home(examples: Sequence[Example]) -> list[tuple[float, bool]]:
    """How near the passages of earlier exchanges come to the best one: dependent turns against those that left."""
    asked = [e for e in examples if e.apart is not None and not e.marked and (e.dependent or e.shifted)]
    return [(-e.apart, e.dependent) for e in asked if e.apart is not None]


def _balanced(scored: Sequence[tuple[float, bool]], cut: float) -> float | None:
    positive = [score for score, truth in scored if truth]
    negative = [score for score, truth in scored if not truth]
    if min(len(positive), len(negative)) < FEWEST:
        return None
    return round(1 - _cost(cut, positive, negative, 1.0) / 2, 4)


def best_cut(
    scored: Sequence[tuple[float, bool]], default: float, miss_cost: float = 1.0
) -> tuple[float, float]:
    """The cut that separates true (above) from false best, and its balanced accuracy."""
    positive = [score for score, truth in scored if truth]
    negative = [score for score, truth in scored if not truth]
    values = sorted({*positive, *negative})
    if min(len(positive), len(negative)) < FEWEST or len(values) < 2:
        return default, 0.0
    cuts = [values[0] - 1e-6, *((a + b) / 2 for a, b in itertools.pairwise(values))]
    costs = [_cost(cut, positive, negative, miss_cost) for cut in cuts]
    best = min(costs)
    plateau = [cut for cut, cost in zip(cuts, costs, strict=True) if cost <= best + 0.01]
    cut = plateau[len(plateau) // 2]
    return round(cut, 4), round(1 - _cost(cut, positive, negative, 1.0) / 2, 4)


def _most_shifts(examples: Sequence[Example], default: float) -> tuple[float, float]:
    """The affinity that nine of ten changes of subject stay under, and the share of other turns above it."""
    shifts = sorted(example.affinity for example in examples if example.shifted)
    others = [example.affinity for example in examples if not example.shifted]
    if min(len(shifts), len(others)) < FEWEST:
        return default, 0.0
    cut = shifts[int(0.9 * (len(shifts) - 1))]
    return round(cut, 4), round(sum(value > cut for value in others) / len(others), 4)


def _cost(cut: float, positive: Sequence[float], negative: Sequence[float], miss_cost: float) -> float:
    misses = sum(score < cut for score in positive) / len(positive)
    alarms = sum(score >= cut for score in negative) / len(negative)
    return miss_cost * misses + alarms


def _low_quantile(values: Sequence[float], default: float) -> float:
    """Just under the second percentile: nearly every good rewrite passes."""
    if len(values) < FEWEST:
        return default
    ordered = sorted(values)
    return round(max(0.0, ordered[len(ordered) // 50] - 0.02), 4)
