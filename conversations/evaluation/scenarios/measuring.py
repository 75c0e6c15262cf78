"""The figures of a whole session: whether references were understood, facts carried, old topics left, and what it cost.

Every figure is a share from 0 to 1 over the turns that it can be said of, None where there is no such turn.

- Coreference accuracy: of the turns that cannot be understood alone, those whose query holds all that is required
  and nothing that is forbidden.
- Carry-over: of the facts that turns need from earlier turns, those that were at hand: in the query, among the turns
  shown word for word, or in the summary and facts shown.
- Contamination: of the turns with forbidden terms, those that searched for one.
- Corrections held: of the turns after a correction that were shown something from memory, those that were not shown
  the old value as if it still held.
- Coherence: of the turns that continue an earlier one, those whose query names something that was named there, by the
  user or in the answer; what the engine itself added to that query does not count. In centering terms this is the share of transitions that have a
  backward-looking centre (Grosz, Joshi, Weinstein 1995), one minus M.NOCB, the measure that Karamanis, Poesio,
  Mellish and Oberlander (2004) found hardest to beat. It is taken over every stretch of `STRETCH` turns in a row,
  or over all turns of a shorter session, and told as the mean and the worst stretch.
- Novelty: of the passages given at a turn, those that the session had not been given before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from conversations.domain.state import Exchange
from conversations.domain.words import STOP_KEYS, normalise
from conversations.evaluation.scenarios.held import HeldConversation, HeldTurn
from conversations.evaluation.scenarios.judging import holds_all
from conversations.evaluation.scenarios.surviving import outdated_shown
from kernel.json import JsonObject

STRETCH = 20


@dataclass(frozen=True, slots=True)
class Passages:
    """Over a session: different passages given, how many more were given again, and the share of new ones by turn."""

    unique: int
    repeated: int
    novelty: tuple[float | None, ...]


def session_metrics(held: HeldConversation) -> JsonObject:
    """The figures of this module, of the experiment, and of what the session cost."""
    turns = held.turns
    mean, worst = coherence(turns)
    new = [share for share in passages(turns).novelty if share is not None]
    return {
        "coreference_accuracy": share_of(t.judgement.understood for t in turns if t.script.expected.depends),
        "carry_over": share_of(at_hand for _, _, at_hand in carried(held)),
        "corrections_held": share_of(not old for _, old in outdated_shown(held.script.facts, turns)),
        "contamination": share_of(bool(t.judgement.unwanted) for t in turns if t.script.expected.forbidden),
        "coherence_20": {"mean": mean, "worst": worst},
        "novelty": round(sum(new) / len(new), 4) if new else None,
        "ok": share_of(turn.judgement.ok for turn in turns),
        "contextualization": experiment(turns),
        "model_calls": {
            "mean": round(sum(turn.model_calls for turn in turns) / len(turns), 4),
            "most": max(turn.model_calls for turn in turns),
        },
    }


def carried(held: HeldConversation) -> list[tuple[int, str, bool]]:
    """(turn, fact, at hand) for every fact that a turn needs from earlier turns."""
    return [
        (turn.n, name, _at_hand(turn, held.script.fact(name).words))
        for turn in held.turns
        for name in turn.script.expected.needs
    ]


def _at_hand(turn: HeldTurn, words: Sequence[str]) -> bool:
    background = turn.background
    sources = (turn.query, *turn.recent, background.summary, *background.facts)
    return any(holds_all(source, words) for source in sources)


def coherence(turns: Sequence[HeldTurn]) -> tuple[float | None, float | None]:
    """Mean and worst stretch. A turn that continues none says nothing."""
    linked = [_linked(turn, turns) for turn in turns]
    stretches = [linked[at : at + STRETCH] for at in range(max(1, len(linked) - STRETCH + 1))]
    shares = [share_of(hit for hit in stretch if hit is not None) for stretch in stretches]
    known = [share for share in shares if share is not None]
    return (round(sum(known) / len(known), 4), min(known)) if known else (None, None)


def _linked(turn: HeldTurn, turns: Sequence[HeldTurn]) -> bool | None:
    before = turn.script.expected.continues
    if not before:
        return None
    return bool(_content(turn.query) & _spoken_of(turns[before - 1].exchange))


def _spoken_of(exchange: Exchange) -> set[str]:
    return _content(" ".join(term.text for term in (*exchange.terms, *exchange.answer_terms)))


def _content(text: str) -> set[str]:
    return {word for word in normalise(text) if word not in STOP_KEYS}


def passages(turns: Iterable[HeldTurn]) -> Passages:
    seen: set[str] = set()
    novelty: list[float | None] = []
    given = 0
    for turn in turns:
        novelty.append(_new_share(turn.chunks, seen))
        seen.update(turn.chunks)
        given += len(turn.chunks)
    return Passages(len(seen), given - len(seen), tuple(novelty))


def _new_share(chunks: Sequence[str], seen: set[str]) -> float | None:
    return round(sum(chunk not in seen for chunk in chunks) / len(chunks), 4) if chunks else None


def experiment(turns: Sequence[HeldTurn]) -> JsonObject:
    """Recall@5 of the gold passages with the rewrite and with the message as typed, from the third turn on."""
    told = [(turn.script.expected.depends, turn.compared) for turn in turns if turn.compared is not None]
    dependent = [compared for depends, compared in told if depends]
    every = [compared for _, compared in told]
    return {
        "turns": len(every),
        "recall@5": {"with": mean(c.rewritten for c in every), "without": mean(c.typed for c in every)},
        "dependent_turns": len(dependent),
        "dependent_recall@5": {
            "with": mean(c.rewritten for c in dependent),
            "without": mean(c.typed for c in dependent),
        },
    }


def mean(values: Iterable[float]) -> float | None:
    told = list(values)
    return round(sum(told) / len(told), 4) if told else None


def share_of(hits: Iterable[bool]) -> float | None:
    return mean(float(hit) for hit in hits)
