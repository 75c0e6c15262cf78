"""Reading the queue of turns that the guard objected to, with what members made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.db.models.fields.json import KeyTransform

from admin_ui.asked import choice_asked
from admin_ui.components.marks import KINDS, VERDICTS, Mark, mark_of
from conversations.audits.records import Judgement, TurnJudgement
from conversations.domain.verdicts import FLAGGED
from conversations.models import Turn, TurnTrace

PER_PAGE = 25
MOST_EXPORTED = 10_000
STATES: dict[str, Mark] = {
    "open": Mark("to judge", "stale", "○", "Nobody has looked at it yet."),
    Judgement.CONFIRMED: Mark("confirmed", "contaminated", "✕", "The guard was right."),
    Judgement.DISMISSED: Mark("dismissed", "plain", "–", "A false alarm."),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the queue is narrowed to. An empty text, and None for a version, is any."""

    state: str = "open"
    verdict: str = ""
    kind: str = ""
    policy: int | None = None
    prompt: int | None = None

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> Wanted:
        return cls(
            choice_asked(query, "state", STATES) or "open",
            choice_asked(query, "verdict", FLAGGED),
            choice_asked(query, "kind", KINDS),
            _version(query, "policy"),
            _version(query, "prompt"),
        )

    @property
    def narrowed(self) -> bool:
        return bool(self.verdict or self.kind) or self.policy is not None or self.prompt is not None

    @property
    def shown(self) -> str:
        """The words of what it is narrowed to, as in "contaminated, follow-up, policy 3"."""
        words = [mark_of(VERDICTS, self.verdict).label] if self.verdict else []
        words += [mark_of(KINDS, self.kind).label] if self.kind else []
        words += [_versioned("policy", self.policy)] if self.policy is not None else []
        words += [_versioned("prompt", self.prompt)] if self.prompt is not None else []
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class FlaggedRow:
    """`kept_out` are the words that the guard took out of the search, empty where the reader may not see them."""

    turn: Turn
    verdict: Mark
    kind: Mark
    judged: TurnJudgement | None
    kept_out: tuple[str, ...] = ()

    @property
    def state(self) -> Mark:
        return STATES[self.judged.judgement if self.judged else "open"]


@dataclass(frozen=True, slots=True)
class Queue:
    page: Page[Turn]
    rows: list[FlaggedRow]
    counts: Mapping[str, int]


@transaction.atomic
def queue(*, wanted: Wanted, since: datetime, until: datetime, number: str, with_words: bool) -> Queue:
    """The newest first. `with_words` tells the words kept out, which may come from documents."""
    found = _narrowed(wanted, since, until)
    counts = _counts(found)
    paginator = Paginator(_in_state(found, wanted.state), PER_PAGE)
    paginator.count = counts[wanted.state]
    page = paginator.get_page(number)
    return Queue(page, _rows(list(page.object_list), with_words=with_words), counts)


def waiting_to_be_judged(*, since: datetime, until: datetime) -> int:
    """How many turns of a period the guard objected to and nobody has judged. Two queries."""
    return _counts(_narrowed(Wanted(), since, until))["open"]


def exported(*, wanted: Wanted, since: datetime, until: datetime) -> list[FlaggedRow]:
    """The newest `MOST_EXPORTED` of all states, without the words that were kept out."""
    return _rows(list(_narrowed(wanted, since, until)[:MOST_EXPORTED]), with_words=False)


def _narrowed(wanted: Wanted, since: datetime, until: datetime) -> QuerySet[Turn]:
    found = Turn.objects.filter(created_at__gte=since, created_at__lt=until)
    found = found.filter(verdict=wanted.verdict) if wanted.verdict else found.filter(verdict__in=FLAGGED)
    if wanted.kind:
        found = found.filter(kind=wanted.kind)
    if wanted.policy is not None:
        found = found.filter(policy_version=wanted.policy)
    if wanted.prompt is not None:
        built_in = Q(contextualize_version=None) if wanted.prompt == 0 else Q(pk__in=[])
        found = found.filter(Q(contextualize_version=wanted.prompt) | built_in)
    return found.order_by("-created_at", "id")


def _counts(found: QuerySet[Turn]) -> dict[str, int]:
    """By state, in two queries: those that are judged, and all, which an index counts by itself."""
    judged = TurnJudgement.objects.filter(turn__in=found.order_by().values("pk")).order_by()
    counts = dict(judged.values_list("judgement").annotate(n=Count("pk")))
    return {"open": found.count() - sum(counts.values()), **{one: counts.get(one, 0) for one in Judgement}}


def _in_state(found: QuerySet[Turn], state: str) -> QuerySet[Turn]:
    if state == "open":
        return found.exclude(pk__in=TurnJudgement.objects.values("turn_id"))
    return found.filter(pk__in=TurnJudgement.objects.filter(judgement=state).values("turn_id"))


def _rows(turns: list[Turn], *, with_words: bool) -> list[FlaggedRow]:
    judged = {one.turn_id: one for one in TurnJudgement.objects.filter(turn__in=turns).select_related("by")}
    words = _offending(turns) if with_words else {}
    return [
        FlaggedRow(
            turn,
            mark_of(VERDICTS, turn.verdict),
            mark_of(KINDS, turn.kind),
            judged.get(turn.pk),
            words.get(turn.pk, ()),
        )
        for turn in turns
    ]


def _offending(turns: Iterable[Turn]) -> dict[UUID, tuple[str, ...]]:
    offending = KeyTransform("offending", KeyTransform("ruling", "data"))
    traced = TurnTrace.objects.filter(turn__in=turns).values_list("turn_id", offending)
    return {turn_id: _texts(words) for turn_id, words in traced}


def _texts(words: Any) -> tuple[str, ...]:
    return tuple(word for word in words if isinstance(word, str)) if isinstance(words, list) else ()


def _version(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _versioned(what: str, version: int | None) -> str:
    return f"{what} {version}" if version else f"built-in {what}"
