"""Shows a turn as much of the summary as helps it: nothing about what is closed, the related first, within a budget.

Closed entities are recognised as whole words; a sentence that leans on a dropped one goes with it.
What is shown stands in the order in which it was said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from conversations.domain.memory.blocks import Block, leans_back, read_blocks, render_blocks
from conversations.domain.memory.matching import barred_keys, names_any, words_shared
from conversations.domain.memory.values import SummaryPart
from conversations.domain.words import STOP_KEYS, key_of

# Tokens under which no line is worth trying, and lines that did not fit after which no other is tried.
SHORTEST, MISSES = 3, 8


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: int
    turn: int
    block: Block
    shared: int


def shown(
    parts: Sequence[SummaryPart],
    *,
    closed: Set[str],
    named: Set[str],
    message_keys: Set[str],
    budget: int,
    count: Callable[[str], int],
    live: Set[str] = frozenset(),
) -> str:
    """The text of the summary for one turn, at most `budget` tokens by `count`; empty when nothing may be shown.

    `closed`, `named` (by the message) and `live` are entity keys, `message_keys` the message's content words. Of a
    line about something closed, only sentences that name something else that is named or live are left.
    """
    barred = barred_keys(closed, named)
    words = {word for key in message_keys for word in key.split()} - STOP_KEYS
    candidates = _candidates(parts, barred, named | live, words)
    best_first = sorted(candidates, key=lambda c: (-c.shared, -c.turn, -c.place))
    chosen: list[_Candidate] = []
    left, misses = budget, 0
    for candidate in best_first:
        if left < SHORTEST or misses > MISSES:
            break
        fitted, cost = _fitted(candidate.block, left, count)
        if fitted is None:
            misses += 1
        else:
            chosen.append(replace(candidate, block=fitted))
            left -= cost
    while chosen and count(_text(chosen)) > budget:
        chosen.pop()
    return _text(chosen)


def _candidates(
    parts: Sequence[SummaryPart], barred: Set[str], wanted: Set[str], words: Set[str]
) -> list[_Candidate]:
    found: list[_Candidate] = []
    for part in sorted(parts, key=lambda p: (p.first_turn, p.last_turn)):
        for block in read_blocks(part.text):
            left = _open(block, barred, wanted)
            if left is not None:
                shared = words_shared(left.render(), words)
                found.append(_Candidate(len(found), part.last_turn, left, shared))
    return found


def _open(block: Block, barred: Set[str], wanted: Set[str]) -> Block | None:
    """What of a line may be shown. A sentence without a name is about what the line is about, so it may not."""
    if not names_any(block.render(), barred):
        return block
    about = tuple(text for text in block.about if not names_any(text, barred))
    gone = len(about) < len(block.about)
    others = {key_of(text) for text in about if _is_name(text) and names_any(text, wanted)}
    left: list[str] = []
    dropped = gone
    for sentence in block.sentences:
        if not leans_back(sentence):
            dropped = gone and not names_any(sentence, others)
        dropped = dropped or names_any(sentence, barred)
        if not dropped:
            left.append(sentence)
    return replace(block, about=about, sentences=tuple(left)) if _tells(left) else None


def _is_name(text: str) -> bool:
    """Whether a subject is written like the name of one thing; "RPO" may be said of any."""
    return text[:1].isupper() and not text.isupper()


def _fitted(block: Block, room: int, count: Callable[[str], int]) -> tuple[Block | None, int]:
    """The line with as many of its first sentences as fit, and its tokens with the end of the line."""
    used = count(replace(block, sentences=()).render()) + 1
    kept: list[str] = []
    for sentence in block.sentences:
        cost = count(sentence)
        if used + cost > room:
            break
        kept.append(sentence)
        used += cost
    whole = len(kept) == len(block.sentences)
    fits = used <= room and (whole or _tells(kept))
    return (replace(block, sentences=tuple(kept)), used) if fits else (None, 0)


def _tells(sentences: Sequence[str]) -> bool:
    """Whether anything remains beside the question itself."""
    return any(not sentence.endswith("?”") for sentence in sentences)


def _text(chosen: Sequence[_Candidate]) -> str:
    return render_blocks(tuple(c.block for c in sorted(chosen, key=lambda c: c.place)))
