"""Tells whether what a user claims was said here was said, and what was said on the subject.

The answer then says so plainly, before it answers from the documents. It is said only when it is sure: an amount, a
name or "free" that no answer held, or words unlike everything that was said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from conversations.domain.answer.phrases import without_refusal
from conversations.domain.answer.terms import stems
from conversations.domain.claims.spoken import FREE, NEGATED, VAGUE, Claim, claim_in
from conversations.domain.measures import Measure, alike, holds, measures
from conversations.domain.memory.blocks import leans_back
from conversations.domain.memory.values import Memory
from conversations.domain.ports import Ports
from conversations.domain.reading import Reading
from conversations.domain.remember import ANSWER_CHARACTERS
from conversations.domain.state import ConversationState, Exchange
from conversations.domain.vectors import Vector, best_cosine, cosine, unit
from conversations.domain.words import key_of

# From this cosine on something said may be the claim in other words, and nothing is called unsaid for its words alone.
# Measured with all-MiniLM-L6-v2: paraphrases 0.24 to 0.66, what was never spoken of -0.03 to 0.21.
IN_OTHER_WORDS = 0.22
# The cosine from which a statement is about what the claim is about, where they share no word.
SAME_SUBJECT = 0.5
MOSTLY = 0.5
LONGEST_QUOTE = 240
MOST_COUNTED = 12
# What one turn later counts among statements that are alike.
LATER = 0.001


_RANGE = re.compile(r"\d\s*(?:to|or|and|[-–—])\s*\d")
_FRAGMENT = re.compile(r"(?:^\W*\d+\.|\s\d\.?|[:,;])\s*$|^\W*(?:\S+\s+){0,1}\S+\W*$")


class Verdict(StrEnum):
    SAID = "said"
    UNSAID = "unsaid"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Recollection:
    """A claim with what the record says of it. `statement` is what was said on its subject, "" where nothing was."""

    claim: Claim
    verdict: Verdict
    statement: str = ""

    def opening(self, answer: str) -> str:
        """The sentence that stands before an answer; what was said is repeated where the answer does not say it."""
        known = not self.statement or key_of(self.statement) in key_of(answer)
        if self.verdict is Verdict.SAID:
            return "Yes, that was said here." if known else f"Yes, that was said here: “{self.statement}”"
        told = "I have not said that" if self.claim.by == "you" else "That has not been said"
        opened = f"{told} in this conversation."
        return opened if known else f"{opened} What was said here is: “{self.statement}”"

    def note(self) -> str:
        """The same for a model, which answers itself."""
        if self.verdict is Verdict.SAID:
            return f"The user recalls rightly that this conversation said “{self.claim.text}”."
        said = f" What it said is: “{self.statement}”" if self.statement else ""
        return (
            f"The user claims that this conversation said “{self.claim.text}”: it did not. "
            f"Tell the user so, and answer from the passages.{said}"
        )


async def claimed(
    reading: Reading, record: ConversationState, shown: ConversationState, memory: Memory, ports: Ports
) -> Recollection | None:
    """What to say of a claim in a message, None where there is nothing to say. See `recollect`."""
    claim = claim_in(reading.core) if reading.analysis.language == "en" else None
    if claim is None or not _is_whole(record.exchanges, answered=ports.model is None):
        return None
    (vector,) = await ports.embedder.embed([claim.text])
    found = recollect(claim, unit(vector), record, shown, memory)
    return None if found.verdict is Verdict.OPEN else found


def _is_whole(exchanges: Sequence[Exchange], *, answered: bool) -> bool:
    """Whether the record holds every answer to its end. Of a model's answers those without a source are not kept."""
    cut = any(len(exchange.answer) >= ANSWER_CHARACTERS for exchange in exchanges)
    lost = any(not e.answer and e.kind != "small_talk" for e in exchanges)
    return not cut and (answered or not lost)


def recollect(
    claim: Claim, vector: Vector | None, record: ConversationState, shown: ConversationState, memory: Memory
) -> Recollection:
    """Judges a claim. `record` is all that is kept of the session, `shown` the part that may be quoted now.

    `vector` is the unit embedding of the claim. What was said in a part that may not be shown is neither denied nor
    confirmed.
    """
    found = _nearest(claim, vector, shown.exchanges)
    if found and _confirmed(claim, found):
        return Recollection(claim, Verdict.SAID if claim.asked else Verdict.OPEN, _quoted(found.sentence))
    if not _unsaid(claim, vector, record, memory):
        return Recollection(claim, Verdict.OPEN)
    alone = found is not None and found.tells(claim)
    return Recollection(claim, Verdict.UNSAID, _quoted(found.sentence) if found and alone else "")


def _unsaid(claim: Claim, vector: Vector | None, record: ConversationState, memory: Memory) -> bool:
    """Whether nobody can have said it. Beyond what the state keeps only amounts and names are sure to be remembered."""
    whole = {exchange.turn for exchange in record.exchanges} >= set(range(1, record.turn + 1))
    before = record.exchanges[0].turn if record.exchanges else record.turn + 1
    if not whole and memory.covered < before - 1:
        return False
    said = _said(claim, record.exchanges)
    if not whole:
        said = [*said, *(fact.fact for fact in memory.facts), *(part.text for part in memory.parts)]
    if not any(said) or _precise_unsaid(claim, said, _told_by_user(record.exchanges)):
        return True
    if not whole or claim.amounts or claim.free or claim.negated:
        return False
    return _words_unsaid(claim, vector, record.exchanges, said)


def _said(claim: Claim, exchanges: Sequence[Exchange]) -> list[str]:
    """What the assistant said; what "we" agreed the user may have said as well."""
    texts = [without_refusal(exchange.answer) for exchange in exchanges if exchange.answer]
    return [*texts, *(exchange.message for exchange in exchanges)] if claim.by == "we" else texts


def _told_by_user(exchanges: Sequence[Exchange]) -> str:
    """The user's own words, without what they claimed was said."""
    told = ((exchange.message, claim_in(exchange.message)) for exchange in exchanges)
    return " | ".join(message.replace(claim.text, " ") if claim else message for message, claim in told)


def _precise_unsaid(claim: Claim, said: Sequence[str], by_user: str) -> bool:
    """Whether an amount, a name or a "free" of the claim stands nowhere. An amount that the user brought in says nothing."""
    known = [amount for text in (*said, by_user) for amount in measures(text)]
    words = set(key_of(" ".join(said)).split())
    exact = () if VAGUE.search(claim.text) else claim.amounts
    if any(not alike(amount, known) for amount in exact if not _may_be_counted(amount, known)):
        return True
    if claim.negated:
        return False
    free = claim.free and not any(map(FREE.search, said))
    return free or any(not name & words for name in claim.names)


def _may_be_counted(amount: Measure, known: Sequence[Measure]) -> bool:
    """Whether a number only counts what was named one by one: "three periods". Then nobody had to write it."""
    measured = amount.kind in {"time", "money", "percent", "clock", "date"}
    return not measured and amount.figure <= MOST_COUNTED and amount.kind not in {a.kind for a in known}


def _words_unsaid(
    claim: Claim, vector: Vector | None, exchanges: Sequence[Exchange], said: Sequence[str]
) -> bool:
    known = stems(" ".join((*said, *(exchange.message for exchange in exchanges))))
    unsaid = claim.subject - known
    asked = max((cosine(e.vector, vector) for e in exchanges), default=0.0)
    nearest = max((best_cosine(e.sentence_rows, vector)[0] for e in exchanges), default=asked)
    return len(unsaid) > MOSTLY * len(claim.subject) and max(asked, nearest) < IN_OTHER_WORDS


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence of an earlier answer with the question it answered and its cosine with the claim."""

    sentence: str
    asked: str
    near: float

    def tells(self, claim: Claim) -> bool:
        """Whether it says something of the claim's subject where it stands alone: "After that it costs £39." does not."""
        if _FRAGMENT.search(self.sentence) or leans_back(self.sentence):
            return False
        shared = _share(claim.subject, stems(self.sentence))
        return not claim.subject or shared >= MOSTLY or self.near >= SAME_SUBJECT


def _nearest(claim: Claim, vector: Vector | None, exchanges: Sequence[Exchange]) -> _Statement | None:
    """What is about what the claim is about; where it names nothing, the latest that has such an amount."""
    best, found = 0.0, None
    for exchange in exchanges:
        rows = exchange.sentence_rows
        for place, sentence in enumerate(exchange.sentences):
            near = cosine(rows[place], vector) if rows is not None else 0.0
            shared = _share(claim.subject, stems(f"{sentence} {exchange.message}"))
            like = _likeness(claim, sentence)
            if (shared < MOSTLY and near < SAME_SUBJECT) if claim.subject else not like:
                continue
            recent = 0.0 if claim.subject else exchange.turn * (LATER if claim.amounts else 1.0)
            if recent + near + shared + 0.5 * like > best:
                best = recent + near + shared + 0.5 * like
                found = _Statement(sentence, exchange.message, near)
    return found


def _share(wanted: Set[str], held: Set[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def _likeness(claim: Claim, sentence: str) -> float:
    """Whether a sentence has what the claim has: the same amounts, or amounts of the same kind."""
    told = measures(sentence)
    if not claim.amounts:
        priced = any(amount.kind == "money" for amount in told)
        return (1.0 if FREE.search(sentence) else 0.5 * priced) if claim.free else 0.0
    kinds = {amount.kind for amount in told}
    same = sum(holds(amount, told) for amount in claim.amounts) / len(claim.amounts)
    return same + 0.5 * any(not amount.kind or amount.kind in kinds for amount in claim.amounts)


def _confirmed(claim: Claim, found: _Statement) -> bool:
    """Whether a statement holds every amount and name of a claim about the same thing, and does not deny it.

    Where the statement has several amounts of that kind, any of them may be of another thing.
    """
    told, words = measures(found.sentence), set(key_of(found.sentence).split())
    if not (claim.amounts or claim.names) or any(
        _unclear(amount, found.sentence) for amount in claim.amounts
    ):
        return False
    held = all(holds(amount, _of_its_kind(amount, told)) for amount in claim.amounts) and all(
        n <= words for n in claim.names
    )
    free = not claim.free or bool(FREE.search(found.sentence))
    if not claim.subject:
        return held and free
    shared = _share(claim.subject, stems(f"{found.sentence} {found.asked}"))
    return held and free and shared > MOSTLY and bool(NEGATED.search(found.sentence)) == claim.negated


def _unclear(amount: Measure, sentence: str) -> bool:
    """Whether a sentence has other amounts than one of that kind: several, a range, or a bare number."""
    told = _of_its_kind(amount, measures(sentence))
    return len({other.size for other in told}) != 1 or bool(_RANGE.search(sentence))


def _of_its_kind(amount: Measure, told: Sequence[Measure]) -> list[Measure]:
    return [other for other in told if not amount.kind or other.kind == amount.kind]


def _quoted(sentence: str) -> str:
    """One line of plain text, and not more of it than a quotation should be."""
    text = " ".join(sentence.replace("*", "").split()).lstrip("-• ").rstrip()
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rsplit(' ', 1)[0]} …"
