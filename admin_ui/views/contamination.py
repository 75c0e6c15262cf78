"""The doors of the contamination audit: figures, the queue of flagged turns, what members make of them, export."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from admin_ui.access import manages_documents
from admin_ui.asked import choice_asked, text_asked
from admin_ui.components.contamination_charts import bars, heat_map
from admin_ui.components.marks import VERDICTS
from admin_ui.permits import access_permitted, may
from admin_ui.selectors import contamination as read
from admin_ui.selectors import flagged_turns as turns
from admin_ui.selectors.distances import MOST_TURNS, WINDOW, distances
from admin_ui.sites import console
from admin_ui.tables import csv_answer
from conversations.audits.turn_judging import MOST_NOTE, turn_judge, turn_reopen
from conversations.domain.verdicts import FLAGGED
from conversations.selectors.evaluations import sets_named
from kernel.errors import DomainError
from tenants.roles import May


@require_GET
def contamination(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    found = read.audit(days=_days(request))
    wanted = turns.Wanted.asked(request.GET)
    number, period = request.GET.get("page", "1"), {"since": found.since, "until": found.until}
    waiting = turns.queue(wanted=wanted, number=number, with_words=manages_documents(request), **period)
    far = distances(**period)
    context = console.page_context(
        request,
        "Contamination audit",
        audit=found,
        periods=read.PERIODS,
        chart=bars(found.by_day),
        strata=_strata(found),
        wanted=wanted,
        queue=waiting,
        page=waiting.page,
        states=[(s, m, waiting.counts[s], s == wanted.state) for s, m in turns.STATES.items()],
        verdicts={name: VERDICTS[name] for name in FLAGGED},
        distances=far,
        heat=heat_map(far),
        most_turns=MOST_TURNS,
        window=WINDOW,
        judges=may(request, May.JUDGE_CONVERSATIONS),
        evaluates=(evaluates := may(request, May.RUN_EVALUATIONS)),
        followup_sets=list(sets_named()) if evaluates else [],
        most_note=MOST_NOTE,
    )
    return render(request, "admin_ui/contamination/audit.html", context)


@require_POST
def judge(request: HttpRequest, turn_id: UUID) -> HttpResponse:
    """`judgement` is confirmed, dismissed, or open for back into the queue; `note` and `back` may come with it."""
    by = access_permitted(request, May.JUDGE_CONVERSATIONS)
    judgement = request.POST.get("judgement", "")
    try:
        if judgement == "open":
            turn_reopen(turn_id=turn_id)
            messages.success(request, "Back in the queue.")
        else:
            turn_judge(
                turn_id=turn_id,
                judgement=judgement,
                note=request.POST.get("note", "").replace("\0", ""),
                by=by,
            )
            messages.success(request, f"{judgement.capitalize()}.")
    except DomainError as error:
        messages.error(request, error.message)
    return redirect(_back(request))


@require_GET
def figures_csv(request: HttpRequest) -> HttpResponse:
    """Each day and each stratum with its counts and intervals."""
    access_permitted(request, May.READ_REPORTS)
    found = read.audit(days=_days(request))
    head = ("by", "of", "turns", "contaminated", "share", "low95", "high95", "flagged")
    rows = [("day", day.day.isoformat(), *_figures(day.contaminated, day.flagged)) for day in found.by_day]
    for title, lines in _strata(found):
        rows += [(title, line.label, *_figures(line.contaminated, line.flagged)) for line in lines]
    rows.append(("all", f"{found.days} days", *_figures(found.total.contaminated, found.total.flagged)))
    return csv_answer("contamination-figures.csv", head, rows)


@require_GET
def turns_csv(request: HttpRequest) -> HttpResponse:
    """The flagged turns of the period, as narrowed, in whatever state."""
    access_permitted(request, May.READ_REPORTS)
    found = read.audit(days=_days(request))
    rows = turns.exported(wanted=turns.Wanted.asked(request.GET), since=found.since, until=found.until)
    head = (
        "at", "conversation", "turn", "kind", "verdict", "policy_version", "prompt_version", "state", "note",
        "judged_by", "judged_at", "message",
    )  # fmt: skip
    return csv_answer("contamination-turns.csv", head, [_turn(row) for row in rows])


def _turn(row: turns.FlaggedRow) -> tuple[Any, ...]:
    turn, judged = row.turn, row.judged
    about = (turn.created_at.isoformat(), turn.session_id, turn.n, turn.kind, turn.verdict)
    versions = (turn.policy_version, turn.contextualize_version or 0)
    judgement = (judged.note, judged.by or "", judged.at.isoformat()) if judged else ("", "", "")
    return (*about, *versions, row.state.label, *judgement, turn.message)


def _strata(found: read.Audit) -> list[tuple[str, tuple[read.Line, ...]]]:
    return [
        ("Kind of turn", found.by_kind),
        ("Policy version", found.by_policy),
        ("Prompt version", found.by_prompt),
    ]


def _figures(contaminated: read.Rate, flagged: read.Rate) -> tuple[Any, ...]:
    share = (
        (round(contaminated.share, 4), contaminated.low, contaminated.high) if contaminated.of else ("",) * 3
    )
    return (contaminated.of, contaminated.n, *share, flagged.n)


def _days(request: HttpRequest) -> int:
    return int(choice_asked(request.GET, "days", {str(days) for days in read.PERIODS}) or 30)


def _back(request: HttpRequest) -> str:
    """The page that the form stood on; anything else is the audit's own address."""
    back = text_asked(request.POST, "back")
    known = back.startswith("?") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return reverse("console-contamination") + (back if known else "") + "#queue"
