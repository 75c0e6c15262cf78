"""Reading what-if replays for their pages: the list, how far one is, what changed how often, and each difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator

from admin_ui.asked import choice_asked
from admin_ui.components import policy_form, prompt_form
from admin_ui.components.marks import KINDS, VERDICTS, Mark, mark_of
from admin_ui.components.what_if_card import CHANGES, Found, WhatIfCard, what_if_card
from admin_ui.selectors.contamination import Rate
from admin_ui.selectors.documents import CHUNKS_PER_PAGE
from admin_ui.selectors.paging import page_by_ids
from admin_ui.selectors.versions import Comparison
from conversations.domain.verdicts import Verdict
from conversations.evaluation.jobs import UNFINISHED, JobState
from conversations.evaluation.what_if import Change, Counts, Sample, Selection, added_up
from conversations.evaluation.what_if_records import WhatIfDifference, WhatIfReplay
from conversations.selectors.what_if import (
    counts_by_stratum,
    differences,
    replays,
    verdict_moves,
)
from kernel.json import JsonObject
from retrieval.selectors import passages_get
from tenants.access import Principal
from tenants.models import VersionKind
from tenants.selectors.versions import BUILT_IN
from tenants.versioning.differences import changes_between
from tenants.versioning.registry import versioned_of

PER_PAGE = 20
GRAVEST = ("-verdict", "-top_passage", "-rewrite", "-passages", "position", "id")
STATES: dict[str, Mark] = {
    JobState.QUEUED: Mark("waiting", "offered", "○", "Waiting for a worker."),
    JobState.RUNNING: Mark("running", "busy", "◑", "Turns are being replayed."),
    JobState.DONE: Mark("done", "clean", "✓", "Every turn was replayed."),
    JobState.CANCELLED: Mark("cancelled", "evicted", "×", "Ended before all turns were replayed."),
    JobState.FAILED: Mark("failed", "contaminated", "✕", "Broke off."),
}
TITLES: dict[str, tuple[str, str]] = {
    Change.REWRITE: ("Rewrites", "search for other words"),
    Change.VERDICT: ("Verdicts", "judged otherwise by the guard"),
    Change.TOP_PASSAGE: ("Top passages", "another passage comes first"),
    Change.PASSAGES: ("Passages", "other passages are found"),
    Change.SCOPE: ("Scopes", "the rewrite is shown something else"),
}


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """A replay with its state; `title` says what was tried, `turns` what it has found when it has ended."""

    replay: WhatIfReplay
    mark: Mark
    title: str
    settings: int
    counts: Counts | None

    @property
    def running(self) -> bool:
        return self.replay.state in UNFINISHED


@dataclass(frozen=True, slots=True)
class Figure:
    """How many of the compared turns changed in one way."""

    change: str
    title: str
    about: str
    rate: Rate


@dataclass(frozen=True, slots=True)
class Stratum:
    """One kind of turn: how many were compared, and the shares in which rewrite, verdict and top passage changed."""

    key: str
    mark: Mark
    counts: Counts
    rates: tuple[tuple[Mark, str, Rate], ...]


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """Turns with a verdict before and after."""

    mark: Mark
    before: Rate
    after: Rate

    @property
    def moved(self) -> int:
        return self.after.n - self.before.n


@dataclass(frozen=True, slots=True)
class Results:
    total: Counts
    figures: tuple[Figure, ...]
    strata: tuple[Stratum, ...]
    verdicts: tuple[VerdictLine, ...]
    moves: tuple[tuple[Mark, Mark, int], ...]
    stored: Rate


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the differences are narrowed to; empty is any."""

    change: str = ""
    stratum: str = ""

    @classmethod
    def asked(cls, query: Mapping[str, str]) -> Wanted:
        return cls(choice_asked(query, "change", CHANGES), choice_asked(query, "stratum", KINDS))


def replay_rows(number: str) -> tuple[Page[WhatIfReplay], list[ReplayRow]]:
    page = Paginator(replays(), PER_PAGE).get_page(number)
    return page, [replay_row(replay) for replay in page.object_list]


def replay_row(replay: WhatIfReplay) -> ReplayRow:
    ended = replay.state not in UNFINISHED and replay.summary
    return ReplayRow(
        replay,
        mark_of(STATES, replay.state),
        title_of(replay),
        len(changes_between(replay.before, replay.after)),
        Counts(**replay.summary) if ended else None,
    )


def title_of(replay: WhatIfReplay) -> str:
    what = versioned_of(replay.kind, replay.name).title
    tried = "an edited copy" if replay.after_number is None else f"version {replay.after_number}"
    against = f"version {replay.before_number}" if replay.before_number != BUILT_IN else "what is built in"
    return f"{what}: {tried} against {against}"


def comparison_of(replay: WhatIfReplay) -> Comparison:
    if replay.kind == VersionKind.POLICY:
        changes = changes_between(replay.before, replay.after)
        return Comparison(settings=policy_form.policy_changes(changes))
    return Comparison(texts=prompt_form.prompt_marks(replay.name, replay.before, replay.after))


def selection_in_words(data: JsonObject) -> str:
    """As in "the latest, at most 200, since 3 Nov 2026, of conversations with follow-ups, flagged only"."""
    chosen = Selection.from_json(data)
    words = [
        chosen.sample.value if chosen.sample == Sample.RANDOM else "the latest",
        f"at most {chosen.most}",
    ]
    words += [f"since {chosen.since:%-d %b %Y}"] if chosen.since else []
    words += [f"until {chosen.until:%-d %b %Y}"] if chosen.until else []
    words += ["of conversations with follow-ups"] if chosen.follow_ups else []
    words += [" or ".join(mark_of(KINDS, kind).label for kind in chosen.kinds)] if chosen.kinds else []
    words += ["flagged only"] if chosen.flagged else []
    return ", ".join(words)


def total_of(replay_id: UUID) -> Counts:
    """One query."""
    return added_up(list(counts_by_stratum(replay_id).values()))


def results(replay_id: UUID) -> Results:
    """Two queries, however many turns there are."""
    by_stratum, moves = counts_by_stratum(replay_id), verdict_moves(replay_id)
    total = added_up(list(by_stratum.values()))
    known = [kind for kind in KINDS if kind in by_stratum]
    return Results(
        total,
        tuple(Figure(change, *TITLES[change], _rate(total, change)) for change in TITLES),
        tuple(_stratum(kind, by_stratum[kind]) for kind in [*known, *sorted(set(by_stratum) - set(known))]),
        tuple(_verdict(verdict, moves) for verdict in Verdict),
        tuple((mark_of(VERDICTS, a), mark_of(VERDICTS, b), n) for a, b, n in sorted(moves) if a != b),
        Rate(total.stored_differs, total.compared),
    )


def _rate(counts: Counts, change: str) -> Rate:
    return Rate(getattr(counts, change), counts.compared)


def _stratum(kind: str, counts: Counts) -> Stratum:
    shown = (Change.REWRITE, Change.VERDICT, Change.TOP_PASSAGE)
    rates = tuple((CHANGES[change], change.value, _rate(counts, change)) for change in shown)
    return Stratum(kind, mark_of(KINDS, kind) if kind else Mark("no kind", "none", "·"), counts, rates)


def _verdict(verdict: str, moves: Sequence[tuple[str, str, int]]) -> VerdictLine:
    of = sum(n for *_, n in moves)
    before, after = (sum(move[2] for move in moves if move[side] == verdict) for side in (0, 1))
    return VerdictLine(mark_of(VERDICTS, verdict), Rate(before, of), Rate(after, of))


def difference_cards(
    replay_id: UUID, wanted: Wanted, principal: Principal, *, number: str
) -> tuple[Page[WhatIfDifference], list[WhatIfCard]]:
    """A page of them, with the passages that the reader may see."""
    found = differences(replay_id, change=wanted.change, stratum=wanted.stratum).order_by(*GRAVEST)
    page = page_by_ids(found, found, PER_PAGE, number)
    rows = list(page)
    passages = _passages(rows, principal)
    return page, [what_if_card(row, passages) for row in rows]


def _passages(rows: Sequence[WhatIfDifference], principal: Principal) -> dict[str, Found]:
    ids = {chunk for row in rows for side in (row.before, row.after) for chunk in (side or {})["passages"]}
    return {
        str(p.chunk_id): _found(p) for p in passages_get([UUID(chunk) for chunk in sorted(ids)], principal)
    }


def _found(passage: Any) -> Found:
    path = passage.heading_path
    where = " › ".join(path[1:] if path and path[0] == passage.title else path)
    page = passage.ordinal // CHUNKS_PER_PAGE + 1
    return Found(passage.title, where, str(passage.document_id), str(passage.chunk_id), page)
