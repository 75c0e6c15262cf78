"""Collects the examples that thresholds are chosen from: labelled follow-ups, read by the real pipeline.

Only the conversation counts here: nothing is answered and no model is called. Where the passages of a corpus are
given, it is noted as well how near a message comes to them as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from conversations.domain.affinity import rank
from conversations.domain.calibrate import Calibration, Example, calibrate
from conversations.domain.classify import named_slots
from conversations.domain.guard import is_comparable
from conversations.domain.openness import candidates
from conversations.domain.policy import ScopePolicy
from conversations.domain.ports import Ports
from conversations.domain.reading import Reading, read_cue
from conversations.domain.remember import HOME_KEPT
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.vectors import Matrix, Vector, cosine, unit, unpack
from conversations.evaluation.items import Item, objects_from
from conversations.evaluation.replaying import Replays

Report = Callable[[str, int, int], None]
# Strata whose messages leave the subject; elsewhere a self-contained message may still be about it.
LEAVING = frozenset({"post_pivot_standalone"})
# Which exchanges belong together is itself decided by thresholds, so they are chosen twice.
PASSES = 2


@dataclass(frozen=True, slots=True)
class Collected:
    """`rewrites` are cosines of dependent messages to their reference rewrites."""

    examples: tuple[Example, ...]
    rewrites: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The thresholds chosen, and the examples they were chosen from."""

    calibration: Calibration
    collected: Collected


def references_from(path: Path) -> dict[str, str]:
    """The reference rewrites of a set by item, where it has any."""
    rows = ((row["id"], row.get("reference_rewrite")) for row in objects_from(path, "id"))
    return {name: text for name, text in rows if isinstance(text, str) and text.strip()}


async def calibrated(
    items: Sequence[Item],
    references: Mapping[str, str],
    ports: Ports,
    policy: ScopePolicy,
    space: str,
    report: Report,
    passages: Matrix | None = None,
) -> Calibrated:
    """Thresholds for `space`, the name of the embedding space behind `ports`; `passages` are unit vectors in it."""
    for number in range(1, PASSES + 1):
        collected = await collect(items, references, ports, policy, _numbered(report, number), passages)
        found = calibrate(collected.examples, space, collected.rewrites, policy.thresholds)
        policy = replace(policy, thresholds=found.thresholds)
    return Calibrated(found, collected)


async def collect(
    items: Sequence[Item],
    references: Mapping[str, str],
    ports: Ports,
    policy: ScopePolicy,
    report: Report,
    passages: Matrix | None = None,
) -> Collected:
    """One example an item with a conversation before it and a label. `report(what, done, total)` is called as it goes."""
    quiet = replace(ports, model=None, pace=None)
    replays = Replays(quiet, unasked(policy))
    examples: list[Example] = []
    rewrites: list[float] = []
    for done, item in enumerate(items, 1):
        state = await replays.state_after(item.question.prefix)
        reading = await _read(item.question.follow_up, quiet)
        dependent = item.labels().dependent
        if state.exchanges and dependent is not None:
            shifted = not dependent and item.question.stratum in LEAVING
            example = _example(reading, state, policy, dependent, shifted)
            known = _known(reading, passages)
            homes = [_home(reading, exchange, passages) for exchange in state.exchanges]
            nearest = max((home for home in homes if home is not None), default=None)
            apart = None if known is None or nearest is None else known - nearest
            examples.append(replace(example, known=known, apart=apart))
        reference = references.get(item.question.id)
        if dependent and reference and is_comparable(reading):
            rewrites.append(cosine(await _vector(reference, quiet), reading.vector))
        report("examples", done, len(items))
    return Collected(tuple(examples), tuple(rewrites))


def _example(
    reading: Reading, state: ConversationState, policy: ScopePolicy, dependent: bool, shifted: bool
) -> Example:
    near = rank(reading, candidates(state, policy, named_slots(reading, state)))
    centroid = unit(unpack(state.topic.centroid)) if state.topic else None
    return Example(
        affinity=max((item.total for item in near), default=0.0),
        dependent=dependent,
        shifted=shifted,
        centroid=cosine(reading.vector, centroid),
        marked=reading.strong or reading.weak,
    )


def unasked(policy: ScopePolicy) -> ScopePolicy:
    """The policy without questions to the documents, which are not at hand."""
    return replace(policy, thresholds=replace(policy.thresholds, answered=0.0, elsewhere=0.0))


def _known(reading: Reading, passages: Matrix | None) -> float | None:
    """The cosine of a message to its best passage."""
    if passages is None or reading.vector is None or not len(passages):
        return None
    return float(np.max(passages @ reading.vector))


def _home(reading: Reading, exchange: Exchange, passages: Matrix | None) -> float | None:
    """The cosine of a message to the best of the passages that an exchange lives among."""
    said = [v for v in (unpack(exchange.query_vector), exchange.answered) if v is not None]
    if passages is None or reading.vector is None or not said or not len(passages):
        return None
    nearest = np.argsort(-(passages @ np.mean(said, axis=0)))[:HOME_KEPT]
    return float(np.max(passages[nearest] @ reading.vector))


async def _read(message: str, ports: Ports) -> Reading:
    cue = read_cue(message)
    analysis = await ports.offload(lambda: ports.language.analyse(cue.core))
    return Reading.of(cue, analysis, await _vector(cue.core, ports), message)


async def _vector(text: str, ports: Ports) -> Vector | None:
    return unit((await ports.embedder.embed([text]))[0])


def _numbered(report: Report, number: int) -> Report:
    return lambda what, done, total: report(f"{what}, pass {number} of {PASSES}", done, total)
