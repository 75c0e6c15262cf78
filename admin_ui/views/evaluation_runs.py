"""The doors of evaluations: start one, watch it, read it by stratum and item, compare two; and the gates."""

from __future__ import annotations

from collections import Counter
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui.asked import choice_asked, text_asked, whole
from admin_ui.components import evaluations as shown
from admin_ui.components.marks import VERDICTS, Mark, mark_of
from admin_ui.components.rewrite import Run, added_runs, both_worded
from admin_ui.permits import access_permitted, may
from admin_ui.selectors.versions import VersionRow, version_row
from admin_ui.sites import console
from conversations import wiring
from conversations.domain.prompts import PromptName
from conversations.evaluation.jobs import UNFINISHED, JobState
from conversations.selectors import evaluations as read
from conversations.selectors.in_force import SCOPE
from conversations.services import evaluation_gates, evaluation_runs
from conversations.services.evaluation_runs import STRATEGIES
from kernel.errors import DomainError
from tenants.models import Audience, VersionKind
from tenants.roles import May
from tenants.selectors.versions import version_list

PER_PAGE = 25
ONLY = {"missed": "Missed", "contaminated": "Contaminated", "rewritten": "Rewritten", "failed": "Not run"}


@require_GET
def runs(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    page = Paginator(read.runs_list(), PER_PAGE).get_page(request.GET.get("page", "1"))
    rows = [(run, shown.state_marks(run)) for run in page]
    context = console.page_context(
        request, "All evaluations", page=page, runs=rows, evaluates=may(request, May.RUN_EVALUATIONS)
    )
    return render(request, "admin_ui/evaluations/runs.html", context)


@require_GET
def new(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    context = console.page_context(
        request,
        "New evaluation",
        sets=list(read.sets_to_run()),
        chosen=request.GET.get("set", ""),
        strategies=[(name, shown.WORDS[name], name == "policy") for name in STRATEGIES],
        policies=_rows(VersionKind.POLICY, SCOPE),
        prompts=_rows(VersionKind.PROMPT, PromptName.CONTEXTUALIZE.value),
        policy=whole(request.GET, "policy"),
        prompt=whole(request.GET, "prompt"),
        audiences=list(Audience.objects.order_by("name")),
        engine=wiring.engine_as_seen(),
    )
    return render(request, "admin_ui/evaluations/new.html", context)


def _rows(kind: VersionKind, name: str) -> list[VersionRow]:
    return [version_row(one) for one in version_list(kind.value, name)]


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """`set`, `strategies`, `policy`, `prompt`, `audience` (a slug, empty for all documents) and `with_model`."""
    user = access_permitted(request, May.RUN_EVALUATIONS)
    try:
        run = evaluation_runs.evaluation_start(
            set_id=read.access_set(UUID(text_asked(request.POST, "set") or "0" * 32)).pk,
            strategies=shown.strategies_asked(request.POST),
            policy_number=whole(request.POST, "policy"),
            prompt_number=whole(request.POST, "prompt"),
            audience=text_asked(request.POST, "audience"),
            with_model="with_model" in request.POST,
            has_model=wiring.chat_model() is not None,
            by=user.pk,
        )
    except (DomainError, ValueError) as error:
        told = error.message if isinstance(error, DomainError) else "Choose a set."
        messages.error(request, told)
        return redirect("console-evaluation-new")
    return redirect("console-evaluation", run.pk)


@require_GET
def run(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """`?part=progress` answers with how far it is alone, and asks for the whole page when it has ended.

    Items quote conversations and documents, so that who only reads reports is told the figures alone.
    """
    access_permitted(request, May.READ_REPORTS)
    found = read.access_run(run_id)
    running = found.state in UNFINISHED
    evaluates = may(request, May.RUN_EVALUATIONS)
    context = {"run": found, "running": running, "marks": shown.state_marks(found), "evaluates": evaluates}
    if request.GET.get("part") == "progress":
        answer = render(request, "admin_ui/evaluations/progress.html", context)
        if not running:
            answer.headers["HX-Refresh"] = "true"
        return answer
    strategy = choice_asked(request.GET, "strategy", found.strategies) or found.strategies[0]
    only = choice_asked(request.GET, "only", ONLY)
    rows = read.results_list(run_id, strategy=strategy, only=only)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page", "1"))
    others = read.runs_of(found.of_set_id).exclude(pk=run_id)[:10]
    context |= {
        "tables": shown.tables(found),
        "strategy": strategy,
        "strategies": [(name, shown.WORDS.get(name, name)) for name in found.strategies],
        "strategy_words": shown.WORDS.get(strategy, strategy),
        "only": only,
        "narrowings": ONLY,
        "page": page,
        "rows": [
            (one, mark_of(VERDICTS, one.verdict), added_runs(one.item.follow_up, one.display)) for one in page
        ],
        "others": others if found.state == JobState.DONE else [],
    }
    whole_page = console.page_context(request, f"Evaluation of {found.of_set.name}", **context)
    return render(request, "admin_ui/evaluations/run.html", whole_page)


@require_POST
def cancel(request: HttpRequest, run_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    try:
        evaluation_runs.evaluation_cancel(run_id=run_id)
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-evaluation", run_id)


@require_POST
def delete(request: HttpRequest, run_id: UUID) -> HttpResponse:
    access_permitted(request, May.RUN_EVALUATIONS)
    try:
        evaluation_runs.evaluation_delete(run_id=run_id)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-evaluation", run_id)
    messages.success(request, "The evaluation is deleted.")
    return redirect("console-evaluations")


@require_GET
def compare(request: HttpRequest, run_id: UUID, before_id: UUID) -> HttpResponse:
    """What this run changed against the one before, item by item, under `strategy` and there `other`."""
    access_permitted(request, May.RUN_EVALUATIONS)
    after, before = read.access_run(run_id), read.access_run(before_id)
    found = read.comparison_of(
        after,
        before,
        strategy=choice_asked(request.GET, "strategy", after.strategies),
        other=choice_asked(request.GET, "other", before.strategies),
    )
    strategy, other = found.strategy, found.other
    change = choice_asked(request.GET, "change", shown.CHANGES)
    pairs = found.pairs()
    wanted = [pair for pair in pairs if not change or change in pair.changes]
    page = Paginator(wanted, PER_PAGE).get_page(request.GET.get("page", "1"))
    counts = Counter(name for pair in pairs for name in pair.changes)
    context = console.page_context(
        request,
        "What changed",
        after=after,
        before=before,
        strategy=strategy,
        other=other,
        strategy_words=shown.WORDS.get(strategy, strategy),
        other_words=shown.WORDS.get(other, other),
        change=change,
        counts=[(name, mark, counts[name]) for name, mark in shown.CHANGES.items()],
        page=page,
        rows=[_pair_row(pair) for pair in read.with_items(list(page))],
    )
    return render(request, "admin_ui/evaluations/compare.html", context)


def _pair_row(pair: read.Compared) -> tuple[read.Compared, list[Mark], tuple[Run, ...], tuple[Run, ...]]:
    """With what changed, and what each searched for with its own words marked."""
    before, after = both_worded(pair.before, pair.after)
    marks = [shown.CHANGES[name] for name in pair.changes]
    return pair, marks, added_runs(after, before), added_runs(before, after)


@require_GET
def gates(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.READ_REPORTS)
    found = read.gates_now()
    strata = [name for name, _ in read.strata_of(found.of_set_id)] if found.of_set_id else []
    context = console.page_context(
        request,
        "Gates",
        gates=found,
        rows=shown.gate_rows(found.values, strata),
        figures=shown.GATED,
        sets=list(read.sets_named()),
        strategies=[(name, shown.WORDS[name]) for name in STRATEGIES],
        publishes=may(request, May.PUBLISH_VERSIONS),
    )
    return render(request, "admin_ui/evaluations/gates.html", context)


@require_POST
def gates_save(request: HttpRequest) -> HttpResponse:
    """`required`, `set`, `strategy` and the bounds, named by place, figure and bound."""
    access_permitted(request, May.PUBLISH_VERSIONS)
    try:
        chosen = text_asked(request.POST, "set")
        evaluation_gates.gates_set(
            required=request.POST.get("required") == "yes",
            set_id=UUID(chosen) if chosen else None,
            values=shown.gate_values(request.POST, read.gates_now().values),
        )
    except (DomainError, ValueError) as error:
        messages.error(request, error.message if isinstance(error, DomainError) else "Choose a set.")
    else:
        messages.success(request, "The gates are saved.")
    return redirect("console-evaluation-gates")
