"""Questions by what they ask: the same words, whatever their case and punctuation, are one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db.models import CharField, Count, F, Func, Max, QuerySet, TextField, Value
from django.db.models.functions import Coalesce, Lower, NullIf, Trim

from conversations.audits.records import QuestionDealtWith
from conversations.models import UNSOURCED, Turn
from conversations.selectors.people import peoples_turns
from kernel.clock import now

LOOKED_BACK = timedelta(days=28)
_BETWEEN_WORDS = r"[[:space:][:punct:]“”‘’„«»…¿¡–—。、？！：；（）]+"
# What was searched says what a follow-up such as "and in Dublin?" asks; a turn without a search is its message.
_NOTHING = Value("", output_field=TextField())
_ASKED = Coalesce(NullIf(F("display"), _NOTHING), NullIf(F("query"), _NOTHING), F("message"))
_WORDS = Trim(
    Lower(
        Func(
            _ASKED, Value(_BETWEEN_WORDS), Value(" "), Value("g"),
            function="regexp_replace", output_field=TextField(),
        )
    )
)  # fmt: skip
_FINGERPRINT = Func(
    _WORDS,
    template="encode(sha256(convert_to(%(expressions)s, 'UTF8')), 'hex')",
    output_field=CharField(max_length=64),
)


def fingerprinted(turns: QuerySet[Turn]) -> QuerySet[Any, Any]:
    """Turns with `asked`, their question as people read it, and its `fingerprint`: SHA-256 of its words, as hex."""
    return turns.annotate(asked=_ASKED, fingerprint=_FINGERPRINT)


def was_asked_in_vain(fingerprint: str) -> bool:
    """Whether a question was answered without a source in the last 28 days, in the current tenant."""
    recent = peoples_turns(now() - LOOKED_BACK).filter(UNSOURCED)
    return fingerprinted(recent).filter(fingerprint=fingerprint).exists()


class QuestionState(StrEnum):
    """Open: nobody has dealt with it, or it was asked in vain again since."""

    OPEN = "open"
    DEALT = "dealt"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with how often and by how many it was asked in the period. `mark` is who dealt with it last, if anybody;
    `again` that it was asked in vain since. `asked` is empty until `questions_worded` fills it in."""

    fingerprint: str
    asked: str
    times: int
    people: int
    latest: datetime
    mark: QuestionDealtWith | None

    @property
    def again(self) -> bool:
        return self.mark is not None and self.latest > self.mark.at

    @property
    def state(self) -> QuestionState:
        return QuestionState.OPEN if self.mark is None or self.again else QuestionState.DEALT


def questions_unanswered(since: datetime) -> list[Question]:
    """The questions asked in vain from then on, in both states, the most asked first. Two queries."""
    marks = {one.fingerprint: one for one in QuestionDealtWith.objects.select_related("by").order_by()}
    return [_question(row, marks) for row in _grouped(since)]


def questions_worded(
    shown: Sequence[Question], since: datetime, *, with_searches: bool
) -> tuple[Question, ...]:
    """In the words in which each was asked last. One query.

    `with_searches` tells a follow-up as it was searched for, whose words may come from documents; else as it was typed.
    """
    latest = peoples_turns(since).filter(created_at__in=[one.latest for one in shown])
    words = (
        fingerprinted(latest).order_by().values_list("fingerprint", "asked" if with_searches else "message")
    )
    told = dict(words)
    return tuple(replace(one, asked=told.get(one.fingerprint, "")) for one in shown)


def _grouped(since: datetime) -> list[dict[str, Any]]:
    turns = fingerprinted(peoples_turns(since).filter(UNSOURCED)).order_by()
    counted = turns.values("fingerprint").annotate(
        times=Count("id"), people=Count("session__end_user", distinct=True), latest=Max("created_at")
    )
    return list(counted.order_by("-times", "-latest", "fingerprint"))


def _question(row: Mapping[str, Any], marks: Mapping[str, QuestionDealtWith]) -> Question:
    mark = marks.get(row["fingerprint"])
    return Question(row["fingerprint"], "", row["times"], row["people"], row["latest"], mark)
