"""The doors of policies and prompts: their versions, a draft's editor, and what is in force or tried."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from admin_ui import access
from admin_ui import version_forms as asked
from admin_ui.asked import whole
from admin_ui.selectors import versions as read
from admin_ui.sites import console
from admin_ui.views.version_page import check_answer, version_page
from kernel.errors import DomainError, Invalid, NotFound
from tenants.models import Version, VersionState
from tenants.selectors.versions import BUILT_IN, access_version
from tenants.services import versions as services
from tenants.versioning.errors import VersionConflict


@require_GET
def prompts(request: HttpRequest) -> HttpResponse:
    access.access_version_reader(request)
    context = console.page_context(request, "Prompts", prompts=read.prompt_summaries())
    return render(request, "admin_ui/versions/prompts.html", context)


@require_GET
def versions(request: HttpRequest, kind: str, name: str) -> HttpResponse:
    access.access_version_reader(request)
    standing, page = (
        read.standing_of(kind, name),
        read.version_rows(kind, name, number=request.GET.get("page", "1")),
    )
    context = console.page_context(
        request,
        standing.versioned.title,
        standing=standing,
        in_force=read.version_row(standing.in_force),
        staged=standing.staged and read.version_row(standing.staged),
        rows=[read.version_row(version) for version in page],
        page=page,
        edits=access.edits_versions(request),
        publishes=access.publishes_versions(request),
    )
    return render(request, "admin_ui/versions/list.html", context)


@require_GET
def version(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    access.access_version_reader(request)
    return version_page(request, access_version(kind, name, number))


@require_POST
def draft(request: HttpRequest, kind: str, name: str) -> HttpResponse:
    """`from` is the number to copy, without it what is in force."""
    access.access_version_editor(request)
    number = whole(request.POST, "from")
    made = services.version_draft(kind=kind, name=name, from_number=number)
    base = "the built-in version" if made.based_on == BUILT_IN else f"version {made.based_on}"
    messages.success(
        request, f"Draft {made.number} is a copy of {base}. Nothing changes until it is published."
    )
    return redirect("console-version", kind=kind, name=name, number=made.number)


@require_POST
def edit(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    """The whole form, `note`, and `seen`: when the draft had last changed as it was opened."""
    access.access_version_editor(request)
    found, data = access_version(kind, name, number), asked.data(kind, name, request.POST)
    try:
        saved = services.version_edit(
            kind=kind,
            name=name,
            number=number,
            data=data,
            note=asked.note(request.POST),
            unchanged_since=asked.seen(request.POST),
        )
    except (VersionConflict, Invalid) as error:
        # What was typed stays in the form: it would be lost otherwise.
        return version_page(request, found, typed=data, fault=error)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-version", kind=kind, name=name, number=number)
    _tell_kept(request, saved)
    return redirect("console-version", kind=kind, name=name, number=number)


def _tell_kept(request: HttpRequest, draft: Version) -> None:
    """That a draft is saved; of one that is not right yet, what to mend."""
    content = read.version_content(draft, read.standing_of(draft.kind, draft.name).in_force)
    if not content.errors:
        messages.success(request, f"Draft {draft.number} is saved.")
        return
    names = list(dict.fromkeys(f"“{one.label}”" for one in content.faults)) or ["what is marked"]
    told = f"Draft {draft.number} cannot be tried or published yet: mend {_listed(names)}."
    messages.error(request, f"{told} What you typed is kept in it.")


def _listed(names: list[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@require_POST
def check(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    """What is wrong with what stands in the form, for the page to show while somebody types."""
    access.access_version_editor(request)
    found, data = access_version(kind, name, number), asked.data(kind, name, request.POST)
    services.version_check(kind=kind, name=name, data=data)
    return check_answer(request, found, data)


@require_POST
def publish(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    """`replaces` is the number in force and `seen` the state of the version that the person has looked at."""
    access.access_version_publisher(request)

    def act() -> str:
        replaces, gate = asked.replaces(request.POST), asked.seen_gate(asked.seen(request.POST))
        services.version_publish(kind=kind, name=name, number=number, replaces=replaces, gate=gate)
        return f"Version {number} is in force for every session, from its next turn on."

    return _acted(request, act, kind, name, number)


@require_POST
def roll_back(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    access.access_version_publisher(request)

    def act() -> str:
        replaces = asked.replaces(request.POST)
        made = services.version_roll_back(kind=kind, name=name, number=number, replaces=replaces)
        back = "What is built in" if number == BUILT_IN else f"Version {number}"
        return f"{back} is in force again, as version {made.number}."

    return _acted(request, act, kind, name, number)


@require_POST
def stage(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    """`share` is a whole number of percent."""
    access.access_version_publisher(request)

    def act() -> str:
        share = whole(request.POST, "share") or 0
        asked.seen_gate(asked.seen(request.POST))(access_version(kind, name, number))
        services.version_stage(kind=kind, name=name, number=number, share=share)
        return f"Version {number} is tried on {share} % of the sessions, from their next turn on."

    return _acted(request, act, kind, name, number)


@require_POST
def stage_end(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    """Ends the trial of this version, and of no other that was begun meanwhile."""
    access.access_version_publisher(request)

    def act() -> str:
        if access_version(kind, name, number).state != VersionState.STAGED:
            raise VersionConflict(reason=f"version {number} is not tried any more.")
        services.version_stage_end(kind=kind, name=name)
        return f"The trial of version {number} has ended. Its sessions are back on what is in force."

    return _acted(request, act, kind, name, number)


@require_POST
def discard(request: HttpRequest, kind: str, name: str, number: int) -> HttpResponse:
    access.access_version_editor(request)

    def act() -> str:
        asked.seen_gate(asked.seen(request.POST))(access_version(kind, name, number))
        services.version_discard(kind=kind, name=name, number=number)
        return f"Draft {number} is discarded."

    return _acted(request, act, kind, name, number)


def _acted(request: HttpRequest, act: Callable[[], str], kind: str, name: str, number: int) -> HttpResponse:
    """Back to the list when it worked, and to the version with what was in the way otherwise."""
    try:
        told = act()
    except NotFound as error:
        messages.error(request, error.message)
        return redirect("console-versions", kind=kind, name=name)
    except DomainError as error:
        messages.error(request, error.message)
        return redirect("console-version", kind=kind, name=name, number=number)
    messages.success(request, told)
    return redirect("console-versions", kind=kind, name=name)
