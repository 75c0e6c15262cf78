"""The doors of what-if replays: what was tried, trying something new, how far it is, what came of it, publishing it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui import access
from admin_ui import what_if_forms as asked
from admin_ui.asked import whole
from admin_ui.components.marks import KINDS
from admin_ui.components.policy_form import PAIR_BOUNDS
from admin_ui.components.what_if_card import CHANGES
from admin_ui.permits import access_permitted
from admin_ui.selectors import versions as read_versions
from admin_ui.selectors import what_if as read
from admin_ui.selectors.documents import principal_of
from admin_ui.sites import console
from conversations import wiring
from conversations.evaluation.jobs import UNFINISHED
from conversations.evaluation.what_if import MOST_TURNS, Sample, Selection
from conversations.evaluation.what_if_records import WhatIfReplay
from conversations.selectors.what_if import access_replay, estimate
from conversations.services import what_if as services
from kernel.errors import DomainError, Invalid
from kernel.json import JsonObject
from tenants.models import VersionState
from tenants.roles import May
from tenants.selectors.versions import access_version, version_list


@require_GET
def what_ifs(request: HttpRequest) -> HttpResponse:
    access_permitted(request, May.EDIT_VERSIONS)
    page, rows = read.replay_rows(request.GET.get("page", "1"))
    context = console.page_context(request, "What-if replay", page=page, rows=rows)
    return render(request, "admin_ui/what_if/list.html", context)


@require_GET
def new(request: HttpRequest) -> HttpResponse:
    """`of` is what to change, `number` the version to try or to begin from; without it, what is in force."""
    access_permitted(request, May.EDIT_VERSIONS)
    return _form(request)


@require_POST
def run(request: HttpRequest) -> HttpResponse:
    """The whole form: `of`, `what` (stored with `number`, or edited), the turns, and `with_model`."""
    user = access_permitted(request, May.EDIT_VERSIONS)
    name = asked.name_asked(request.POST)
    tried: dict[str, Any] = dict(asked.tried(name, request.POST))
    try:
        replay = services.what_if_start(
            kind=asked.OF[name],
            name=name,
            selection=asked.selection(request.POST),
            with_model="with_model" in request.POST,
            has_model=wiring.chat_model() is not None,
            requested_by=user.pk,
            **tried,
        )
    except DomainError as error:
        return _form(request, fault=error, typed=tried.get("data"))
    return redirect("console-what-if", replay.pk)


def _form(request: HttpRequest, *, fault: DomainError | None = None, typed: Any = None) -> HttpResponse:
    """`typed` is what somebody could not try, and `fault` why not: it stays in the form."""
    query = request.POST if request.method == "POST" else request.GET
    name = asked.name_asked(query)
    kind = asked.OF[name]
    standing, stored = read_versions.standing_of(kind, name), version_list(kind, name)
    number = whole(query, "number")
    base = access_version(kind, name, standing.in_force.number if number is None else number)
    others = [read_versions.version_row(one) for one in stored if one.number != standing.in_force.number]
    chosen, wrong = _selection(query)
    context = console.page_context(
        request,
        "New replay",
        standing=standing,
        name=name,
        kind=kind,
        others=others,
        number=base.number,
        edited=typed is not None or not others or (number is None and query.get("what") != asked.STORED),
        content=read_versions.version_content(base, standing.in_force, typed),
        bounds=PAIR_BOUNDS,
        chosen=chosen,
        days=query.get("days", "30"),
        periods=asked.PERIODS,
        kinds=[(kind, mark, kind in chosen.kinds) for kind, mark in KINDS.items()],
        most_turns=MOST_TURNS,
        samples=Sample,
        engine=wiring.engine_as_seen(),
        with_model="with_model" in query or kind == "prompt",
        fault=fault or wrong,
    )
    return render(request, "admin_ui/what_if/new.html", context, status=fault.http_status if fault else 200)


def _selection(query: Any) -> tuple[Selection, Invalid | None]:
    try:
        return asked.selection(query), None
    except Invalid as error:
        return Selection(), error


@require_GET
def estimated(request: HttpRequest) -> HttpResponse:
    """How many turns the form means, for the page to show while somebody chooses."""
    access_permitted(request, May.EDIT_VERSIONS)
    chosen, fault = _selection(request.GET)
    found = None if fault else estimate(chosen)
    context = {"fault": fault, "estimate": found, "engine": wiring.engine_as_seen()}
    return render(request, "admin_ui/what_if/estimate.html", context)


@require_GET
def what_if(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """`?part=progress` answers with how far it is alone, and asks for the whole page when it has ended."""
    user = access_permitted(request, May.EDIT_VERSIONS)
    replay = access_replay(replay_id)
    if request.GET.get("part") == "progress":
        return _progress(request, replay)
    row, results = read.replay_row(replay), read.results(replay_id)
    context: JsonObject = {"row": row, "replay": replay, "results": results}
    context.update(running=row.running, total=results.total)
    wanted = read.Wanted.asked(request.GET)
    page, cards = read.difference_cards(
        replay_id, wanted, principal_of(user), number=request.GET.get("page", "1")
    )
    draft = _draft(replay)
    more = {
        "wanted": wanted,
        "page": page,
        "cards": cards,
        "changes": CHANGES,
        "comparison": read.comparison_of(replay),
        "selection": read.selection_in_words(replay.selection),
        "draft": draft,
        "in_force": read_versions.standing_of(replay.kind, replay.name).in_force,
        "publishes": access.publishes_versions(request),
    }
    whole = console.page_context(request, row.title, **context, **more)
    return render(request, "admin_ui/what_if/detail.html", whole)


def _progress(request: HttpRequest, replay: WhatIfReplay) -> HttpResponse:
    running = replay.state in UNFINISHED
    context = {"replay": replay, "running": running, "total": read.total_of(replay.pk)}
    answer = render(request, "admin_ui/what_if/progress.html", context)
    if not running:
        answer.headers["HX-Refresh"] = "true"
    return answer


def _draft(replay: Any) -> Any:
    """The stored version that was tried, while it is one that may be published and says what was tried."""
    if replay.after_number is None:
        return None
    try:
        found = access_version(replay.kind, replay.name, replay.after_number)
    except DomainError:
        return None
    return found if found.state in (VersionState.DRAFT, VersionState.STAGED) else None


@require_POST
def cancel(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    access_permitted(request, May.EDIT_VERSIONS)
    try:
        services.what_if_cancel(replay_id=replay_id)
        messages.success(request, "Cancelled. What it has found until then stays.")
    except DomainError as error:
        messages.error(request, error.message)
    return redirect("console-what-if", replay_id)


@require_POST
def keep(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """Make a draft of what was tried."""
    access_permitted(request, May.EDIT_VERSIONS)
    draft = services.what_if_draft(replay_id=replay_id)
    return redirect("console-version", kind=draft.kind, name=draft.name, number=draft.number)


@require_POST
def publish(request: HttpRequest, replay_id: UUID) -> HttpResponse:
    """Put in force what was tried, for every session."""
    access.access_version_publisher(request)
    try:
        version = services.what_if_publish(replay_id=replay_id)
    except DomainError as error:
        messages.error(request, error.message)
    else:
        messages.success(
            request, f"Version {version.number} is in force for every session, from its next turn on."
        )
    return redirect("console-what-if", replay_id)
