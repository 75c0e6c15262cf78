"""Finds what a misspelt word of a question was meant to be, and searches for that as well.

The words of the passages just found are the vocabulary: whoever asks may see them, and what stands only where they may
not look cannot be suggested. A word that the language knows, a name, and what is like two of their words stay as typed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from conversations.domain.answer import Passage
from conversations.domain.answer.terms import content, stem
from conversations.domain.ports import Candidate, Ports
from conversations.domain.reading import Reading
from conversations.domain.search_plan import SearchPlan
from conversations.domain.spelling import SHORTEST, is_slip
from conversations.domain.turn_events import QueryDecided
from conversations.domain.words import key_of

_WORD = re.compile(rf"(?<![\w.@/-])[^\W\d_]{{{SHORTEST},24}}(?![\w@/-]|\.\w)")
# What the query as typed weighs beside the corrected one.
AS_TYPED = 0.5


def corrections(text: str, passages: Sequence[Passage], knows: Callable[[str], bool]) -> dict[str, str]:
    """Misspelt words of an English text as typed, each with the word of the passages that it stands for.

    `knows` tells whether the language has a word (in small letters), which then is no mistake.
    """
    odd = {match[0] for match in _WORD.finditer(text) if _is_odd(match, knows)}
    if not odd:
        return {}
    known = Counter(word for p in passages for word in _words_of(p))
    held = {stem(word) for word in known}
    meant = {word: _meant(word.casefold(), known) for word in odd if stem(word) not in held}
    return {word: other for word, other in meant.items() if other}


def respelt(text: str, spelling: Mapping[str, str]) -> str:
    """The text with the corrected words in it."""
    for typed, meant in spelling.items():
        text = re.sub(rf"(?<!\w){re.escape(typed)}(?!\w)", meant, text)
    return text


async def searched(
    plan: SearchPlan, reading: Reading, ports: Ports
) -> tuple[SearchPlan, tuple[Candidate, ...], Mapping[str, str]]:
    """What a plan finds; where a word of it is misspelt, what it finds with the right one, and that plan."""
    found = await ports.retriever.search(plan)
    if ports.knows is None or reading.analysis.language != "en":
        return plan, found, {}
    typed, *more = plan.queries
    spelling = corrections(typed.text, [candidate.passage for candidate in found], ports.knows)
    if not spelling:
        return plan, found, {}
    beside = replace(typed, dense_weight=AS_TYPED * typed.dense_weight, lexical_weight=0.0)
    both = replace(plan, queries=(replace(typed, text=respelt(typed.text, spelling)), beside, *more))
    return both, await ports.retriever.search(both), spelling


def as_searched(decided: QueryDecided, spelling: Mapping[str, str]) -> QueryDecided:
    """The query and its wording for people as it was searched, with the right words in them."""
    return replace(
        decided, query=respelt(decided.query, spelling), display=respelt(decided.display, spelling)
    )


def _is_odd(match: re.Match[str], knows: Callable[[str], bool]) -> bool:
    """Whether a word may be a mistake. A capital that opens the text says nothing; any other makes a name."""
    word = match[0] if match.start() else match[0][:1].lower() + match[0][1:]
    return word.islower() and content(word) and not (knows(word) or knows(key_of(word)))


def _words_of(passage: Passage) -> Iterable[str]:
    text = " ".join((passage.title, *passage.heading_path, passage.text))
    return (match[0].casefold() for match in _WORD.finditer(text))


def _meant(word: str, known: Mapping[str, int]) -> str:
    """The commonest form of the one word that it is like, "" where there are two or none."""
    like = [other for other in known if is_slip(word, other)]
    return max(like, key=lambda other: known[other]) if len({stem(other) for other in like}) == 1 else ""
