"""How good outcomes are: one score an item, then figures a stratum and over all items.

Recall counts the share of the gold passages that came back, whatever their number; a passage found twice counts
once. An item with more gold than places cannot reach 1. Overall figures are means over items, not over strata.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conversations.evaluation.items import Labels
from conversations.evaluation.matching import contains_term, folded, words_of
from conversations.evaluation.running import Found, Outcome
from kernel.json import JsonObject

SHOWN = 5
Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class Score:
    """One item. `contaminants` and `invented` are the words at fault; `required` is a share, 1 when none is named."""

    recall5: float
    recall10: float
    ndcg5: float
    required: float
    rewritten: bool
    model_calls: int
    contaminants: tuple[str, ...] = ()
    invented: tuple[str, ...] = ()
    may_contaminate: bool = False
    requires: bool = False
    dependent: bool | None = None


def score(outcome: Outcome, labels: Labels) -> Score:
    """The score of an outcome under the labels of its item."""
    ranks = [_rank(reference, outcome.found) for reference in labels.gold]
    searched = outcome.searched or (outcome.query,)
    return Score(
        recall5=_recall(ranks, SHOWN),
        recall10=_recall(ranks, 2 * SHOWN),
        ndcg5=_ndcg(ranks, SHOWN),
        required=_share(contains_term(outcome.query, term) for term in labels.required),
        rewritten=outcome.rewritten,
        model_calls=outcome.model_calls,
        contaminants=tuple(
            term for term in labels.forbidden if any(contains_term(text, term) for text in searched)
        ),
        invented=_invented(outcome),
        may_contaminate=bool(labels.forbidden),
        requires=bool(labels.required),
        dependent=labels.dependent,
    )


def figures(scores: Sequence[Score]) -> JsonObject:
    """The figures of some items, in the shape of the report. Rates are 0 to 1.

    `contamination` is of the `n_forbidden` items that name forbidden terms, `required` of those that name
    required ones. `as_typed` is the share of self-contained items searched as typed, `rewritten_dependent` that
    of context-dependent ones rewritten; None where there is no such item.
    """
    tempted = [item for item in scores if item.may_contaminate]
    asked = [item.required for item in scores if item.requires]
    recall = _mean([item.recall5 for item in scores])
    return {
        "n": len(scores),
        "recall@5": round(recall, 4),
        "recall@10": round(_mean([item.recall10 for item in scores]), 4),
        "ndcg@5": round(_mean([item.ndcg5 for item in scores]), 4),
        "contamination": round(_rate(bool(item.contaminants) for item in tempted), 4),
        "invented": round(_rate(bool(item.invented) for item in scores), 4),
        "required": round(_mean(asked) if asked else 1.0, 4),
        "rewritten": round(_rate(item.rewritten for item in scores), 4),
        "model_calls": round(_mean([item.model_calls for item in scores]), 4),
        "ci95": list(interval(recall, len(scores))),
        "n_forbidden": len(tempted),
        "as_typed": _rate_or_none(not item.rewritten for item in scores if item.dependent is False),
        "rewritten_dependent": _rate_or_none(item.rewritten for item in scores if item.dependent),
    }


def by_stratum(scored: Iterable[tuple[str, Score]]) -> dict[str, list[Score]]:
    """Scores by stratum, in the order in which strata first appear."""
    strata: dict[str, list[Score]] = defaultdict(list)
    for stratum, item in scored:
        strata[stratum].append(item)
    return dict(strata)


def interval(rate: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate over `n` items. A little wide for recall, whose items may be in between."""
    if n == 0:
        return 0.0, 1.0
    spread = Z95**2 / n
    middle = (rate + spread / 2) / (1 + spread)
    half = Z95 / (1 + spread) * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    return round(max(0.0, middle - half), 4), round(min(1.0, middle + half), 4)


def matches(reference: str, found: Found) -> bool:
    """Whether a gold reference means this passage: by its name, or by its document's name and a quote in it."""
    if reference == found.name:
        return True
    document, separator, quote = reference.partition("#")
    return bool(separator) and document == found.name and folded(quote) in folded(found.text)


def _rank(reference: str, found: Sequence[Found]) -> int:
    """1 for the first place, 0 when it did not come back."""
    return next((rank for rank, passage in enumerate(found, 1) if matches(reference, passage)), 0)


def _recall(ranks: Sequence[int], k: int) -> float:
    return sum(0 < rank <= k for rank in ranks) / len(ranks)


def _ndcg(ranks: Sequence[int], k: int) -> float:
    """Binary gains. One passage that holds two gold quotes gains once."""
    gained = sum(1 / math.log2(rank + 1) for rank in {rank for rank in ranks if 0 < rank <= k})
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(ranks)) + 1))
    return gained / best


def _invented(outcome: Outcome) -> tuple[str, ...]:
    """Names in the query of which some word was said by nobody in the whole conversation."""
    said = set(words_of(outcome.question.conversation))
    return tuple(name for name in outcome.names if not set(words_of(name)) <= said)


def _share(hits: Iterable[bool]) -> float:
    told = list(hits)
    return sum(told) / len(told) if told else 1.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rate(hits: Iterable[bool]) -> float:
    return _mean([float(hit) for hit in hits])


def _rate_or_none(hits: Iterable[bool]) -> float | None:
    told = [float(hit) for hit in hits]
    return round(_mean(told), 4) if told else None
