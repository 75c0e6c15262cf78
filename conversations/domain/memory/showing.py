"""Shows a turn as much of the summary as helps it: nothing about what is closed, the related first, within a budget.

Closed entities are recognised as whole words; a sentence that leans on a dropped one goes with it.
What is shown stands in the order in which it was said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace

from conversations.domain.memory.blocks import Block, leans_back, read_blocks, render_blocks
from conversations.domain.memory.ledger import barred_keys
from conversations.domain.memory.values import SummaryPart
from conversations.domain.words import STOP_KEYS, contains_key, key_of


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
) -> str:
    """The text of the summary for one turn, at most `budget` tokens by `count`; empty when nothing may be shown.

    `closed` and `named` (by the message) are entity keys, `message_keys` the message's content words.
    """
    barred = barred_keys(closed, named)
    words = {word for key in message_keys for word in key.split()} - STOP_KEYS
    candidates = _candidates(parts, barred, words)
    chosen: dict[int, Block] = {}
    for candidate in sorted(candidates, key=lambda c: (-c.shared, -c.turn, -c.place)):
        fitted = _fitted(candidate, chosen, budget, count)
        if fitted is not None:
            chosen[candidate.place] = fitted
    return _text(chosen)


def _candidates(parts: Sequence[SummaryPart], barred: Set[str], words: Set[str]) -> list[_Candidate]:
    found: list[_Candidate] = []
    for part in sorted(parts, key=lambda p: (p.first_turn, p.last_turn)):
        for block in read_blocks(part.text):
            left = _open(block, barred)
            if left is not None:
                shared = len(words & set(key_of(left.render()).split()))
                found.append(_Candidate(len(found), part.last_turn, left, shared))
    return found


def _open(block: Block, barred: Set[str]) -> Block | None:
    """What of a line may be shown. Where its subject is closed, only sentences that name what is open remain."""
    about = tuple(text for text in block.about if not _names(text, barred))
    gone = len(about) < len(block.about)
    if gone and not about:
        return None
    left: list[str] = []
    dropped = False
    for sentence in block.sentences:
        dropped = _names(sentence, barred) or (dropped and leans_back(sentence))
        if not dropped and (not gone or any(contains_key(key_of(sentence), key_of(text)) for text in about)):
            left.append(sentence)
        else:
            dropped = True
    if not left and (gone or block.sentences):
        return None
    return replace(block, about=about, sentences=tuple(left))


def _names(text: str, keys: Set[str]) -> bool:
    text_key = key_of(text)
    return any(contains_key(text_key, key) for key in keys)


def _fitted(
    candidate: _Candidate, chosen: dict[int, Block], budget: int, count: Callable[[str], int]
) -> Block | None:
    """The line with as many of its first sentences as fit, or None."""
    sentences = candidate.block.sentences
    for length in range(len(sentences), 0 if sentences else -1, -1):
        block = replace(candidate.block, sentences=sentences[:length])
        if count(_text({**chosen, candidate.place: block})) <= budget:
            return block
    return None


def _text(chosen: dict[int, Block]) -> str:
    return render_blocks(tuple(chosen[place] for place in sorted(chosen)))
